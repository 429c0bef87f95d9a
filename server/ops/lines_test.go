package ops

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
)

// A lineRecorder hands on what is written at once, to somebody who may not read.
type lineRecorder struct{ writes chan string }

func (r lineRecorder) Write(p []byte) (int, error) { r.writes <- string(p); return len(p), nil }

// TestLineWriter: lines are written in their order, several at once.
func TestLineWriter(t *testing.T) {
	r := lineRecorder{make(chan string, 1000)}
	l := NewLineWriter(r)
	var want strings.Builder
	for i := range 1000 {
		line := fmt.Sprintf("%d\n", i)
		want.WriteString(line)
		io.WriteString([]io.Writer{l, l.Requests()}[i%2], line)
	}
	l.Flush()
	var written strings.Builder
	writes := len(r.writes) // an empty one may follow
	for range writes {
		written.WriteString(<-r.writes)
	}
	if written.String() != want.String() || l.Dropped() != 0 {
		t.Errorf("lines were lost or changed; %d dropped", l.Dropped())
	}
	if writes > 100 {
		t.Errorf("%d writes", writes)
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
		io.WriteString(l.Requests(), access)
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
