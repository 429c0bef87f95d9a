package client_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.almanac.example/http402/client"
	"go.almanac.example/http402/client/clienttest"
	"go.almanac.example/http402/journal"
	"go.almanac.example/http402/wallet"
)

// TestBudgets: the payment that fits is made, and the next one, which would go over by one satoshi, is not.
func TestBudgets(t *testing.T) {
	for _, tt := range []struct {
		name   string
		budget client.Budget
		reason client.Reason
		words  []string
	}{
		{"none", client.Budget{}, client.NoBudget, []string{"no payment is allowed"}},
		{"a payment", client.Budget{PerPayment: 99}, client.OverPayment, []string{"100 sat", "99 sat"}},
		{"a host and day", client.Budget{PerPayment: 100, PerHostDay: 199, PerDay: 1000}, client.OverHostDay, []string{"100 sat", "99 sat of the budget of 199 sat a day for 127.0.0.1"}},
		{"a day", client.Budget{PerPayment: 100, PerDay: 199}, client.OverDay, []string{"99 sat of the budget of 199 sat a day is left"}},
		{"all", client.Budget{PerPayment: 100, Total: 199}, client.OverTotal, []string{"99 sat of the budget of 199 sat in all is left"}},
		{"with the fee", client.Budget{PerPayment: 100, Total: 204, FeeLimit: 5}, client.OverTotal, []string{"105 sat with the fee limit"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newMarket(t, func(c *client.Config, s *clienttest.Seller) {
				c.Budget = tt.budget
				s.Credits = 1
			})
			paid := 0
			if tt.budget.PerPayment >= 100 {
				m.wantServed("/a")
				paid = 1
			}
			_, _, err := m.get("/a")
			wantRefusal(t, err, tt.reason, tt.words...)
			m.wantPayments(paid)
		})
	}
	if _, err := client.New(client.Config{Journal: new(journal.Journal), Budget: client.Budget{PerPayment: 1, PerDay: -1}}); err == nil {
		t.Error("a limit below 0 is none")
	}
	newMarket(t, func(c *client.Config, _ *clienttest.Seller) { // a limit above all there is
		c.Budget = client.Budget{PerPayment: math.MaxInt64, PerHostDay: math.MaxInt64, PerDay: math.MaxInt64, Total: math.MaxInt64, FeeLimit: 1}
	}).wantServed("/a")
}

// TestBudgetOfADay: a new day has a new budget, and the total goes on.
func TestBudgetOfADay(t *testing.T) {
	now := time.Date(2026, 11, 22, 23, 59, 0, 0, time.UTC)
	m := newMarket(t, func(c *client.Config, s *clienttest.Seller) {
		c.Now = func() time.Time { return now }
		c.Budget = client.Budget{PerPayment: 100, PerDay: 150, Total: 250}
		s.Credits = 1
		nodeOf(s).Now = c.Now
	})
	m.wantServed("/a")
	_, _, err := m.get("/a")
	wantRefusal(t, err, client.OverDay)
	now = now.Add(2 * time.Minute)
	m.wantServed("/a")
	now = now.AddDate(0, 0, 1)
	_, _, err = m.get("/a")
	wantRefusal(t, err, client.OverTotal)
	m.wantPayments(2)
}

// TestBudgetAtOnce: purchases at many sellers at the same time do not go over by one satoshi, with two processes on one journal.
func TestBudgetAtOnce(t *testing.T) {
	m := newMarket(t, func(c *client.Config, _ *clienttest.Seller) {
		c.Budget = client.Budget{PerPayment: 100, PerDay: 1000, FeeLimit: 3}
	})
	m.node.Fee = 3000
	clients := []*http.Client{m.http}
	m.open(func(c *client.Config, _ *clienttest.Seller) {
		c.Budget = client.Budget{PerPayment: 100, PerDay: 1000, FeeLimit: 3}
	})
	clients = append(clients, m.http)
	var refused atomic.Int32
	var urls []string
	for range 60 {
		srv := httptest.NewServer(&clienttest.Seller{T: t, Payee: m.node, Price: 100, Credits: 1})
		defer srv.Close()
		urls = append(urls, srv.URL)
	}
	i := atomic.Int32{}
	m.together(60, func() error {
		k := int(i.Add(1)) - 1
		resp, err := clients[k%2].Get(urls[k])
		var r *client.Refusal
		if errors.As(err, &r) && r.Reason == client.OverDay {
			refused.Add(1)
			return nil
		}
		if err != nil {
			return err
		}
		return resp.Body.Close()
	})
	n, msat, _ := m.node.Payments()
	if n != 9 || msat != 9*103_000 || refused.Load() != 51 {
		t.Errorf("%d payments of %d msat, %d refused; want 9 of 927000 msat", n, msat, refused.Load())
	}
}

