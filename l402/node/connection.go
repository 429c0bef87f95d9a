package node

import (
	"log/slog"
	"sync"
)

// A Connection to a node is opened with the contents of files of the operator, and opened again when they have changed.
type Connection[Files comparable, C any] struct {
	read  func() (Files, error)
	open  func(Files) (*C, error)
	close func(*C)
	log   *slog.Logger

	mu      sync.Mutex
	files   Files
	current *C
}

// Connect reads the files and opens the connection. close ends one that has been replaced.
func Connect[Files comparable, C any](
	read func() (Files, error), open func(Files) (*C, error), close func(*C), log *slog.Logger,
) (*Connection[Files, C], error) {
	c := &Connection[Files, C]{read: read, open: open, close: close, log: log}
	return c, c.Reload()
}

// Reload reads the files again. If they cannot be used, the present connection stays.
func (c *Connection[Files, C]) Reload() error {
	files, err := c.read()
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current != nil && files == c.files {
		return nil
	}
	fresh, err := c.open(files)
	if err != nil {
		return err
	}
	if c.current != nil {
		c.close(c.current)
		c.log.Info("loaded new credentials for the Lightning node")
	}
	c.files, c.current = files, fresh
	return nil
}

// Current returns the present connection.
func (c *Connection[Files, C]) Current() *C {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current
}

// Call makes a call. After an error that may be the fault of the files, it reads them again and, if they have changed,
// calls once more.
func (c *Connection[Files, C]) Call(call func(*C) *Error, isFault func(*Error) bool) *Error {
	before := c.Current()
	nodeErr := call(before)
	if nodeErr == nil || !isFault(nodeErr) {
		return nodeErr
	}
	if err := c.Reload(); err != nil { // they may be being replaced at this moment
		c.log.Warn("cannot reload the Lightning node's credentials; keeping the old ones", "error", err)
	}
	if now := c.Current(); now != before {
		return call(now)
	}
	return nodeErr
}
