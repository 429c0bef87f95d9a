// Package l402 sells requests for Lightning payments. It answers a request that has no credential with a challenge,
// which is a macaroon and an invoice, and serves requests that present the macaroon and the invoice's preimage, for one
// credit each.
//
// The protocol is L402 (https://github.com/lightninglabs/L402), over HTTP and gRPC. An unpaid challenge leaves no
// trace: the root key of every macaroon is derived from a master key and the macaroon's identifier, which commits to
// the payment hash. Accounts of payments are in a [Ledger]; invoices come from an [Invoicer].
package l402

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"

	"go.almanac.example/internal/problem"
)

// Config is the configuration of a paywall.
type Config struct {
	Terms    Terms
	Memo     string // of the invoice, for the payer
	Invoicer Invoicer
	Ledger   Ledger
	Keys     Keys
	Limits   ChallengeLimits
	// BalanceURL is the address of CreditsHandler, which challenges name; "" if there is none.
	BalanceURL string
	// SaleURL is an address where GET is answered with a challenge, which refusals without one name; "" if there is
	// none.
	SaleURL string
	// DemoWalletURL is the address of the wallet that pays for a demonstration, in which no money moves; "" for real
	// payments.
	DemoWalletURL string
	// Realm is the protection space of the scheme Payment (MPP), for instance the host name. With it, challenges are
	// given in that scheme too, over the same invoice, and its credentials open the same account. "" means that only
	// L402 is offered.
	Realm string
	// Fail answers an HTTP request with an error, usually a *problem.Problem. The headers that belong to the answer are
	// set. Nil means a problem.Writer without a base.
	Fail func(w http.ResponseWriter, r *http.Request, err error)
	// GRPCStatus is the status of a challenge over gRPC: 402 (docs/contract.md, "Payments over gRPC"), or 13
	// (codes.Internal) as the newer L402 text and Lightning Labs' client have it. 0 means 402.
	GRPCStatus codes.Code
	Now        func() time.Time
	Log        *slog.Logger
}

// A Paywall sells requests. HTTP, gRPC and MCP share one, and so one ledger and one limit.
type Paywall struct {
	cfg         Config
	limiter     *limiter
	keyring     atomic.Pointer[verifier]
	lateRefunds chan struct{} // bounds the refunds that wait for the ledger
	closing     chan struct{} // closed by Close

	nodeDown, ledgerDown atomic.Bool // when they were last asked or used
}

// New checks cfg and binds its ledger to its keys. It returns ErrForeignKeys if the ledger was kept under other keys.
func New(ctx context.Context, cfg Config) (*Paywall, error) {
	if err := cfg.complete(); err != nil {
		return nil, fmt.Errorf("l402: %w", err)
	}
	p := &Paywall{
		cfg: cfg, limiter: newLimiter(cfg.Limits),
		lateRefunds: make(chan struct{}, maxLateRefunds), closing: make(chan struct{}),
	}
	if err := p.SetKeys(ctx, cfg.Keys); err != nil {
		return nil, err
	}
	return p, nil
}

// SetKeys replaces the master keys: the first signs new credentials, all are accepted, and credentials of other keys
// are refused from then on. It returns ErrForeignKeys, and changes nothing, if the ledger was kept under other keys.
func (p *Paywall) SetKeys(ctx context.Context, keys Keys) error {
	if err := p.cfg.Ledger.Adopt(ctx, keys.IDs()); err != nil {
		return err
	}
	p.keyring.Store(newVerifier(keys, p.cfg.Realm))
	return nil
}

