package index

import (
	"errors"
	"sync"
)

// users counts who reads the store, whose files must not go while anyone does.
type users struct {
	mu     sync.Mutex
	closed bool
	inside sync.WaitGroup
}

// enter counts one more, who calls leave at the end, unless the index is closed.
func (u *users) enter() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return errors.New("the index is closed")
	}
	u.inside.Add(1)
	return nil
}

func (u *users) leave() { u.inside.Done() }

// close lets nobody in any more and waits for the last to leave. It tells whether it is the first
// to close.
func (u *users) close() bool {
	u.mu.Lock()
	first := !u.closed
	u.closed = true
	u.mu.Unlock()
	u.inside.Wait()
	return first
}
