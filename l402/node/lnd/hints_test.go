package lnd_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.almanac.example/l402/node"
	"go.almanac.example/l402/node/invoicertest"
)

// TestRouteHints: channels that are not announced are named if the node has no announced one, or if that cannot be
// asked.
func TestRouteHints(t *testing.T) {
	public, private := `{"channels":[{"private":false}]}`, `{"channels":[{"private":true}]}`
	for _, tt := range []struct {
		name     string
		channels string
		want     bool
	}{
		{"no right to ask", "", true},
		{"an announced channel", public, false},
		{"no announced channel", private, true},
		{"no channel", `{"channels":[]}`, true},
		{"an answer that is none", `<html>`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			f.channels = tt.channels
			n := f.node()
			for _, want := range []bool{tt.want, tt.want} {
				if _, err := n.AddInvoice(t.Context(), invoicertest.Request()); err != nil {
					t.Fatal(err)
				}
				var got bool
				f.set(func() { got = f.body["private"] == true })
				if got != want {
					t.Errorf("private channels are named: %t, want %t", got, want)
				}
			}
			if got := f.count("/v1/channels"); got > 1 {
				t.Errorf("asked for channels %d times within the hour", got)
			}
		})
	}
}

// TestRouteHintsFollow: a node that gets an announced channel is noticed within the hour.
func TestRouteHintsFollow(t *testing.T) {
	f := newFake(t)
	f.channels = `{"channels":[]}`
	n := f.node()
	for _, want := range []bool{true, false} {
		if _, err := n.AddInvoice(t.Context(), invoicertest.Request()); err != nil {
			t.Fatal(err)
		}
		f.set(func() {
			if got := f.body["private"] == true; got != want {
				t.Errorf("private channels are named: %t, want %t", got, want)
			}
			f.channels = `{"channels":[{"private":false}]}`
		})
		f.now.advance(time.Hour)
	}
}

// TestRouteHintsDelayNobody: while the node does not say which channels it has, other invoices are made.
func TestRouteHintsDelayNobody(t *testing.T) {
	f := newFake(t)
	asked, answered := make(chan struct{}), make(chan struct{})
	f.channels, f.asking = `{"channels":[{"private":false}]}`, func() { close(asked); <-answered }
	n := f.node()
	first := make(chan error)
	go func() { _, err := n.AddInvoice(t.Context(), invoicertest.Request()); first <- err }()
	<-asked
	if _, err := n.AddInvoice(t.Context(), invoicertest.Request()); err != nil {
		t.Error(err)
	}
	close(answered)
	if err := <-first; err != nil {
		t.Error(err)
	}
}

// TestNoMacaroons: an lnd that runs with no-macaroons tells everybody the preimages of unpaid invoices, and is refused.
func TestNoMacaroons(t *testing.T) {
	f := newFake(t)
	f.open = true
	n := f.node()
	_, err := n.AddInvoice(t.Context(), invoicertest.Request())
	wantFault(t, f, err, node.ReasonReadable, "macaroon")
	f.now.advance(4 * time.Second)
	if err := n.Ready(t.Context()); !errors.Is(err, node.ErrReadable) {
		t.Errorf("Ready: %v", err)
	}
	f.set(func() { f.open, f.lookup = false, "" })
	f.now.advance(4 * time.Second)
	if err := n.Ready(t.Context()); err != nil {
		t.Errorf("Ready when lnd asks for macaroons: %v", err)
	}
}

// TestMacaroonReload: a reload reads the macaroon again, before the node has refused the old one.
func TestMacaroonReload(t *testing.T) {
	f := newFake(t)
	n := f.node()
	f.newMacaroon()
	if err := n.Reload(); err != nil {
		t.Fatal(err)
	}
	f.write(f.macFile, nil)
	if _, err := n.AddInvoice(t.Context(), invoicertest.Request()); err != nil {
		t.Errorf("after the reload: %v", err)
	}
	if err := n.Reload(); err == nil {
		t.Error("a reload of an empty file says nothing")
	}
	if err := os.Remove(filepath.Clean(f.certFile)); err != nil {
		t.Fatal(err)
	}
	if err := n.Reload(); err == nil {
		t.Error("a reload without a certificate says nothing")
	}
}