// TestSetAside: while a payment is under way, its whole fee limit is set aside with it.
func TestSetAside(t *testing.T) {
	m := newMarket(t, func(c *client.Config, _ *clienttest.Seller) {
		c.Budget = client.Budget{PerPayment: 100, PerDay: 260, FeeLimit: 40}
	})
	began, finish := make(chan struct{}), make(chan struct{})
	m.node.Hooks(func(context.Context, wallet.Payment) (bool, error) {
		close(began)
		<-finish
		return true, nil
	}, nil)
	other := httptest.NewServer(&clienttest.Seller{T: t, Payee: m.node, Price: 100, Credits: 1})
	defer other.Close()
	done := make(chan error, 1)
	go func() {
		_, _, err := m.get("/a")
		done <- err
	}()
	<-began
	_, err := m.http.Get(other.URL) // 140 of the 260 are set aside, and 140 are needed
	wantRefusal(t, err, client.OverDay, "140 sat", "120 sat of the budget of 260 sat a day is left")
	close(finish)
	if err := <-done; err != nil {
		t.Error(err)
	}
	m.node.Hooks(nil, nil)
	resp, err := m.http.Get(other.URL) // 100 were spent, and 160 are left
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	m.wantPayments(2)
}

// TestFailedPayment frees what was set aside.
func TestFailedPayment(t *testing.T) {
	m := newMarket(t)
	m.node.Fee = 11_000 // above the limit of 10 sat
	_, _, err := m.get("/a")
	wantRefusal(t, err, client.PaymentFailed, "100 sat", "fee limit")
	if s, _, err := m.client.Spending(t.Context()); err != nil || s.Total != 0 {
		t.Errorf("%d msat are set aside (%v)", s.Total, err)
	}
	m.node.Fee = 9000
	m.wantServed("/a")
	if s, _, err := m.client.Spending(t.Context()); err != nil || s.Total != 109_000 || s.Day != 109_000 {
		t.Errorf("spent %+v (%v), want 109000 msat", s, err)
	}
}

// TestApprove: who says no prevents the payment, and sees what it would have been.
func TestApprove(t *testing.T) {
	var seen client.Quote
	m := newMarket(t, func(c *client.Config, _ *clienttest.Seller) {
		c.Approve = func(_ context.Context, o client.Quote) error { seen = o; return errors.New("only shown") }
	})
	_, _, err := m.get("/a?q=1")
	wantRefusal(t, err, client.Declined, "only shown")
	if seen.AmountMilliSats != 100_000 || seen.Resource != "/a" || seen.Scheme != "L402" || seen.Network != "regtest" || seen.FeeLimitMilliSats != 10_000 {
		t.Errorf("offer %+v", seen)
	}
	m.wantPayments(0)
}

// TestUnknownOutcome: while it is not known whether a payment was made, no other is, and its price stays set aside. When the wallet
// answers again, the same payment is found, also by a call that may not pay: that one orders nothing, and says its own reason.
func TestUnknownOutcome(t *testing.T) {
	for _, tt := range []struct {
		name string
		paid bool
	}{{"it was paid", true}, {"it was not", false}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel() // the client asks its wallet for a while
			m := newMarket(t)
			lost := errors.New("the connection broke")
			m.node.Hooks(func(context.Context, wallet.Payment) (bool, error) { return tt.paid, lost }, func(context.Context) error { return lost })
			for range 2 {
				_, _, err := m.get("/a")
				wantRefusal(t, err, client.Pending)
			}
			if s, _, err := m.client.Spending(t.Context()); err != nil || s.Total != 110_000 {
				t.Errorf("%d msat are set aside (%v), want 110000", s.Total, err)
			}
			m.node.Hooks(nil, nil)
			m.reopen(func(c *client.Config, _ *clienttest.Seller) {
				c.Approve = func(context.Context, client.Quote) error { return errors.New("only shown") }
				if !tt.paid {
					c.Wallet = nil
				}
			})
			if tt.paid {
				m.wantServed("/a")
			} else {
				_, _, err := m.get("/a")
				wantRefusal(t, err, client.Declined)
				m.reopen(func(c *client.Config, _ *clienttest.Seller) { c.Budget.PerPayment = 99 })
				_, _, err = m.get("/a")
				wantRefusal(t, err, client.OverPayment)
				m.wantPayments(0)
				m.reopen()
			}
			again := false
			m.node.Hooks(func(_ context.Context, p wallet.Payment) (bool, error) { again = p.Again; return true, nil }, nil)
			m.wantServed("/a")
			m.wantPayments(1)
			if s, _, err := m.client.Spending(t.Context()); err != nil || s.Total != 100_000 || again == tt.paid {
				t.Errorf("%d msat are spent (%v), want 100000; ordered again: %t", s.Total, err, again)
			}
		})
	}
}

