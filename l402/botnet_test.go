package l402_test

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"go.almanac.example/l402"
)

// address4 returns the IPv4 address with a number.
func address4(n uint32) netip.Addr {
	return netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, n)))
}

// bots returns random addresses of so many IPv4 /16 blocks: of any host in them, or of one host each.
func bots(blocks uint32, oneHost bool) func(*rand.Rand) netip.Addr {
	return func(r *rand.Rand) netip.Addr {
		block := r.Uint32N(blocks) * (65536 / blocks) << 16
		if oneHost {
			return address4(block | 7<<8 | 1)
		}
		return address4(block | r.Uint32N(1<<16))
	}
}

// TestBotnets floods two replicas with 2,000 requests a second for 130 seconds, while 5 newcomers a second come from
// anywhere in IPv4, and ask again after a second for 5 seconds, of either replica. 95 % of them have a challenge, except
// while each of 3,000 networks that never rest takes its first, and the nodes are asked for no more than the rate.
func TestBotnets(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	for name, tt := range map[string]struct {
		attacker func(*rand.Rand) netip.Addr
		percent  int
	}{
		"any address":                     {func(r *rand.Rand) netip.Addr { return address4(r.Uint32()) }, 95},
		"50,000 blocks":                   {bots(50_000, false), 95},
		"50,000 blocks, one host of each": {bots(50_000, true), 95},
		"3,000 blocks":                    {bots(3000, false), 95},
		"3,000 blocks, one host of each":  {bots(3000, true), 80},
		"60 blocks":                       {bots(60, false), 95},
		"60 blocks, one host of each":     {bots(60, true), 95},
		"8 blocks, one host of each":      {bots(8, true), 95},
		"2 blocks, one host of each":      {bots(2, true), 95},
		"one /24":                         {func(r *rand.Rand) netip.Addr { return address4(9<<24 | r.Uint32N(256)) }, 95},
	} {
		t.Run(name, func(t *testing.T) {
			f := &flood{random: rand.New(rand.NewPCG(1, 2)), now: noon}
			for range 2 {
				f.replicas = append(f.replicas, openShop(t, limits(l402.DefaultLimits())))
			}
			f.run(tt.attacker, 130)
			slices.Sort(f.waited)
			t.Logf("%d of %d newcomers have a challenge, half of them at once or after %d s; the flood has %d; %d were made in the worst second",
				len(f.waited), f.came, f.waited[len(f.waited)/2], f.had, f.worst)
			if len(f.waited) < f.came*tt.percent/100 {
				t.Errorf("want %d %%", tt.percent)
			}
			if most := 2 * l402.DefaultLimits().Rate; f.worst > most {
				t.Errorf("%d in one second, the bound is %d", f.worst, most)
			}
		})
	}
}

// TestOneNetworkIsFreeAgain floods from one network for a quarter of an hour. Its neighbours have challenges meanwhile,
// and it has one itself seconds after it stops.
func TestOneNetworkIsFreeAgain(t *testing.T) {
	s := openShop(t, limits(l402.DefaultLimits()))
	now, had := noon, 0
	for i := range 15 * 60 * 1000 {
		now = now.Add(time.Millisecond)
		if s.paywall.TakeAt(addr("198.51.100.7"), now) {
			had++
		}
		if i%10_000 == 0 && !s.paywall.TakeAt(address4(198<<24|51<<16|uint32(i/10_000)<<8), now) {
			t.Fatalf("a neighbour has none, after %d requests of the flood", i)
		}
	}
	for wait := 0; !s.paywall.TakeAt(addr("198.51.100.8"), now); wait++ {
		if now = now.Add(time.Second); wait == 10 {
			t.Fatalf("the network has none 10 seconds after the flood, in which it had %d", had)
		}
	}
}

// A flood asks replicas for challenges, beside newcomers.
type flood struct {
	replicas []*shop
	random   *rand.Rand
	now      time.Time

	had, worst int   // challenges of the flood, and of all in the worst second
	came       int   // newcomers
	waited     []int // seconds, of those that have a challenge
}

func (f *flood) ask(addr netip.Addr) bool {
	return f.replicas[f.random.IntN(len(f.replicas))].paywall.TakeAt(addr, f.now)
}

func (f *flood) run(attacker func(*rand.Rand) netip.Addr, seconds int) {
	type visit struct {
		addr  netip.Addr
		tries int
	}
	made, visits := 0, map[int][]visit{} // by millisecond
	for ms := range seconds * 1000 {
		f.now = f.now.Add(time.Millisecond)
		if ms%1000 == 0 {
			f.worst, made = max(f.worst, made), 0
		}
		for range 2 {
			if f.ask(attacker(f.random)) {
				f.had++
				made++
			}
		}
		if ms%200 == 0 && ms < (seconds-5)*1000 {
			visits[ms] = append(visits[ms], visit{address4(f.random.Uint32()), 0})
			f.came++
		}
		for _, v := range visits[ms] {
			if f.ask(v.addr) {
				f.waited = append(f.waited, v.tries)
				made++
			} else if v.tries < 4 {
				visits[ms+1000] = append(visits[ms+1000], visit{v.addr, v.tries + 1})
			}
		}
		delete(visits, ms)
	}
}
