package cln_test

import (
	"strings"
	"testing"
)

// TestReceive asks whether the node can be paid.
func TestReceive(t *testing.T) {
	f := newFake(t)
	n := f.node()
	if _, err := n.Receive(t.Context(), 100); err == nil || !strings.Contains(err.Error(), "cannot receive 100 sat") {
		t.Errorf("without capacity: %v", err) // the fake warns
	}
	f.set(func() { f.answer = func(made map[string]any) { delete(made, "warning_capacity") } })
	if note, err := n.Receive(t.Context(), 100); err != nil || note != "its channels can receive 100 sat" {
		t.Errorf("%q, %v", note, err)
	}
}
