package peer

import (
	"cmp"
	"container/heap"
	"container/list"
	"context"
	"math"
	"net/netip"
	"sync"
	"time"
)

// QueueLimits bound a Queue.
type QueueLimits struct {
	Total      int           // places; 0: unlimited
	PerNetwork int           // places of one network
	Waiting    int           // requests that wait at one time; 0: a request that does not fit evicts another or is refused
	Wait       time.Duration // longest wait
}

// A Queue admits a bounded number of requests at one time, fairly among networks. It shares out everything that is
// scarce: processors, the paid tool, the memory of requests whose clients are slow, and connections. Its operations
// take O(log n) of the number of networks. It is safe for concurrent use.
//
// Calls beyond it wait, and a place goes to the network that has had places for the shortest time (start-time
// fair queueing), so that a call costs its network the time that it takes. When too many wait, the network with the
// most waiting loses its newest. Requests that wait for their own clients do not queue: the oldest of the network that
// holds most gives way to the newcomer, because an honest client is done within a round trip. So a network that sends
// more than its share, or asks for long work, delays and loses its own requests, not those of others.
type Queue struct {
	limits QueueLimits

	mu       sync.Mutex
	taken    int
	waiting  int
	networks map[netip.Prefix]*share
	ready    shareHeap     // networks with waiting requests that may have another place; the first has used least
	loaded   shareHeap     // networks that can lose a request; the first can lose most
	level    time.Duration // what the network admitted last had used: where newcomers begin
	turns    uint64        // given so far
}

// A Place is a request's place in a Queue.
type Place struct {
	queue    *Queue
	share    *share // nil: left or evicted
	since    time.Time
	evict    func()
	inShare  *list.Element // of share.evictable
	wasTaken bool          // evicted
}

// A share is the part of one network.
type share struct {
	network   netip.Prefix
	taken     int
	waiting   list.List     // of waiter, the oldest first
	evictable list.List     // of *Place, the oldest first
	used      time.Duration // for which it has had places, beginning at the level
	turn      uint64        // orders those who have used as much
	at        [2]int        // in Queue.ready and Queue.loaded, or absent
}

const absent = -1

// load returns the number of requests that the network can lose.
func (sh *share) load() int { return sh.waiting.Len() + sh.evictable.Len() }

// A waiter receives once whether it was admitted; false means that it was dropped.
type waiter chan bool

// NewQueue returns an empty queue.
func NewQueue(l QueueLimits) *Queue {
	l.Total = cmp.Or(l.Total, math.MaxInt)
	return &Queue{
		limits: l, networks: make(map[netip.Prefix]*share),
		ready: shareHeap{index: 0, before: func(a, b *share) bool {
			return a.used < b.used || a.used == b.used && a.turn < b.turn
		}},
		loaded: shareHeap{index: 1, before: func(a, b *share) bool {
			return a.load() > b.load() || a.load() == b.load() && a.turn < b.turn
		}},
	}
}

// Enter waits for a place, at most as long as the limits and ctx allow. It returns nil when there is none.
func (q *Queue) Enter(ctx context.Context, network netip.Prefix) *Place {
	q.mu.Lock()
	own := q.shareOf(network)
	if q.taken < q.limits.Total && own.taken < q.limits.PerNetwork && own.waiting.Len() == 0 {
		// A place is free, so each network that waits has as many as it may have.
		defer q.mu.Unlock()
		return q.admit(own)
	}
	if q.waiting >= q.limits.Waiting && !q.dropNewest(own) {
		q.forgetIdle(own)
		q.mu.Unlock()
		return nil
	}
	w := make(waiter, 1)
	position := own.waiting.PushBack(w)
	q.waiting++
	q.order(own)
	q.mu.Unlock()

	ctx, cancel := context.WithTimeout(ctx, q.limits.Wait)
	defer cancel()
	var isAdmitted bool
	select {
	case isAdmitted = <-w:
	case <-ctx.Done():
		isAdmitted = q.withdraw(own, position)
	}
	if !isAdmitted {
		return nil
	}
	return &Place{queue: q, share: own, since: time.Now()}
}

// withdraw takes a request out of those that wait, and reports whether it was admitted before.
func (q *Queue) withdraw(own *share, position *list.Element) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case isAdmitted := <-position.Value.(waiter):
		return isAdmitted
	default:
	}
	q.removeWaiter(own, position)
	q.forgetIdle(own)
	return false
}

// EnterEvictable returns a place at once. If none is free, it evicts the oldest evictable place of the network that
// holds most, or of the newcomer's own network if that has its share already; it returns nil if there is none to evict.
// evict tells the holder. It is called with the queue locked and must not block; it is never called after Leave.
func (q *Queue) EnterEvictable(network netip.Prefix, evict func()) *Place {
	q.mu.Lock()
	defer q.mu.Unlock()
	own := q.shareOf(network)
	victim := own
	switch {
	case own.taken >= q.limits.PerNetwork:
	case q.taken < q.limits.Total:
		victim = nil
	case len(q.loaded.shares) > 0 && q.loaded.shares[0].evictable.Len() > own.evictable.Len():
		victim = q.loaded.shares[0]
	}
	if victim != nil && !q.evictOldest(victim) {
		q.forgetIdle(own)
		return nil
	}
	p := q.admit(own)
	p.evict = evict
	p.inShare = own.evictable.PushBack(p)
	q.order(own)
	if victim != nil && victim != own {
		q.forgetIdle(victim)
	}
	return p
}

