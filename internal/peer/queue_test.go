package peer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func network(n int) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(n >> 8), byte(n), 0}), 24)
}

// fill takes n places for a network.
func fill(t *testing.T, q *Queue, net netip.Prefix, n int) (places []*Place) {
	t.Helper()
	for i := range n {
		p := q.Enter(t.Context(), net)
		if p == nil {
			t.Fatalf("place %d of %d was refused", i+1, n)
		}
		places = append(places, p)
	}
	return places
}

// empty fails unless nothing is remembered.
func empty(t *testing.T, s *Queue) {
	t.Helper()
	if s.taken != 0 || s.waiting != 0 || len(s.networks) != 0 || len(s.ready.shares) != 0 || len(s.loaded.shares) != 0 {
		t.Errorf("%d taken, %d waiting, %d networks, %d of them ready", s.taken, s.waiting, len(s.networks), len(s.ready.shares))
	}
}

// TestNetworkHasAShare: one network does not get every place, and another gets one at once.
func TestNetworkHasAShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewQueue(QueueLimits{Total: 4, PerNetwork: 2, Waiting: 10, Wait: time.Second})
		places := fill(t, s, network(1), 2)
		start := time.Now()
		if s.Enter(t.Context(), network(1)) != nil || time.Since(start) != time.Second {
			t.Errorf("a place beyond the share after %s", time.Since(start))
		}
		start = time.Now()
		if places = append(places, fill(t, s, network(2), 1)...); time.Since(start) != 0 {
			t.Errorf("another network waited %s", time.Since(start))
		}
		for _, p := range places {
			p.Leave()
			p.Leave()
		}
		empty(t, s)
	})
}

// TestNetworksTakeTurns: a network that waits with one request passes one that waits with many.
func TestNetworksTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewQueue(QueueLimits{Total: 1, PerNetwork: 1, Waiting: 100, Wait: time.Hour})
		first := fill(t, s, network(0), 1)[0]
		var order []int
		var wg sync.WaitGroup
		wait := func(n int) {
			wg.Go(func() {
				if p := s.Enter(t.Context(), network(n)); p != nil {
					order = append(order, n) // one at a time holds the place
					p.Leave()
				}
			})
			synctest.Wait()
		}
		for range 5 {
			wait(1)
		}
		wait(2)
		wait(3)
		first.Leave()
		wg.Wait()
		if got, want := fmt.Sprint(order), "[1 2 3 1 1 1 1]"; got != want {
			t.Errorf("admitted in the order %s, want %s", got, want)
		}
		empty(t, s)
	})
}

// TestLongestQueueIsCut: when too many wait, the network with the most waiting loses its newest
// and a newcomer waits in its place; a newcomer of that network is refused at once.
func TestLongestQueueIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewQueue(QueueLimits{Total: 1, PerNetwork: 1, Waiting: 4, Wait: time.Hour})
		first := fill(t, s, network(0), 1)[0]
		var got [4]atomic.Bool
		var ended [4]atomic.Bool
		var wg sync.WaitGroup
		for i := range got {
			wg.Go(func() {
				p := s.Enter(t.Context(), network(1))
				got[i].Store(p != nil)
				ended[i].Store(true)
				p.Leave()
			})
			synctest.Wait()
		}
		if s.Enter(t.Context(), network(1)) != nil {
			t.Error("a fifth request was admitted")
		}
		wg.Go(func() {
			p := s.Enter(t.Context(), network(2))
			if p == nil {
				t.Error("a newcomer of another network was refused")
			}
			p.Leave()
		})
		synctest.Wait()
		for i := range got {
			if last := i == len(got)-1; ended[i].Load() != last || got[i].Load() {
				t.Errorf("request %d: ended %v, admitted %v", i, ended[i].Load(), got[i].Load())
			}
		}
		first.Leave()
		wg.Wait()
		empty(t, s)
	})
}

// TestWaitEndsWithTheClient: a client that leaves while waiting holds nothing.
func TestWaitEndsWithTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewQueue(QueueLimits{Total: 1, PerNetwork: 1, Waiting: 4, Wait: time.Hour})
		first := fill(t, s, network(0), 1)[0]
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if s.Enter(ctx, network(1)) != nil {
			t.Error("admitted although no place was free")
		}
		first.Leave()
		empty(t, s)
	})
}

// TestQueueHoldsItsLimits runs many requests of many networks, some of which give up.
func TestQueueHoldsItsLimits(t *testing.T) {
	limits := QueueLimits{Total: 5, PerNetwork: 3, Waiting: 20, Wait: time.Millisecond}
	s := NewQueue(limits)
	var held, most atomic.Int64
	var wg sync.WaitGroup
	for worker := range 60 {
		wg.Go(func() {
			net := network(worker % 7)
			for range 200 {
				p := s.Enter(t.Context(), net)
				if p == nil {
					continue
				}
				n := held.Add(1)
				for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
				}
				for range rand.IntN(100) {
					_ = fmt.Sprint(worker)
				}
				held.Add(-1)
				p.Leave()
			}
		})
	}
	wg.Wait()
	if most.Load() > int64(limits.Total) {
		t.Errorf("%d were held at once", most.Load())
	}
	empty(t, s)
}

