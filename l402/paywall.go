package l402

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"google.golang.org/grpc/codes"

	"almanac/peer"
)

// Config is all that a paywall needs.
type Config struct {
	Terms    Terms
	Memo     string // what the payer reads in the invoice
	Invoicer Invoicer
	Ledger   Ledger
	Keys     Keys
	Limits   Limits
	// TrustedProxies are the networks of our own proxies, whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
	// RequestHeader is the header in which our own proxies name each request, "" for none. A request that a proxy brings to another
	// replica, because the first one died, then costs one credit. It is believed from TrustedProxies only.
	RequestHeader string
	// Refuse writes the answer for an error, most often a *Refusal. The headers that belong to it are set. Nil means
	// WriteProblem with ProblemBase.
	Refuse      func(w http.ResponseWriter, r *http.Request, err error)
	ProblemBase string
	// GRPCStatus is the status of a challenge over gRPC: 402 as the service's specification says, or 13 (codes.Internal) as
	// the newer L402 text and Lightning Labs' client want it.
	GRPCStatus codes.Code
	Now        func() time.Time
	Log        *slog.Logger
}

// A Paywall sells requests. HTTP, gRPC and any other door to the same goods share one, and so one ledger and one limit.
type Paywall struct {
	cfg      Config
	log      *slog.Logger
	limiter  *peer.Limiter
	verifier *verifier
	later    chan struct{} // bounds the refunds that wait for the ledger
}

// New checks cfg and binds its ledger to its keys. It fails with ErrForeignKeys when the ledger was kept under other keys.
func New(ctx context.Context, cfg Config) (*Paywall, error) {
	if cfg.Invoicer == nil || cfg.Ledger == nil || cfg.Now == nil || cfg.Log == nil || len(cfg.Keys.all) == 0 {
		return nil, errors.New("l402: Config lacks Invoicer, Ledger, Keys, Now or Log")
	}
	t := cfg.Terms
	if t.PriceSats < 1 || t.Credits < 1 || t.Credits > maxCredits || t.Validity < time.Second {
		return nil, fmt.Errorf("l402: terms %+v sell nothing: price, credits and validity must be at least 1 sat, 1 and 1s", t)
	}
	l := cfg.Limits
	if l.PerSource <= 0 || l.Global <= 0 || l.Burst < 3 || l.GlobalBurst < l.Burst || l.Sources < 1 {
		return nil, fmt.Errorf("l402: limits %+v: rates must be above 0 and the burst at least 3, since clients ask twice a purchase", l)
	}
	if cfg.GRPCStatus == codes.OK {
		cfg.GRPCStatus = grpcPaymentRequired
	}
	if cfg.GRPCStatus != grpcPaymentRequired && cfg.GRPCStatus != codes.Internal {
		return nil, fmt.Errorf("l402: a challenge over gRPC has status 402 or 13, not %d", cfg.GRPCStatus)
	}
	if cfg.Refuse == nil {
		base := cfg.ProblemBase
		cfg.Refuse = func(w http.ResponseWriter, _ *http.Request, err error) { WriteProblem(w, base, err) }
	}
	if err := cfg.Ledger.Adopt(ctx, cfg.Keys.IDs()); err != nil {
		return nil, err
	}
	lim, err := newLimiter(l)
	if err != nil {
		return nil, fmt.Errorf("l402: limits: %w", err)
	}
	return &Paywall{cfg: cfg, log: cfg.Log, limiter: lim, verifier: newVerifier(cfg.Keys), later: make(chan struct{}, maxLateRefunds)}, nil
}

// A Balance is what a credential has left. A copy that was narrowed has less than the token it comes from.
type Balance struct {
	Credits   int       // that the payment bought
	Remaining int       // that this credential can still spend
	ExpiresAt time.Time // when this credential ends
}

type balanceKey struct{}

// BalanceFrom returns what was left after paying for the request that ctx belongs to, if it was paid for.
func BalanceFrom(ctx context.Context) (Balance, bool) {
	b, ok := ctx.Value(balanceKey{}).(Balance)
	return b, ok
}

// balance is what t has left when used credits of its account are in use.
func (t token) balance(used int) Balance {
	return Balance{Credits: t.credits, Remaining: max(0, t.limit-used), ExpiresAt: t.validUntil()}
}

// authenticate verifies the credential of a request. It asks neither the ledger nor the node.
func (p *Paywall) authenticate(authorization, macaroons []string) (token, error) {
	t, err := p.verifier.token(authorization, macaroons)
	if err != nil {
		return token{}, err
	}
	if p.cfg.Now().Unix() >= t.validTill {
		return token{}, ErrExpired
	}
	return t, nil
}

