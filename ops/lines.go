package ops

import (
	"io"
	"sync"
	"time"
)

// A LineWriter writes the lines of a log in their order, and lets some of them wait for others: to write one line for each request costs
// more than to answer some requests.
type LineWriter struct {
	to io.Writer

	mu      sync.Mutex
	waiting []byte
	timer   *time.Timer // flushes what waits; nil: nothing waits
}

const (
	lineDelay    = 100 * time.Millisecond // that a line waits at most
	waitingBytes = 32 << 10               // after which lines do not wait
)

// NewLineWriter returns a writer of lines to w.
func NewLineWriter(w io.Writer) *LineWriter { return &LineWriter{to: w} }

// Write writes a line at once, after those that wait.
func (l *LineWriter) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, line...)
	return len(line), l.flush()
}

// Flush writes the lines that wait.
func (l *LineWriter) Flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.flush()
}

func (l *LineWriter) flush() error {
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
	if len(l.waiting) == 0 {
		return nil
	}
	_, err := l.to.Write(l.waiting)
	l.waiting = l.waiting[:0]
	return err
}

// Later returns a writer whose lines wait for others, a tenth of a second at the most.
func (l *LineWriter) Later() io.Writer { return laterWriter{l} }

type laterWriter struct{ *LineWriter }

// Write implements io.Writer.
func (l laterWriter) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, line...)
	if len(l.waiting) >= waitingBytes {
		return len(line), l.flush()
	}
	if l.timer == nil {
		l.timer = time.AfterFunc(lineDelay, func() { l.Flush() })
	}
	return len(line), nil
}