// complete checks a configuration and fills in the defaults.
func (cfg *Config) complete() error {
	if cfg.Invoicer == nil || cfg.Ledger == nil || cfg.Now == nil || cfg.Log == nil || len(cfg.Keys.all) == 0 {
		return errors.New("the configuration lacks Invoicer, Ledger, Keys, Now or Log")
	}
	t := cfg.Terms
	if t.PriceSats < 1 || t.Credits < 1 || t.Credits > maxCredits || t.Validity < time.Second {
		return fmt.Errorf("terms %+v: price, credits and validity must be at least 1 sat, 1 and 1s", t)
	}
	l := cfg.Limits
	if l.Rate < minRate || l.Outstanding < minOutstanding || l.Proven < 0 || l.Proven > 100 {
		return fmt.Errorf("limits %+v: rate and outstanding challenges must be at least 2, and the percentage for proven clients at most 100", l)
	}
	if cfg.GRPCStatus = cmp.Or(cfg.GRPCStatus, grpcPaymentRequired); cfg.GRPCStatus != grpcPaymentRequired && cfg.GRPCStatus != codes.Internal {
		return fmt.Errorf("the status of a challenge over gRPC is %d, but must be 402 or 13", cfg.GRPCStatus)
	}
	if strings.ContainsAny(cfg.Realm, "|\"\\\r\n") {
		return fmt.Errorf("realm %q: leave out quotes, backslashes, bars and line ends", cfg.Realm)
	}
	if cfg.Fail == nil {
		cfg.Fail = problem.Writer{Log: cfg.Log}.Write
	}
	return nil
}

// grpcPaymentRequired is the status of a challenge in the gRPC binding. gRPC itself defines no such code.
const grpcPaymentRequired codes.Code = 402

// A Request is a request that came neither over HTTP nor gRPC.
type Request struct {
	// Credential is the value of an Authorization header, with or without the scheme L402, or the JSON object that MCP
	// has of a credential of the scheme Payment.
	Credential string
	// Method and Content describe the request. Content has one canonical form for each request.
	Method  string
	Content []byte
	// Key identifies the request, so that its repetitions within a minute are charged once; see [Ledger]. Without a
	// key, requests with the same credential, method and content are the same request. Without key and content, each
	// request is charged.
	Key string
}

// Spend takes one credit for a request that came neither over HTTP nor gRPC. Its error is always a *problem.Problem. On
// one with status 402, [Paywall.Challenge] returns the next step.
func (p *Paywall) Spend(ctx context.Context, r Request) (*Charge, error) {
	t, text, err := p.authenticateText(r.Credential)
	if err != nil {
		return nil, problemOf(err)
	}
	var name requestName
	switch {
	case r.Key != "":
		name = nameRequest(r.Key, r.Method, r.Content)
	case r.Content != nil:
		name = nameRequest(text, r.Method+" of one credential", r.Content)
	}
	c, err := p.charge(ctx, t, name)
	if err != nil {
		return nil, problemOf(err)
	}
	return c, nil
}

// authenticateText verifies the credential of a [Request], and returns it as the value of Authorization too.
func (p *Paywall) authenticateText(credential string) (t token, text string, err error) {
	if text, err = authorizationOf(credential); err == nil {
		t, err = p.authenticate([]string{text}, nil)
	}
	return t, text, err
}

// LedgerReady asks whether the ledger can take credits. After an error there are no challenges, for a purchase would be
// for nothing, until a later call or a spend succeeds: somebody must call it at intervals.
func (p *Paywall) LedgerReady(ctx context.Context) error {
	return keep(ctx, &p.ledgerDown, p.cfg.Ledger.Ready(ctx))
}

// NodeReady asks whether the node makes invoices. After an error nobody waits for it, until a later call succeeds.
func (p *Paywall) NodeReady(ctx context.Context) error {
	return keep(ctx, &p.nodeDown, p.cfg.Invoicer.Ready(ctx))
}

// keep returns err, and keeps whether it is one. A caller that has gone away says nothing about whom it asked.
func keep(ctx context.Context, down *atomic.Bool, err error) error {
	if !errors.Is(ctx.Err(), context.Canceled) {
		down.Store(err != nil)
	}
	return err
}

// Terms are the price of a payment and the credits for it.
type Terms struct {
	PriceSats int64         // in satoshis
	Credits   int           // requests
	Validity  time.Duration // of the credits, at least: it begins when the invoice ends; in whole seconds
}

// InvoiceExpiry is how long an invoice can be paid. It is short, because every unpaid invoice costs the node memory.
const InvoiceExpiry = 15 * time.Minute