// spend takes one credit of t.
func (p *Paywall) spend(ctx context.Context, t token, request [16]byte) (Receipt, Balance, error) {
	r, err := p.cfg.Ledger.Spend(ctx, Debit{
		Hash:      t.hash,
		Credits:   t.credits,
		Limit:     t.limit,
		ExpiresAt: time.Unix(t.expires, 0).UTC(),
		At:        p.cfg.Now(),
		Request:   request,
	})
	if err != nil {
		return Receipt{}, Balance{}, p.ledgerError(ctx, err)
	}
	if p.log.Enabled(ctx, slog.LevelDebug) {
		p.log.LogAttrs(ctx, slog.LevelDebug, "spent", slog.String("payment_hash", t.hash.String()), slog.Int("used", r.Used))
	}
	return r, t.balance(r.Used), nil
}

// look returns the balance of t without touching it.
func (p *Paywall) look(ctx context.Context, t token) (Balance, error) {
	a, err := p.cfg.Ledger.Account(ctx, t.hash)
	switch {
	case errors.Is(err, ErrUnknownAccount):
		return t.balance(0), nil
	case err != nil:
		return Balance{}, p.ledgerError(ctx, err)
	case !a.RevokedAt.IsZero():
		return Balance{}, ErrRevoked
	}
	return t.balance(a.Used), nil
}

// ledgerError makes sure that only what the ledger says about credits counts as such, and fails closed on all else.
func (p *Paywall) ledgerError(ctx context.Context, err error) error {
	for _, answer := range []error{ErrExhausted, ErrRevoked, ErrExpired} {
		if errors.Is(err, answer) {
			return answer
		}
	}
	if ctx.Err() == nil {
		p.log.Error("ledger", slog.Any("error", err))
	}
	return ErrLedgerUnavailable
}

// Spend takes one credit for a request that came neither over HTTP nor gRPC. The credential is the value of an Authorization
// header, with or without the scheme. The returned function gives the credit back, once, for a request that failed. The
// error is always a *Refusal; on one with status 402, a [Paywall.Challenge] says how to go on.
func (p *Paywall) Spend(ctx context.Context, text string) (Balance, func(context.Context), error) {
	if rest, ours := cutScheme(text); ours {
		text = rest
	}
	if text == "" {
		return Balance{}, nil, refusalFor(errNoCredential)
	}
	t, err := p.authenticate([]string{"L402 " + text}, nil)
	if err != nil {
		return Balance{}, nil, refusalFor(err)
	}
	r, b, err := p.spend(ctx, t, [16]byte{})
	if err != nil {
		return Balance{}, nil, refusalFor(err)
	}
	return b, func(ctx context.Context) { p.giveBack(ctx, r) }, nil
}

// withBalance returns a context that [BalanceFrom] finds b in.
func withBalance(ctx context.Context, b Balance) context.Context {
	return context.WithValue(ctx, balanceKey{}, b)
}

const (
	refundTimeout  = 5 * time.Second
	refundTries    = 10 // over about 17 minutes
	maxLateRefunds = 1024
)

// giveBack refunds a credit. A client that has gone does not stop it, and a ledger that does not answer only delays it: a
// receipt is refunded once, however often it is tried.
func (p *Paywall) giveBack(ctx context.Context, r Receipt) {
	ctx = context.WithoutCancel(ctx)
	err := p.refund(ctx, r)
	if err == nil {
		return
	}
	select {
	case p.later <- struct{}{}:
		go p.giveBackLater(ctx, r)
	default:
		p.log.Error("refund lost: too many are waiting", slog.String("payment_hash", r.Hash.String()), slog.Any("error", err))
	}
}

func (p *Paywall) giveBackLater(ctx context.Context, r Receipt) {
	defer func() { <-p.later }()
	var err error
	for try := range refundTries {
		time.Sleep(time.Second << try)
		if err = p.refund(ctx, r); err == nil {
			return
		}
	}
	p.log.Error("refund lost: the ledger does not answer", slog.String("payment_hash", r.Hash.String()), slog.Any("error", err))
}

func (p *Paywall) refund(ctx context.Context, r Receipt) error {
	ctx, cancel := context.WithTimeout(ctx, refundTimeout)
	defer cancel()
	if err := p.cfg.Ledger.Refund(ctx, r); err != nil {
		return err
	}
	p.log.Debug("refunded", slog.String("payment_hash", r.Hash.String()))
	return nil
}
