package client

import (
	"context"
	"sync"
)

// flights let one goroutine at a time buy at an origin. The zero value is ready.
type flights struct {
	mu sync.Mutex
	m  map[string]*flight
}

type flight struct {
	turn chan struct{} // holds one token, of whoever buys
	n    int           // goroutines that buy or wait
}

// acquire waits for its turn at an origin. release may be called more than once.
func (f *flights) acquire(ctx context.Context, origin string) (release func(), err error) {
	f.mu.Lock()
	fl := f.m[origin]
	if fl == nil {
		fl = &flight{turn: make(chan struct{}, 1)}
		if f.m == nil {
			f.m = map[string]*flight{}
		}
		f.m[origin] = fl
	}
	fl.n++
	f.mu.Unlock()
	leave := func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if fl.n--; fl.n == 0 {
			delete(f.m, origin)
		}
	}
	select {
	case fl.turn <- struct{}{}:
		return sync.OnceFunc(func() { <-fl.turn; leave() }), nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
