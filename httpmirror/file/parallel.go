package file

import (
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Parallel calls render with 0 … n-1 on every processor, and returns the first error.
func Parallel(n int, render func(i int) error) error {
	var g errgroup.Group
	var next atomic.Int64
	for range min(n, runtime.GOMAXPROCS(0)) {
		g.Go(func() error {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if err := render(i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}
