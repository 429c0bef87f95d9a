package l402_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"time"

	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"
)

// proxied makes a shop believe X-Forwarded-For.
func (s *shop) proxied() *shop {
	s.middleware.Proxies = []netip.Prefix{prefix("127.0.0.0/8"), prefix("10.0.0.0/8")}
	return s
}

func limits(l l402.ChallengeLimits) func(*l402.Config) { return func(c *l402.Config) { c.Limits = l } }

// TestChallengesAreLimited lets one network ask for all that it can have, over HTTP.
//
// docs/cases.md, C45.
func TestChallengesAreLimited(t *testing.T) {
	// Strangers have 28, of which 7 are not for one network: it has 7 of the others, since each may have no more than what
	// it leaves unused.
	few := limits(l402.ChallengeLimits{Rate: 1e6, Outstanding: 56, Proven: 50})
	s := openShop(t, few).proxied()
	b := s.pay(func() (string, string) { a := s.from("198.51.100.1"); return a.problem.Macaroon, a.problem.Invoice }())
	s.clock.Step(l402.InvoiceExpiry)
	calls := s.node.calls.Load()

	for i, ip := range []string{"203.0.113.1", "203.0.113.2", "203.0.113.255", "6.6.6.6, 203.0.113.9", "203.0.113.1", "203.0.113.1", "203.0.113.1"} {
		auth := []string{"", "L402 junk", bearer(std(b.raw), b.hash.String())}[i%3]
		if a := s.from(ip, auth); a.StatusCode != 402 {
			t.Fatalf("challenge %d: %d", i, a.StatusCode)
		}
	}
	for _, ip := range []string{"203.0.113.1", "1.2.3.4, 203.0.113.77", "7.7.7.7,203.0.113.3, 10.1.2.3"} {
		a := s.from(ip)
		s.wantRefusal(a, 429, problem.RateLimited)
		if a.Header.Get("Retry-After") != "60" || a.Header.Get("Cache-Control") != "no-store" {
			t.Fatalf("headers: %v", a.Header)
		}
	}
	if got := s.node.calls.Load() - calls; got != 7 {
		t.Fatalf("the node was asked %d times, want 7", got)
	}

	// Others are not affected: neither networks, nor who has paid, nor who proves to have paid before.
	for i := range 5 {
		if a := s.from(fmt.Sprintf("2001:%x::1", 0xdb8+i)); a.StatusCode != 402 {
			t.Fatalf("another network, %d: %d", i, a.StatusCode)
		}
	}
	s.wantServed(s.from("203.0.113.1", b.header()), 99)
	s.wantChallenge(s.from("203.0.113.1", b.narrowed("almanac_credits=0").header()), problem.CreditsExhausted)

	s.clock.Step(l402.InvoiceExpiry)
	if a := s.from("203.0.113.1"); a.StatusCode != 402 {
		t.Fatalf("after the invoices expired: %d", a.StatusCode)
	}

	// Without a trusted proxy the header is a stranger's claim.
	s = openShop(t, few)
	for i := range 7 {
		s.wantChallenge(s.from(fmt.Sprintf("203.0.%d.1", i)), problem.PaymentRequired)
	}
	s.wantRefusal(s.from("192.0.2.99"), 429, problem.RateLimited)
	if n := strings.Count(s.log.String(), "A PROXY THAT IS NOT TRUSTED"); n != 1 {
		t.Errorf("%d warnings of a proxy that is not trusted, want 1", n)
	}
}

// TestHeadIsChallenged: HEAD is refused with the headers of GET, among them a challenge that can be paid, and takes from
// the same limits.
func TestHeadIsChallenged(t *testing.T) {
	s := openShop(t, limits(l402.ChallengeLimits{Rate: 1e6, Outstanding: 56, Proven: 50}))
	b := s.buy()
	for _, header := range []string{"", "L402 x", b.narrowed("almanac_credits=0").header()} {
		head, get := s.do("HEAD", "/v1/search?q=a", header), s.do("GET", "/v1/search?q=a", header)
		for name := range get.Header {
			if head.StatusCode != get.StatusCode || len(head.Header[name]) != len(get.Header[name]) {
				t.Errorf("%q: %d %s: %q, GET: %d %q", header, head.StatusCode, name, head.Header[name], get.StatusCode, get.Header[name])
			}
		}
		if len(head.body) > 0 || head.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("%q: %v %s", header, head.Header, head.body)
		}
	}
	status := 0
	for range 100 {
		if status = s.do("HEAD", "/v1/search?q=a").StatusCode; status != 402 {
			break
		}
	}
	if status != 429 {
		t.Errorf("after many: %d, want 429", status)
	}
}

// network returns the i-th network of a block of networks: an IPv6 /48 in the b-th /32.
func network(b, i int) netip.Addr {
	return netip.AddrFrom16([16]byte{0x20, byte(b >> 16), byte(b >> 8), byte(b), byte(i >> 8), byte(i), 15: 1})
}

