package file

import (
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Parallel calls render with 0 … n-1 from a number of goroutines, and returns the first error.
func Parallel(workers, n int, render func(i int) error) error {
	var g errgroup.Group
	var next atomic.Int64
	for range min(n, workers) {
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
