package mcpserver

import (
	"context"
	"net/netip"
	"runtime"
	"time"
)

const (
	maxReading        = 4_096 // bodies that arrive at one time
	maxReadingNetwork = maxReading / 8
	maxWaiting        = 4_096 // requests that wait at one time, for any of the semaphores
	maxPaying         = 256   // calls of the paid tool at one time: they wait for a ledger and a node, not for a processor
)

// An admission holds the resources for which requests compete. Each is shared fairly among
// networks.
//
// A request reads its body first, which has a deadline of its own, and only then competes for a
// place to be worked on; it gives that back before its answer is written. So half a request, or a
// client that reads slowly, costs memory and no place.
type admission struct {
	reading *fairSemaphore // bodies that are arriving
	working *fairSemaphore // requests that are being answered
	paying  *fairSemaphore // calls of the paid tool
}

// defaultConcurrent is enough to keep every processor busy, with one to take over while another is put aside by the
// scheduler: free answers come from memory, so more at one time would only make all of them slower, and a newcomer
// would compete with all of those.
func defaultConcurrent() int { return max(4, 2*runtime.GOMAXPROCS(0)) }

func newAdmission(concurrent int, wait time.Duration) *admission {
	half := func(n int) int { return max(1, n/2) }
	return &admission{
		reading: newFairSemaphore(fairLimits{maxReading, maxReadingNetwork, maxWaiting, wait}),
		working: newFairSemaphore(fairLimits{concurrent, half(concurrent), maxWaiting, wait}),
		paying:  newFairSemaphore(fairLimits{maxPaying, half(maxPaying), maxWaiting, wait}),
	}
}

// A place is what a request holds of a semaphore.
type place struct {
	held    *fairSemaphore // nil: none
	network netip.Prefix
	since   time.Time
}

func (p *place) release() {
	if p.held != nil {
		p.held.release(p.network, time.Since(p.since))
		p.held = nil
	}
}

// exchange returns what is held, waits for a place of another semaphore, and reports whether there was one.
func (p *place) exchange(ctx context.Context, of *fairSemaphore) bool {
	p.release()
	if !of.acquire(ctx, p.network) {
		return false
	}
	p.held, p.since = of, time.Now()
	return true
}
