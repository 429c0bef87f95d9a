package ops

import (
	"io"
	"slices"
	"strings"
	"testing"
)

// A lineRecorder remembers what was written at once.
type lineRecorder struct{ writes chan string }

func (r lineRecorder) Write(p []byte) (int, error) { r.writes <- string(p); return len(p), nil }

// TestLineWriter holds that lines are written in their order, that one which must not wait takes those before it along,
// and that no line waits for good or without a bound.
func TestLineWriter(t *testing.T) {
	r := lineRecorder{make(chan string, 100)}
	l := NewLineWriter(r)
	later := l.Delayed()
	io.WriteString(later, "one\n")
	io.WriteString(later, "two\n")
	io.WriteString(l, "now\n")
	if got := <-r.writes; got != "one\ntwo\nnow\n" {
		t.Errorf("written: %q", got)
	}
	io.WriteString(later, "three\n")
	if err := l.Flush(); err != nil {
		t.Fatal(err)
	}
	if got := <-r.writes; got != "three\n" {
		t.Errorf("flushed: %q", got)
	}
	io.WriteString(later, "four\n")
	if got := <-r.writes; got != "four\n" { // by itself
		t.Errorf("written after a while: %q", got)
	}
	if err := l.Flush(); err != nil || len(r.writes) > 0 {
		t.Errorf("%v, %d writes of nothing", err, len(r.writes))
	}

	long := strings.Repeat("x", 999) + "\n"
	for range 100 {
		io.WriteString(later, long)
	}
	l.Flush()
	close(r.writes)
	written := slices.Collect(func(yield func(string) bool) {
		for w := range r.writes {
			yield(w)
		}
	})
	if strings.Join(written, "") != strings.Repeat(long, 100) {
		t.Error("lines were lost, or changed")
	}
	for _, w := range written {
		if len(w) > waitingBytes+len(long) {
			t.Errorf("%d bytes waited", len(w))
		}
	}
}