// TestLostOrder: a payment that the wallet never heard of is given up when its invoice has expired, and not before.
func TestLostOrder(t *testing.T) {
	now := time.Now()
	clock := func() time.Time { return now }
	m := newMarket(t, func(c *client.Config, s *clienttest.Seller) { c.Now, nodeOf(s).Now = clock, clock })
	m.node.Hooks(func(context.Context, wallet.Payment) (bool, error) { return false, errors.New("lost") }, nil)
	_, _, err := m.get("/a")
	wantRefusal(t, err, client.Pending)
	m.node.Hooks(nil, nil)
	dear := httptest.NewServer(&clienttest.Seller{T: t, Payee: m.node, Price: usual.PerPayment + 1, Credits: 1})
	defer dear.Close()
	check := func(want int64) {
		t.Helper()
		_, err := m.http.Get(dear.URL) // a purchase elsewhere asks about the unfinished one
		wantRefusal(t, err, client.OverPayment)
		if s, _, err := m.client.Spending(t.Context()); err != nil || s.Total != want {
			t.Errorf("%d msat are set aside (%v), want %d", s.Total, err, want)
		}
	}
	now = now.Add(15*time.Minute + 30*time.Second)
	check(110_000) // the order may still arrive
	now = now.Add(time.Minute)
	check(110_000) // the wallet that got it last may still look for a route
	now = now.Add(time.Minute)
	check(0)
	m.wantPayments(0)
}

// TestAnotherWallet: a payment that was begun with one wallet is not ordered from another, nor given up because that one
// never heard of it, also when its invoice has expired: the first may have paid. A proof ends it, whoever shows that.
func TestAnotherWallet(t *testing.T) {
	now := time.Now()
	m := newMarket(t, func(c *client.Config, s *clienttest.Seller) {
		c.WalletName, c.Now = "lnd:one", func() time.Time { return now }
		nodeOf(s).Now = c.Now
	})
	m.node.Hooks(func(context.Context, wallet.Payment) (bool, error) { return true, errors.New("lost") },
		func(context.Context) error { return errors.New("lost") })
	_, _, err := m.get("/a")
	wantRefusal(t, err, client.Pending)
	m.node.Hooks(nil, nil)
	stranger := clienttest.NewNode()
	m.reopen(func(c *client.Config, _ *clienttest.Seller) {
		c.WalletName, c.Wallet, c.Now = "lnd:two", stranger, func() time.Time { return now }
	})
	for range 2 {
		_, _, err = m.get("/a")
		wantRefusal(t, err, client.Pending, "the wallet lnd:one", "almanac forget ")
		now = now.Add(time.Hour)
	}
	if s, _, err := m.client.Spending(t.Context()); err != nil || s.Total != 110_000 {
		t.Errorf("%d msat are set aside (%v), want 110000", s.Total, err)
	}
	if n, _, orders := stranger.Payments(); n+orders != 0 {
		t.Errorf("the other wallet had %d orders", orders)
	}
	m.reopen(func(c *client.Config, _ *clienttest.Seller) { c.WalletName = "lnd:three" })
	m.wantServed("/a")
	m.wantPayments(1)
}

// TestLatePreimage: a wallet that says that it paid and shows the preimage only when it is asked again is asked, and nothing
// is paid twice.
func TestLatePreimage(t *testing.T) {
	m := newMarket(t)
	m.open(func(c *client.Config, _ *clienttest.Seller) { c.Wallet = zerosWallet{m.node} })
	m.wantServed("/a")
	m.wantPayments(1)
}

// A zerosWallet answers an order that it carried out with a preimage of zeros.
type zerosWallet struct{ *clienttest.Node }

func (w zerosWallet) Pay(ctx context.Context, p wallet.Payment) (wallet.Outcome, error) {
	out, err := w.Node.Pay(ctx, p)
	out.Preimage = [32]byte{}
	return out, err
}

// TestLyingWallet: a preimage of another payment is not kept as proof, whatever the wallet says when it is asked again.
func TestLyingWallet(t *testing.T) {
	for _, later := range []wallet.Status{wallet.Succeeded, wallet.Failed} {
		testLyingWallet(t, liarWallet{later})
	}
}

func testLyingWallet(t *testing.T, liar liarWallet) {
	m := newMarket(t, func(c *client.Config, _ *clienttest.Seller) { c.Wallet = liar })
	_, _, err := m.get("/a")
	wantRefusal(t, err, client.WalletFault, "preimage")
	open, err := m.client.Journal().Receipts(t.Context())
	if err != nil || len(open) != 1 || open[0].State != journal.Paying || open[0].Preimage != "" {
		t.Errorf("%+v (%v), want one payment under way", open, err)
	}
}

type liarWallet struct{ later wallet.Status }

func (liarWallet) Pay(context.Context, wallet.Payment) (wallet.Outcome, error) {
	return wallet.Outcome{Status: wallet.Succeeded}, nil
}

func (w liarWallet) Track(context.Context, [32]byte) (wallet.Outcome, error) {
	return wallet.Outcome{Status: w.later}, nil
}

// TestNoSecrets: what is printed of a credential is not the credential.
func TestNoSecrets(t *testing.T) {
	m := newMarket(t)
	m.wantServed("/a")
	cred := m.client.Find(t.Context(), m.url, "/a")
	if text := fmt.Sprintf("%v %s %+v", cred, cred, cred.LogValue()); strings.Contains(text, cred.Value()) || strings.Contains(text, strings.Split(cred.Value(), ":")[1]) {
		t.Errorf("printed as %s", text)
	}
}
