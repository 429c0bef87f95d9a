package mcpserver

import (
	"container/heap"
	"container/list"
	"context"
	"net/netip"
	"sync"
	"time"
)

// fairLimits are those of a fairSemaphore.
type fairLimits struct {
	total      int           // held at one time
	perNetwork int           // held at one time by one network
	waiting    int           // requests that wait at one time
	wait       time.Duration // longest wait
}

// A fairSemaphore admits a bounded number of requests at one time, fairly among networks: whoever
// does not fit waits briefly, and a place goes to the network that has held places for the shortest
// time (start-time fair queueing), so that a call costs its network the time that it takes. When too
// many wait, the network with the most waiting loses its newest. So a network that sends more than
// its share, or what takes long, delays and loses its own requests, not those of others.
type fairSemaphore struct {
	limits fairLimits

	mu       sync.Mutex
	held     int
	waiting  int
	networks map[netip.Prefix]*share
	ready    readyQueue    // networks with waiting requests that may have another place
	level    time.Duration // what the network that was admitted last had used: where newcomers begin
	turns    uint64        // given so far
	idle     []*share      // for reuse
}

// A share is what one network holds and waits for.
type share struct {
	network netip.Prefix
	held    int
	waiting *list.List    // of *waiter, the oldest first
	used    time.Duration // for which it has held places, beginning at the level
	turn    uint64        // orders those who have used as much
	at      int           // in readyQueue, or notReady
}

const notReady = -1

type waiter struct {
	decided chan struct{} // closed once admitted or dropped is set
	state   waitState
}

type waitState int

const (
	undecided waitState = iota
	admitted
	dropped
)

func newFairSemaphore(l fairLimits) *fairSemaphore {
	return &fairSemaphore{limits: l, networks: make(map[netip.Prefix]*share)}
}

// acquire waits for a place and reports whether there was one. Each place must be released.
func (s *fairSemaphore) acquire(ctx context.Context, network netip.Prefix) bool {
	s.mu.Lock()
	own := s.shareOf(network)
	if s.held < s.limits.total && own.held < s.limits.perNetwork && own.waiting.Len() == 0 {
		// A place is free, so that whoever waits has as many as its network may have.
		s.admit(own)
		s.mu.Unlock()
		return true
	}
	if s.waiting >= s.limits.waiting && !s.makeRoom(own) {
		s.forgetIfIdle(own)
		s.mu.Unlock()
		return false
	}
	w := &waiter{decided: make(chan struct{})}
	place := own.waiting.PushBack(w)
	s.waiting++
	s.queue(own)
	s.mu.Unlock()

	timeout := time.NewTimer(s.limits.wait)
	defer timeout.Stop()
	select {
	case <-w.decided:
	case <-timeout.C:
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.state == undecided {
		s.remove(own, place)
		s.forgetIfIdle(own)
	}
	return w.state == admitted
}

// release returns a place that was held for some time, and passes it on.
func (s *fairSemaphore) release(network netip.Prefix, held time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.networks[network]
	s.held--
	own.held--
	own.used += held
	s.queue(own)
	for s.held < s.limits.total && len(s.ready) > 0 {
		s.admitOldest(s.ready[0])
	}
	s.forgetIfIdle(own)
}

// admit counts a place as held by a network.
func (s *fairSemaphore) admit(sh *share) {
	s.held++
	sh.held++
	s.level = max(s.level, sh.used)
	s.turns++
	sh.turn = s.turns
}

// admitOldest admits the oldest waiting request of a network.
func (s *fairSemaphore) admitOldest(sh *share) {
	place := sh.waiting.Front()
	w := place.Value.(*waiter)
	s.admit(sh)
	s.remove(sh, place)
	w.state = admitted
	close(w.decided)
}

// makeRoom drops the newest waiting request of the network that has the most of them, and reports
// whether it did: not when that is the newcomer's own.
func (s *fairSemaphore) makeRoom(newcomer *share) bool {
	longest := newcomer
	for _, sh := range s.networks {
		if n := sh.waiting.Len(); n > longest.waiting.Len() || n == longest.waiting.Len() && sh.turn < longest.turn {
			longest = sh
		}
	}
	if longest.waiting.Len() <= newcomer.waiting.Len()+1 {
		return false
	}
	place := longest.waiting.Back()
	w := place.Value.(*waiter)
	s.remove(longest, place)
	w.state = dropped
	close(w.decided)
	return true
}

// remove takes a request out of those that wait.
func (s *fairSemaphore) remove(sh *share, place *list.Element) {
	sh.waiting.Remove(place)
	s.waiting--
	s.queue(sh)
}

// queue puts a network where it belongs in the queue, or takes it out.
func (s *fairSemaphore) queue(sh *share) {
	isReady := sh.waiting.Len() > 0 && sh.held < s.limits.perNetwork
	switch {
	case isReady && sh.at == notReady:
		heap.Push(&s.ready, sh)
	case isReady:
		heap.Fix(&s.ready, sh.at)
	case sh.at != notReady:
		heap.Remove(&s.ready, sh.at)
	}
}

// shareOf returns the share of a network. One that held and waited for nothing begins at the level, with neither
// credit nor debt.
func (s *fairSemaphore) shareOf(network netip.Prefix) *share {
	if sh, ok := s.networks[network]; ok {
		return sh
	}
	var sh *share
	if n := len(s.idle); n > 0 {
		sh, s.idle = s.idle[n-1], s.idle[:n-1]
	} else {
		sh = &share{waiting: list.New(), at: notReady}
	}
	s.turns++
	sh.network, sh.used, sh.turn = network, s.level, s.turns
	s.networks[network] = sh
	return sh
}

const maxIdle = 64 // shares kept for reuse

// forgetIfIdle keeps nothing of a network that holds and waits for nothing.
func (s *fairSemaphore) forgetIfIdle(sh *share) {
	if sh.held > 0 || sh.waiting.Len() > 0 {
		return
	}
	delete(s.networks, sh.network)
	if len(s.idle) < maxIdle {
		s.idle = append(s.idle, sh)
	}
}

// A readyQueue is a heap of the networks that may be admitted; the first has used least.
type readyQueue []*share

func (q readyQueue) Len() int { return len(q) }

func (q readyQueue) Less(i, j int) bool {
	if q[i].used != q[j].used {
		return q[i].used < q[j].used
	}
	return q[i].turn < q[j].turn
}

func (q readyQueue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].at, q[j].at = i, j
}

// Push appends a network for package heap.
func (q *readyQueue) Push(x any) {
	sh := x.(*share)
	sh.at = len(*q)
	*q = append(*q, sh)
}

// Pop removes the last network for package heap.
func (q *readyQueue) Pop() any {
	last := len(*q) - 1
	sh := (*q)[last]
	*q, sh.at = (*q)[:last], notReady
	return sh
}
