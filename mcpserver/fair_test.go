package mcpserver

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

// fill acquires n places for a network.
func fill(t *testing.T, s *fairSemaphore, net netip.Prefix, n int) {
	t.Helper()
	for i := range n {
		if !s.acquire(t.Context(), net) {
			t.Fatalf("place %d of %d was refused", i+1, n)
		}
	}
}

// empty fails unless nothing is remembered.
func empty(t *testing.T, s *fairSemaphore) {
	t.Helper()
	if s.held != 0 || s.waiting != 0 || len(s.networks) != 0 || len(s.ready) != 0 {
		t.Errorf("%d held, %d waiting, %d networks, %d of them ready", s.held, s.waiting, len(s.networks), len(s.ready))
	}
}

// TestNetworkHasAShare: one network does not get every place, and another gets one at once.
func TestNetworkHasAShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFairSemaphore(fairLimits{total: 4, perNetwork: 2, waiting: 10, wait: time.Second})
		fill(t, s, network(1), 2)
		start := time.Now()
		if s.acquire(t.Context(), network(1)) || time.Since(start) != time.Second {
			t.Errorf("a place beyond the share after %s", time.Since(start))
		}
		start = time.Now()
		if fill(t, s, network(2), 1); time.Since(start) != 0 {
			t.Errorf("another network waited %s", time.Since(start))
		}
		s.release(network(1), 0)
		s.release(network(1), 0)
		s.release(network(2), 0)
		empty(t, s)
	})
}

// TestNetworksTakeTurns: a network that waits with one request passes one that waits with many.
func TestNetworksTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFairSemaphore(fairLimits{total: 1, perNetwork: 1, waiting: 100, wait: time.Hour})
		fill(t, s, network(0), 1)
		var order []int
		var wg sync.WaitGroup
		wait := func(n int) {
			wg.Go(func() {
				if s.acquire(t.Context(), network(n)) {
					order = append(order, n) // one at a time holds the place
					s.release(network(n), 0)
				}
			})
			synctest.Wait()
		}
		for range 5 {
			wait(1)
		}
		wait(2)
		wait(3)
		s.release(network(0), 0)
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
		s := newFairSemaphore(fairLimits{total: 1, perNetwork: 1, waiting: 4, wait: time.Hour})
		fill(t, s, network(0), 1)
		var got [4]atomic.Bool
		var ended [4]atomic.Bool
		var wg sync.WaitGroup
		for i := range got {
			wg.Go(func() {
				got[i].Store(s.acquire(t.Context(), network(1)))
				ended[i].Store(true)
				if got[i].Load() {
					s.release(network(1), 0)
				}
			})
			synctest.Wait()
		}
		if s.acquire(t.Context(), network(1)) {
			t.Error("a fifth request was admitted")
		}
		wg.Go(func() {
			if !s.acquire(t.Context(), network(2)) {
				t.Error("a newcomer of another network was refused")
				return
			}
			s.release(network(2), 0)
		})
		synctest.Wait()
		for i := range got {
			if last := i == len(got)-1; ended[i].Load() != last || got[i].Load() {
				t.Errorf("request %d: ended %v, admitted %v", i, ended[i].Load(), got[i].Load())
			}
		}
		s.release(network(0), 0)
		wg.Wait()
		empty(t, s)
	})
}

// TestWaitEndsWithTheClient: whoever leaves while waiting holds nothing.
func TestWaitEndsWithTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFairSemaphore(fairLimits{total: 1, perNetwork: 1, waiting: 4, wait: time.Hour})
		fill(t, s, network(0), 1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if s.acquire(ctx, network(1)) {
			t.Error("admitted although no place was free")
		}
		s.release(network(0), 0)
		empty(t, s)
	})
}

// TestFairSemaphoreHoldsItsLimits runs many requests of many networks, some of which give up.
func TestFairSemaphoreHoldsItsLimits(t *testing.T) {
	limits := fairLimits{total: 5, perNetwork: 3, waiting: 20, wait: time.Millisecond}
	s := newFairSemaphore(limits)
	var held, most atomic.Int64
	var wg sync.WaitGroup
	for worker := range 60 {
		wg.Go(func() {
			net := network(worker % 7)
			for range 200 {
				if !s.acquire(t.Context(), net) {
					continue
				}
				n := held.Add(1)
				for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
				}
				for range rand.IntN(100) {
					_ = fmt.Sprint(worker)
				}
				held.Add(-1)
				s.release(net, 0)
			}
		})
	}
	wg.Wait()
	if most.Load() > int64(limits.total) {
		t.Errorf("%d were held at once", most.Load())
	}
	empty(t, s)
}

// TestNewcomerIsNext: however many requests of some networks wait, a request of another network is admitted with the
// next place that is given back.
func TestNewcomerIsNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFairSemaphore(fairLimits{total: 4, perNetwork: 2, waiting: 4_096, wait: time.Hour})
		fill(t, s, network(1), 2)
		fill(t, s, network(2), 2)
		time.Sleep(time.Millisecond)
		var wg sync.WaitGroup
		for i := range 2_000 {
			wg.Go(func() {
				if net := network(1 + i%2); s.acquire(t.Context(), net) {
					time.Sleep(time.Millisecond)
					s.release(net, time.Millisecond)
				}
			})
		}
		synctest.Wait()
		for range 2 { // they take turns for a while
			s.release(network(1), time.Millisecond)
			s.release(network(2), time.Millisecond)
		}
		time.Sleep(100 * time.Millisecond)
		start := time.Now()
		if !s.acquire(t.Context(), network(3)) {
			t.Fatal("the newcomer was refused")
		}
		if waited := time.Since(start); waited > time.Millisecond {
			t.Errorf("the newcomer waited %s; calls take 1ms", waited)
		}
		s.release(network(3), 0)
		wg.Wait()
		empty(t, s)
	})
}

// TestNetworksShareTime: a network whose calls take long gets as much time as one whose calls are short, not as many calls.
func TestNetworksShareTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFairSemaphore(fairLimits{total: 1, perNetwork: 1, waiting: 1_000, wait: time.Hour})
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
		defer stop()
		var used [3]time.Duration
		var wg sync.WaitGroup
		for i, takes := range []time.Duration{100 * time.Millisecond, 10 * time.Millisecond, time.Millisecond} {
			for range 20 { // so that each network always has requests waiting
				wg.Go(func() {
					for ctx.Err() == nil && s.acquire(ctx, network(i)) {
						time.Sleep(takes)
						used[i] += takes // one at a time holds the place
						s.release(network(i), takes)
					}
				})
			}
		}
		wg.Wait()
		for i, d := range used {
			if third := 10 * time.Second / 3; d < third-200*time.Millisecond || d > third+200*time.Millisecond {
				t.Errorf("network %d held the place for %s of 10s, want a third", i, d)
			}
		}
		empty(t, s)
	})
}
