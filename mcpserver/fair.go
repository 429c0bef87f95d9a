package mcpserver

import (
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
// does not fit waits briefly, networks take turns, and when too many wait, the network with the
// most waiting loses its newest. So a network that sends more than its share delays and loses
// its own requests, not those of others.
type fairSemaphore struct {
	limits fairLimits

	mu       sync.Mutex
	held     int
	waiting  int
	networks map[netip.Prefix]*share
	turns    *list.List // of *share: those with waiting requests, the next one first
	idle     []*share   // for reuse
}

// A share is what one network holds and waits for.
type share struct {
	network netip.Prefix
	held    int
	waiting *list.List    // of *waiter, the oldest first
	turn    *list.Element // in turns, or nil
}

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
	return &fairSemaphore{limits: l, networks: make(map[netip.Prefix]*share), turns: list.New()}
}

// acquire waits for a place and reports whether there was one. Each place must be released.
func (s *fairSemaphore) acquire(ctx context.Context, network netip.Prefix) bool {
	s.mu.Lock()
	own := s.shareOf(network)
	if s.held < s.limits.total && own.held < s.limits.perNetwork && own.waiting.Len() == 0 {
		// A place is free, so that whoever waits has as many as its network may have.
		s.held++
		own.held++
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
	if own.turn == nil {
		own.turn = s.turns.PushBack(own)
	}
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

// release returns a place and passes it on.
func (s *fairSemaphore) release(network netip.Prefix) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.networks[network]
	s.held--
	own.held--
	for turn := s.turns.Front(); turn != nil && s.held < s.limits.total; {
		next := turn.Next()
		if sh := turn.Value.(*share); sh.held < s.limits.perNetwork {
			s.admitOldest(sh)
			next = s.turns.Front()
		}
		turn = next
	}
	s.forgetIfIdle(own)
}

// admitOldest admits the oldest waiting request of a network, whose next turn is then the last.
func (s *fairSemaphore) admitOldest(sh *share) {
	place := sh.waiting.Front()
	w := place.Value.(*waiter)
	s.held++
	sh.held++
	if s.remove(sh, place); sh.turn != nil {
		s.turns.MoveToBack(sh.turn)
	}
	w.state = admitted
	close(w.decided)
}

// makeRoom drops the newest waiting request of the network that has the most of them, and reports
// whether it did: not when that is the newcomer's own.
func (s *fairSemaphore) makeRoom(newcomer *share) bool {
	var longest *share
	for turn := s.turns.Front(); turn != nil; turn = turn.Next() {
		if sh := turn.Value.(*share); longest == nil || sh.waiting.Len() > longest.waiting.Len() {
			longest = sh
		}
	}
	if longest == nil || longest.waiting.Len() <= newcomer.waiting.Len()+1 {
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
	if sh.waiting.Len() == 0 {
		s.turns.Remove(sh.turn)
		sh.turn = nil
	}
}

func (s *fairSemaphore) shareOf(network netip.Prefix) *share {
	if sh, ok := s.networks[network]; ok {
		return sh
	}
	var sh *share
	if n := len(s.idle); n > 0 {
		sh, s.idle = s.idle[n-1], s.idle[:n-1]
	} else {
		sh = &share{waiting: list.New()}
	}
	sh.network = network
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
