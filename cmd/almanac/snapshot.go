package main

import (
	"net/http"
	"sync/atomic"

	"almanac/catalog"
	"almanac/index"
)

// A snapshot is everything that is built from one load of the data. Nothing below this package
// knows of reload: a new snapshot is built beside the old one and takes its place in one step,
// and the old one is closed when its last request has ended.
type snapshot struct {
	cat     *catalog.Catalog
	search  *searchIndex
	handler http.Handler
	refs    refs
}

// A searchIndex may serve several snapshots of the same data.
type searchIndex struct {
	*index.Index
	refs refs
}

func (s *searchIndex) drop() {
	if s.refs.drop() {
		s.Close()
	}
}

func (s *snapshot) drop() {
	if s.refs.drop() {
		s.search.drop()
	}
}

// refs counts the users of something that is closed when the last one leaves. The zero value
// has one user, its maker.
type refs struct{ extra atomic.Int64 } // users besides the first; -1: closed

// take adds a user, unless the last one has left.
func (r *refs) take() bool {
	for {
		n := r.extra.Load()
		if n < 0 {
			return false
		}
		if r.extra.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// drop removes a user, and tells whether it was the last.
func (r *refs) drop() bool { return r.extra.Add(-1) < 0 }

// current is the snapshot that requests use now.
type current struct{ p atomic.Pointer[snapshot] }

// take gives the current snapshot, which the caller must drop.
func (c *current) take() *snapshot {
	for {
		s := c.p.Load()
		if s.refs.take() {
			return s
		}
	}
}

// swap puts s in place and lets go of the one before.
func (c *current) swap(s *snapshot) {
	if old := c.p.Swap(s); old != nil {
		old.drop()
	}
}

// ServeHTTP answers from the snapshot that is current when the request arrives.
func (c *current) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := c.take()
	defer s.drop()
	s.handler.ServeHTTP(w, r)
}
