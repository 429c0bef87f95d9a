package parttest

import (
	"testing"
	"time"
)

// Patience is how long a thing that must happen may take on a machine that has other things to do.
const Patience = 3 * time.Minute

// WaitUntil waits until done, and fails the test when it never is.
func WaitUntil(t testing.TB, what string, done func() bool) {
	t.Helper()
	if !Within(Patience, done) {
		t.Fatalf("after %s still not: %s", Patience, what)
	}
}

// Within reports whether something is done within a time.
func Within(limit time.Duration, done func() bool) bool {
	ticks := time.NewTicker(10 * time.Millisecond)
	defer ticks.Stop()
	for end := time.After(limit); ; {
		if done() {
			return true
		}
		select {
		case <-ticks.C:
		case <-end:
			return done()
		}
	}
}
