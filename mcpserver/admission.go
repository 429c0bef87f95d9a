package mcpserver

import (
	"net/netip"
	"runtime"
	"time"
)

const (
	maxReading        = 4_096 // bodies that arrive at one time
	maxReadingNetwork = maxReading / 8
	maxWaiting        = 4_096 // requests that wait at one time, for either semaphore
	paidPerWorking    = 16    // calls of the paid tool wait for a ledger and a node, not for a processor
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

// defaultConcurrent is enough to keep every processor busy: free answers come from memory, so more
// at one time would only make all of them slower.
func defaultConcurrent() int { return max(16, 4*runtime.GOMAXPROCS(0)) }

func newAdmission(concurrent int, wait time.Duration) *admission {
	half := func(n int) int { return max(1, n/2) }
	return &admission{
		reading: newFairSemaphore(fairLimits{maxReading, maxReadingNetwork, maxWaiting, wait}),
		working: newFairSemaphore(fairLimits{concurrent, half(concurrent), maxWaiting, wait}),
		paying:  newFairSemaphore(fairLimits{paidPerWorking * concurrent, half(paidPerWorking * concurrent), maxWaiting, wait}),
	}
}

// A place is what a request holds of a semaphore.
type place struct {
	held    *fairSemaphore // nil: none
	network netip.Prefix
}

func (p *place) release() {
	if p.held != nil {
		p.held.release(p.network)
		p.held = nil
	}
}