// Evict evicts the oldest evictable place of the network that holds most, if there is one.
func (q *Queue) Evict() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.loaded.shares) > 0 {
		victim := q.loaded.shares[0]
		q.evictOldest(victim)
		q.forgetIdle(victim)
	}
}

// Leave returns the place; the time since it was had is charged to the network. Further calls do nothing.
func (p *Place) Leave() {
	if p == nil {
		return
	}
	q := p.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	own := p.share
	if own == nil {
		return
	}
	q.remove(p)
	for q.taken < q.limits.Total && len(q.ready.shares) > 0 {
		next := q.ready.shares[0]
		q.count(next)
		q.decide(next, next.waiting.Front(), true)
	}
	q.forgetIdle(own)
}

// Evicted reports whether the place was taken for another request.
func (p *Place) Evicted() bool {
	p.queue.mu.Lock()
	defer p.queue.mu.Unlock()
	return p.wasTaken
}

// admit returns a new place of a network.
func (q *Queue) admit(sh *share) *Place {
	q.count(sh)
	q.order(sh)
	return &Place{queue: q, share: sh, since: time.Now()}
}

// count counts a place of a network.
func (q *Queue) count(sh *share) {
	q.taken++
	sh.taken++
	q.level = max(q.level, sh.used)
	q.turns++
	sh.turn = q.turns
}

// dropNewest drops the newest waiting request of the network that has the most of them, and reports whether it did: not
// when that is the newcomer's own.
func (q *Queue) dropNewest(newcomer *share) bool {
	longest := newcomer
	if len(q.loaded.shares) > 0 {
		longest = q.loaded.shares[0]
	}
	if longest.waiting.Len() <= newcomer.waiting.Len()+1 {
		return false
	}
	q.decide(longest, longest.waiting.Back(), false)
	return true
}

// evictOldest takes the oldest evictable place of a network, and reports whether there was one.
func (q *Queue) evictOldest(sh *share) bool {
	oldest := sh.evictable.Front()
	if oldest == nil {
		return false
	}
	p := oldest.Value.(*Place)
	q.remove(p)
	p.wasTaken = true
	p.evict()
	return true
}

// remove takes back a place.
func (q *Queue) remove(p *Place) {
	own := p.share
	q.taken--
	own.taken--
	own.used += time.Since(p.since)
	if p.inShare != nil {
		own.evictable.Remove(p.inShare)
	}
	p.share = nil
	q.order(own)
}

// decide admits or drops a request that waits.
func (q *Queue) decide(sh *share, position *list.Element, isAdmitted bool) {
	q.removeWaiter(sh, position)
	position.Value.(waiter) <- isAdmitted
}

// removeWaiter takes a request out of those that wait.
func (q *Queue) removeWaiter(sh *share, position *list.Element) {
	sh.waiting.Remove(position)
	q.waiting--
	q.order(sh)
}

// order puts a network into its positions in the heaps.
func (q *Queue) order(sh *share) {
	q.ready.place(sh, sh.waiting.Len() > 0 && sh.taken < q.limits.PerNetwork)
	q.loaded.place(sh, sh.load() > 0)
}

// shareOf returns the share of a network. A new one begins at the level, with neither credit nor debt.
func (q *Queue) shareOf(network netip.Prefix) *share {
	if sh, ok := q.networks[network]; ok {
		return sh
	}
	q.turns++
	sh := &share{network: network, used: q.level, turn: q.turns, at: [2]int{absent, absent}}
	q.networks[network] = sh
	return sh
}

// forgetIdle forgets a network that neither holds nor waits for a place.
func (q *Queue) forgetIdle(sh *share) {
	if sh.taken == 0 && sh.waiting.Len() == 0 && q.networks[sh.network] == sh {
		delete(q.networks, sh.network)
	}
}

// A shareHeap is a heap of networks that knows the position of each.
type shareHeap struct {
	shares []*share
	index  int // in share.at
	before func(a, b *share) bool
}

// place puts a network where it belongs, or takes it out.
func (h *shareHeap) place(sh *share, belongs bool) {
	switch at := sh.at[h.index]; {
	case belongs && at == absent:
		heap.Push(h, sh)
	case belongs:
		heap.Fix(h, at)
	case at != absent:
		heap.Remove(h, at)
	}
}

// Len implements heap.Interface.
func (h *shareHeap) Len() int { return len(h.shares) }

// Less implements heap.Interface.
func (h *shareHeap) Less(i, j int) bool { return h.before(h.shares[i], h.shares[j]) }

// Swap implements heap.Interface.
func (h *shareHeap) Swap(i, j int) {
	h.shares[i], h.shares[j] = h.shares[j], h.shares[i]
	h.shares[i].at[h.index], h.shares[j].at[h.index] = i, j
}

// Push implements heap.Interface.
func (h *shareHeap) Push(x any) {
	sh := x.(*share)
	sh.at[h.index] = len(h.shares)
	h.shares = append(h.shares, sh)
}

// Pop implements heap.Interface.
func (h *shareHeap) Pop() any {
	last := len(h.shares) - 1
	sh := h.shares[last]
	h.shares, sh.at[h.index] = h.shares[:last], absent
	return sh
}