// TestChallengesAreShared takes challenges in every way that a client can choose, and holds the rules: never more than
// the bound in all; a client alone has a good part, and whatever others have taken, a newcomer has one, as long as
// there are fewer of them than challenges. The second half is for newcomers that come back.
func TestChallengesAreShared(t *testing.T) {
	const outstanding = 1000 // half of them
	for name, tt := range map[string]struct {
		flood    func(i int) netip.Addr // the i-th request
		least    int                    // that the flood has
		newcomer int                    // blocks that can have one challenge each after it
	}{
		"one network":                  {func(int) netip.Addr { return network(1, 1) }, 300, 500},
		"one block of 65536 networks":  {func(i int) netip.Addr { return network(1, i) }, 450, 250},
		"ten blocks, one network each": {func(i int) netip.Addr { return network(i%10, 1) }, 450, 50},
		"ten blocks of many networks":  {func(i int) netip.Addr { return network(i%10, i) }, 800, 50},
		"a hundred blocks":             {func(i int) netip.Addr { return network(i%100, i) }, 950, 5},
		"an IPv4 /24":                  {func(i int) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, byte(i)}) }, 300, 500},
		"no address at all":            {func(int) netip.Addr { return netip.Addr{} }, 300, 500},
	} {
		t.Run(name, func(t *testing.T) {
			s := openShop(t, limits(l402.ChallengeLimits{Rate: 1e6, Outstanding: 2*outstanding + outstanding/2, Proven: 20}))
			has := 0
			for i := range 200_000 {
				if s.paywall.Take(tt.flood(i)) {
					has++
				}
			}
			if has < tt.least || has >= outstanding {
				t.Errorf("the flood has %d of %d, want at least %d", has, outstanding, tt.least)
			}
			for i := range tt.newcomer {
				if !s.paywall.Take(network(1<<16+i, 1)) {
					t.Fatalf("newcomer %d of %d has none, of %d", i, tt.newcomer, outstanding-has)
				}
				has++
			}
			for i := range 10_000 {
				if s.paywall.Take(network(1<<20+i, 1)) {
					has++
				}
			}
			if has > outstanding {
				t.Errorf("%d challenges are outstanding, the bound is %d", has, outstanding)
			}
			for later := time.Duration(0); later < 3*time.Second; later += time.Second {
				for i := range 2 * outstanding {
					if s.paywall.TakeAt(network(1<<22+i, 1), s.clock.Now().Add(later)) {
						has++
					}
				}
			}
			if has < 2*outstanding-10 || has > 2*outstanding {
				t.Errorf("%d challenges are outstanding after newcomers came back, the bound is %d", has, 2*outstanding)
			}
			s.clock.Step(-time.Hour) // a clock that is set back by more than an invoice's time does not lock
			if !s.paywall.Take(tt.flood(0)) {
				t.Error("none after the clock was set back")
			}
		})
	}
}

// TestFloodOfChallenges floods a paywall with 2,000 requests a second for 30 seconds from the 65,536 networks of one
// block. Every honest network has its challenge at once, the node is asked for no more than the rate, and clients that
// have paid are not affected.
func TestFloodOfChallenges(t *testing.T) {
	s := openShop(t, limits(l402.DefaultLimits()))
	b := s.buy()
	random := rand.New(rand.NewPCG(1, 2))
	start := noon.Add(time.Hour)
	perSecond := make(map[int]int)
	honest := 0
	for i := range 60_000 {
		now := start.Add(time.Duration(i) * 500 * time.Microsecond)
		if s.paywall.TakeAt(network(1, random.IntN(1<<16)), now) {
			perSecond[i/2000]++
		}
		if i%200 == 0 { // 10 a second, each in a block of its own
			if !s.paywall.TakeAt(network(1000+i, 7), now) {
				t.Fatalf("after %s an honest network has no challenge", now.Sub(start))
			}
			perSecond[i/2000]++
			honest++
		}
		if i%4000 == 0 && !s.paywall.TakeProven(b.hash, now) {
			t.Fatalf("after %s a client that has paid before has no challenge", now.Sub(start))
		}
	}
	for second, n := range perSecond {
		if n > l402.DefaultLimits().Rate {
			t.Errorf("in second %d the node was asked %d times", second, n)
		}
	}
	t.Logf("%d honest networks; challenges a second: %v", honest, perSecond)
}

// TestFailedInvoicesAreNotOutstanding holds that a node that is down uses up nobody's challenges.
func TestFailedInvoicesAreNotOutstanding(t *testing.T) {
	s := openShop(t, limits(l402.ChallengeLimits{Rate: 1e6, Outstanding: 10, Proven: 20}))
	s.node.breakDown(l402.ErrNodeUnavailable)
	for range 100 {
		s.wantRefusal(s.search1(), 503, problem.NodeUnavailable)
	}
	s.node.recover()
	s.wantChallenge(s.search1(), problem.PaymentRequired)
}

// TestProvenClientsHaveTheirOwn holds that strangers cannot take the challenges of clients that have paid, and that one
// of these cannot take those of the others.
func TestProvenClientsHaveTheirOwn(t *testing.T) {
	s := openShop(t, limits(l402.ChallengeLimits{Rate: 1e6, Outstanding: 100, Proven: 30}))
	one, other := s.buy(), s.buy()
	spent := func(b bought) string { return b.narrowed("almanac_credits=0").header() }
	for s.paywall.Take(addr("127.0.0.1")) {
	}
	s.wantRefusal(s.search1(), 429, problem.RateLimited)
	has := 0
	for s.search1(spent(one)).StatusCode == 402 {
		has++
	}
	if has < 10 || has > 20 {
		t.Errorf("one has %d of 30", has)
	}
	s.wantChallenge(s.search1(spent(other)), problem.CreditsExhausted)
	client, _, _ := s.listenGRPC()
	_, err := client.Check(with("authorization", other.narrowed("almanac_valid_until=1").header()), question)
	if _, _, reason := challengeOf(t, err); reason != problem.CredentialExpired {
		t.Errorf("gRPC: %v", err)
	}
	_, refused := s.paywall.Spend(t.Context(), l402.Request{Credential: spent(other)})
	if _, err := s.paywall.Challenge(t.Context(), addr("127.0.0.1"), refused); err != nil {
		t.Errorf("MCP: %v", err)
	}
	if a := s.search1(bearer(std(one.raw), other.preimage.String())); a.StatusCode != 429 {
		t.Errorf("a proof of nothing: %d", a.StatusCode)
	}
}
