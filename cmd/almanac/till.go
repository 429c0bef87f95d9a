package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/grpc/codes"

	"almanac/catalog"
	"almanac/index"
	"almanac/l402"
	"almanac/l402/demo"
	"almanac/l402/ledger"
	"almanac/l402/lnd"
	"almanac/ops"
	"almanac/tools"
)

// A till is all there is to being paid: the node, the ledger and the paywall in front of them.
// It outlives the snapshots.
type till struct {
	wall   *l402.Paywall
	node   l402.Invoicer
	ledger l402.Ledger
	demo   *demo.Node // nil unless the demo plays the node
	refuse func(http.ResponseWriter, *http.Request, error)
}

// openTill opens what payments need, or gives nil when they are off.
func openTill(ctx context.Context, c *serveConfig, problems catalog.ProblemWriter, metrics *ops.Metrics, log *slog.Logger) (*till, error) {
	if c.payments.mode == "off" {
		return nil, nil
	}
	if err := os.MkdirAll(c.state, 0o700); err != nil {
		return nil, fmt.Errorf("-state: %w", err)
	}
	keys, err := l402.OpenKeys(filepath.Join(c.state, "keys"))
	if err != nil {
		return nil, err
	}
	t := &till{refuse: func(w http.ResponseWriter, r *http.Request, err error) {
		problems.Write(w, r, problemOf(err))
	}}
	if t.node, err = t.openNode(c, keys, log); err != nil {
		return nil, err
	}
	if t.ledger, err = ledger.Open(ctx, c.ledgerURL()); err != nil {
		return nil, fmt.Errorf("open the ledger: %w", err)
	}
	t.node, t.ledger = metrics.Node(t.node), metrics.Ledger(t.ledger)
	limits := l402.DefaultLimits()
	limits.Global = c.payments.challengeRate
	t.wall, err = l402.New(ctx, l402.Config{
		Terms: terms(c.offer), Memo: "almanac: " + offerText(c.offer),
		Invoicer: t.node, Ledger: t.ledger, Keys: keys, Limits: limits,
		TrustedProxies: c.trustedProxies, RequestHeader: c.requestHeader,
		Refuse:     t.refuse,
		GRPCStatus: codes.Code(c.payments.grpcChallenge), Now: time.Now, Log: log,
	})
	if err != nil {
		return nil, errors.Join(err, t.ledger.Close())
	}
	return t, nil
}

func (t *till) openNode(c *serveConfig, keys l402.Keys, log *slog.Logger) (l402.Invoicer, error) {
	if c.payments.mode == "lnd" {
		cfg := c.payments.lnd
		cfg.Log = log
		return lnd.New(cfg)
	}
	if err := demo.CheckListener(c.http); err != nil && !c.payments.demoAnywhere {
		return nil, fmt.Errorf("%w: -payments lnd, -payments off, or -demo-anywhere", err)
	}
	if u, err := url.Parse(c.baseURL); err == nil && c.baseURL != "" && !c.payments.demoAnywhere && demo.CheckListener(net.JoinHostPort(u.Hostname(), "0")) != nil {
		log.Warn("the address is public and payments are a demo, in which nobody pays for real; give -payments lnd or -payments off", "base", c.baseURL)
	}
	t.demo = demo.New(keys.Derive("demo node"), time.Now) // replicas and restarts are one node
	return t.demo, nil
}

// state tells whether invoices can be made now.
func (t *till) state(ctx context.Context) catalog.Payments {
	if t == nil {
		return catalog.PaymentsOff
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if t.node.Ready(ctx) != nil {
		return catalog.PaymentsDown
	}
	return catalog.PaymentsLive
}

func terms(o catalog.Offer) l402.Terms {
	return l402.Terms{PriceSats: o.PriceSats, Credits: o.Credits, Validity: time.Duration(o.ValidDays) * 24 * time.Hour}
}

func offerText(o catalog.Offer) string {
	return fmt.Sprintf("%d searches within %d days", o.Credits, o.ValidDays)
}

// problemOf turns a refusal of the paywall into a problem of the catalogue's table; package l402
// may not know the table. Other errors stay as they are.
func problemOf(err error) error {
	var r *l402.Refusal
	if !errors.As(err, &r) {
		return err
	}
	return &catalog.Problem{Code: r.Code, Detail: r.Detail, Extensions: r.Extensions, RetryAfter: r.RetryAfter}
}

// creditsLeft tells the search handler what the request it answers has left.
func creditsLeft(ctx context.Context) (*index.Credits, bool) {
	b, ok := l402.BalanceFrom(ctx)
	if !ok {
		return nil, false
	}
	return &index.Credits{Remaining: b.Remaining, ExpiresAt: b.ExpiresAt.UTC().Format(time.RFC3339)}, true
}

// paidTool adapts the till to the paid tool, which may not know package l402.
func (t *till) paidTool(o catalog.Offer) *tools.Paid {
	if t == nil {
		return nil
	}
	return &tools.Paid{
		Offer: o,
		Spend: func(ctx context.Context, credential string) (int, time.Time, func(context.Context) error, error) {
			b, refund, err := t.wall.Spend(ctx, credential)
			if err != nil {
				return 0, time.Time{}, nil, problemOf(err)
			}
			return b.Remaining, b.ExpiresAt, func(ctx context.Context) error { refund(ctx); return nil }, nil
		},
		Challenge: func(ctx context.Context, source netip.Addr) (tools.Challenge, error) {
			c, err := t.wall.Challenge(ctx, source)
			if err != nil {
				return tools.Challenge{}, problemOf(err)
			}
			return tools.Challenge{Macaroon: c.Macaroon, Invoice: c.Invoice, PaymentHash: c.PaymentHash.String(), ExpiresAt: c.ExpiresAt}, nil
		},
	}
}

// prune forgets the accounts that ended long ago.
func (t *till) prune(ctx context.Context, log *slog.Logger) {
	if t == nil {
		return
	}
	n, err := t.ledger.Prune(ctx, time.Now().Add(-pruneAfter))
	if err != nil {
		log.Error("prune the ledger", "err", err)
		return
	}
	log.Info("pruned the ledger", "accounts", n)
}

func (t *till) close() error {
	if t == nil {
		return nil
	}
	return t.ledger.Close()
}
