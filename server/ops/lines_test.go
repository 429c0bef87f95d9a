package ops

import (
	"bytes"
	"io"
	"log/slog"
	"strings"
	"testing"
)

// A lineRecorder hands on what is written at once, to somebody who may not read.
type lineRecorder struct{ writes chan string }

func (r lineRecorder) Write(p []byte) (int, error) { r.writes <- string(p); return len(p), nil }

// TestLineWriter: lines are written in their order, and one that must not wait takes those before it along.
func TestLineWriter(t *testing.T) {
	r := lineRecorder{make(chan string, 1000)}
	l := NewLineWriter(r)
	later := l.Delayed()
	io.WriteString(later, "one\n")
	io.WriteString(later, "two\n")
	io.WriteString(l, "now\n")
	if got := <-r.writes; got != "one\ntwo\nnow\n" {
		t.Errorf("written: %q", got)
	}
	io.WriteString(later, "three\n")
	l.Flush()
	if got := <-r.writes; got != "three\n" {
		t.Errorf("flushed: %q", got)
	}
	io.WriteString(later, "four\n")
	if got := <-r.writes; got != "four\n" { // by itself
		t.Errorf("written after a while: %q", got)
	}
	l.Flush()
	long := strings.Repeat("x", 999) + "\n"
	for range 100 {
		io.WriteString(later, long)
	}
	l.Flush()
	close(r.writes)
	var written strings.Builder
	for w := range r.writes {
		written.WriteString(w)
	}
	if written.String() != strings.Repeat(long, 100) || l.Dropped() != 0 {
		t.Errorf("lines were lost or changed; %d dropped", l.Dropped())
	}
}

// TestUnreadLog: a log that nothing reads stops nobody. The queue is bounded, requests leave room in it for other
// lines, and the number of dropped ones is told when they can be written again.
func TestUnreadLog(t *testing.T) {
	r := lineRecorder{make(chan string)} // every write waits
	l := NewLineWriter(r)
	l.Report(slog.New(slog.NewTextHandler(l, nil)))
	io.WriteString(l, "first\n")
	access := strings.Repeat("a", 99) + "\n"
	for range 3 * queueBytes / len(access) {
		io.WriteString(l.Delayed(), access)
	}
	io.WriteString(l, "an error\n")
	if l.Dropped() == 0 {
		t.Error("nothing was dropped")
	}
	l.Flush() // ends all the same
	var written bytes.Buffer
	for !strings.Contains(written.String(), "were dropped") {
		written.WriteString(<-r.writes)
	}
	if !strings.HasPrefix(written.String(), "first\n") || !strings.Contains(written.String(), "an error\n") {
		t.Error("other lines than those of requests were dropped")
	}
	if n := written.Len(); n > queueBytes+len(access)*10 {
		t.Errorf("%d bytes were queued", n)
	}
}
