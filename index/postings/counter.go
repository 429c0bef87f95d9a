package postings

import (
	"errors"
	"sync"
)

// ErrClosed is the error of whoever uses a store after Close.
var ErrClosed = errors.New("the index is closed")

// A counter counts the users of a store, whose files must stay while it has any.
type counter struct {
	mu     sync.Mutex
	users  int
	closed bool
	idle   chan struct{} // closed when the counter is and the last user has gone
}

func newCounter() counter { return counter{idle: make(chan struct{})} }

// acquire adds a user, who must release, unless the counter is closed.
func (c *counter) acquire() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	c.users++
	return nil
}

func (c *counter) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.users--; c.closed && c.users == 0 {
		close(c.idle)
	}
}

// close admits no new users and waits for the last to go. It reports whether this was the first call.
func (c *counter) close() bool {
	c.mu.Lock()
	first := !c.closed
	if c.closed = true; first && c.users == 0 {
		close(c.idle)
	}
	c.mu.Unlock()
	<-c.idle
	return first
}