// TestNewcomerIsNext: however many requests of some networks wait, a request of another network is admitted with the
// next place that is given back.
func TestNewcomerIsNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewQueue(QueueLimits{Total: 4, PerNetwork: 2, Waiting: 4_096, Wait: time.Hour})
		places := append(fill(t, s, network(1), 2), fill(t, s, network(2), 2)...)
		time.Sleep(time.Millisecond)
		var wg sync.WaitGroup
		for i := range 2_000 {
			wg.Go(func() {
				if p := s.Enter(t.Context(), network(1+i%2)); p != nil {
					time.Sleep(time.Millisecond)
					p.Leave()
				}
			})
		}
		synctest.Wait()
		for _, p := range places { // they take turns for a while
			p.Leave()
		}
		time.Sleep(100 * time.Millisecond)
		start := time.Now()
		newcomer := s.Enter(t.Context(), network(3))
		if newcomer == nil {
			t.Fatal("the newcomer was refused")
		}
		if waited := time.Since(start); waited > time.Millisecond {
			t.Errorf("the newcomer waited %s; calls take 1ms", waited)
		}
		newcomer.Leave()
		wg.Wait()
		empty(t, s)
	})
}

// TestNetworksShareTime: a network whose calls take long gets as much time as one whose calls are short, not as many calls.
func TestNetworksShareTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewQueue(QueueLimits{Total: 1, PerNetwork: 1, Waiting: 1_000, Wait: time.Hour})
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
		defer stop()
		var used [3]time.Duration
		var wg sync.WaitGroup
		for i, takes := range []time.Duration{100 * time.Millisecond, 10 * time.Millisecond, time.Millisecond} {
			for range 20 { // so that each network always has requests waiting
				wg.Go(func() {
					for ctx.Err() == nil {
						p := s.Enter(ctx, network(i))
						if p == nil {
							return
						}
						time.Sleep(takes)
						used[i] += takes // one at a time holds the place
						p.Leave()
					}
				})
			}
		}
		wg.Wait()
		for i, d := range used {
			if third := 10 * time.Second / 3; d < third-200*time.Millisecond || d > third+200*time.Millisecond {
				t.Errorf("network %d taken the place for %s of 10s, want a third", i, d)
			}
		}
		empty(t, s)
	})
}

// TestEvictionTakesTheOldestOfTheLargest: when no place is free, the network that holds most loses its oldest, a network over its
// share loses its own, and a client that left is not told.
func TestEvictionTakesTheOldestOfTheLargest(t *testing.T) {
	q := NewQueue(QueueLimits{Total: 6, PerNetwork: 3})
	var evicted []string
	places := make(map[string]*Place)
	enter := func(n int, name string) {
		p := q.EnterEvictable(network(n), func() { evicted = append(evicted, name) })
		if p == nil {
			t.Fatalf("%s was refused", name)
		}
		places[name] = p
	}
	for _, name := range []string{"a1", "a2", "a3", "a4"} { // the fourth is over the share
		enter(1, name)
	}
	enter(2, "b1")
	enter(2, "b2")
	enter(3, "c1") // six places were taken; the first network holds three
	enter(4, "d1")
	enter(5, "e1") // two networks hold two: the one that was admitted last keeps them
	enter(6, "f1")
	if got, want := fmt.Sprint(evicted), "[a1 a2 a3 b1]"; got != want {
		t.Errorf("evicted %s, want %s", got, want)
	}
	if !places["a1"].Evicted() || places["a4"].Evicted() {
		t.Error("the places do not say whether they were taken")
	}
	for _, p := range places {
		p.Leave()
		p.Leave()
	}
	if len(evicted) != 4 {
		t.Errorf("%d were evicted after all had left", len(evicted)-4)
	}
	empty(t, q)
}

// TestEvictionFavoursNewcomers: three thousand networks that never finish cannot keep another one out.
func TestEvictionFavoursNewcomers(t *testing.T) {
	q := NewQueue(QueueLimits{Total: 4_096, PerNetwork: 512})
	all := make(map[*Place]bool)
	for i := range 9_000 {
		p := q.EnterEvictable(network(i%3_000), func() {})
		if p == nil {
			t.Fatalf("request %d was refused", i)
		}
		all[p] = true
	}
	honest := q.EnterEvictable(network(5_000), func() {})
	for i := range 3_000 { // each comes again once before the honest client is done
		all[q.EnterEvictable(network(i), func() {})] = true
	}
	if honest == nil || honest.Evicted() {
		t.Error("the honest request lost its place within a round of the others")
	}
	honest.Leave()
	for p := range all {
		p.Leave()
	}
	empty(t, q)
}
