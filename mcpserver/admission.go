package mcpserver

import (
	"context"
	"net/netip"
	"runtime"
	"time"

	"almanac/peer"
)

// An Admission shares out the resources for which requests compete, fairly among networks. One of a program outlives the endpoints
// that a reload replaces.
//
// A request waits for its client twice: while its body arrives and while its answer leaves. Both are evictable, so half a request
// and a client that reads slowly cost others nothing, over however many connections or HTTP/2 streams they come. In between, the
// request competes for a place to be worked on.
type Admission struct {
	clients *peer.Queue // requests that wait for their clients
	working *peer.Queue // requests that are being answered
	paying  *peer.Queue // calls of the paid tool, which wait for a ledger and a node, not for a processor
}

const (
	maxClients = 4_096
	maxWaiting = 4_096 // for a processor or the paid tool
	maxPaying  = 256
	maxWait    = 3 * time.Second
)

// NewAdmission returns the admission of a program. concurrent is how many requests are worked on at one time; 0 means 2 for each
// processor, 4 at least: free answers come from memory, so more would only make all of them slower. wait is how long a request waits
// for a place; 0 means 3 seconds.
func NewAdmission(concurrent int, wait time.Duration) *Admission {
	if concurrent == 0 {
		concurrent = max(4, 2*runtime.GOMAXPROCS(0))
	}
	if wait == 0 {
		wait = maxWait
	}
	shared := func(n int) *peer.Queue {
		return peer.NewQueue(peer.QueueLimits{Total: n, PerNetwork: max(1, n/2), Waiting: maxWaiting, Wait: wait})
	}
	return &Admission{
		clients: peer.NewQueue(peer.QueueLimits{Total: maxClients, PerNetwork: maxClients / 8}),
		working: shared(concurrent),
		paying:  shared(maxPaying),
	}
}

// A turn is the place of a request that is being worked on.
type turn struct {
	network netip.Prefix
	place   *peer.Place
}

// exchange leaves the place, waits for one of another queue, and reports whether there was one.
func (t *turn) exchange(ctx context.Context, q *peer.Queue) bool {
	t.place.Leave()
	t.place = q.Enter(ctx, t.network)
	return t.place != nil
}

func (t *turn) end() { t.place.Leave() }

// endAfter lets the place go when done is closed, since the work goes on although nobody waits for it.
func (t *turn) endAfter(done <-chan struct{}) {
	place := t.place
	t.place = nil
	go func() {
		<-done
		place.Leave()
	}()
}
