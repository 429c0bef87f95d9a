//go:build soak

package e2e

import (
	"context"
	"time"
)

// every calls f at intervals until ctx ends; calls that are late are made up for.
func every(ctx context.Context, interval time.Duration, f func()) {
	for next := time.Now(); ; next = next.Add(interval) {
		wait := time.NewTimer(time.Until(next))
		select {
		case <-ctx.Done():
			wait.Stop()
			return
		case <-wait.C:
			f()
		}
	}
}
