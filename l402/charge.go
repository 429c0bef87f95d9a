package l402

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"log/slog"
	"time"

	"go.almanac.example/internal/problem"
)

// A Balance is the credits and the time left of a credential. An attenuated copy may have less than the original.
type Balance struct {
	Credits    int       // bought
	Remaining  int       // that this credential can still spend
	ValidUntil time.Time // when this credential ends
	// Account is the remainder without the budgets of Branches, and Branches are those of the credential, each within
	// the one before it.
	Account  int
	Branches []BranchBalance
}

// Branch returns the innermost branch of the credential, a path such as research/summaries; "" if it is of the whole
// account.
func (b *Balance) Branch() string {
	if n := len(b.Branches); n > 0 {
		return b.Branches[n-1].Path
	}
	return ""
}

// balance returns the balance of t after used credits of its account and uses of its branches.
func (t token) balance(used int, uses []BranchUse) Balance {
	left := max(0, t.limit-used)
	b := Balance{Credits: t.credits, Remaining: left, ValidUntil: t.validUntil(), Account: left,
		Branches: t.balances(uses)}
	for _, branch := range b.Branches {
		b.Remaining = min(b.Remaining, branch.Remaining)
	}
	return b
}

// spent returns why nothing can be spent, or nil.
func (b *Balance) spent() error {
	switch {
	case b.Account == 0:
		return ErrExhausted
	case b.Remaining == 0:
		return ErrBudgetExhausted
	}
	return nil
}

// A requestName identifies a request within an account, so that its repetitions are charged once. The zero name
// identifies none.
type requestName [16]byte

// nameRequest returns the name of a request: its sender's key, its method and its content. The same key with another
// request is another name, so that all that one credit can buy twice is the same answer.
func nameRequest(key, method string, content []byte) (name requestName) {
	h := sha256.New()
	for _, part := range [...][]byte{[]byte(key), []byte(method), content} {
		h.Write(binary.AppendUvarint(nil, uint64(len(part))))
		h.Write(part)
	}
	copy(name[:], h.Sum(nil))
	return name
}

// A Charge is one credit taken for one request, and belongs to the goroutine that answers that.
type Charge struct {
	paywall *Paywall
	token   token
	receipt Receipt
	settled bool // the credit was given back
	balance Balance
}

// Balance returns the balance of the credential after the charge.
func (c *Charge) Balance() Balance { return c.balance }

// Refund returns the credit, for a request that failed. Only the first call has an effect. It does not end with ctx,
// and a ledger that is unavailable delays the refund but does not lose it.
func (c *Charge) Refund(ctx context.Context) {
	if !c.settled {
		c.settled = true
		c.paywall.refund(ctx, c.receipt)
	}
}

// Waive makes the request free, for an answer that is not worth a credit. Unlike Refund it also brings Balance up to
// date, so that the answer can state it.
func (c *Charge) Waive(ctx context.Context) {
	c.Refund(ctx)
	if b, err := c.paywall.balanceOf(ctx, c.token); err == nil {
		c.balance = b
	}
}

type chargeKey struct{}

// withCharge returns the context of a request that was charged.
func withCharge(ctx context.Context, c *Charge) context.Context {
	return context.WithValue(ctx, chargeKey{}, c)
}

// BalanceFrom returns the balance after the charge for the request that ctx belongs to. It reports false for a request
// that was not charged.
func BalanceFrom(ctx context.Context) (Balance, bool) {
	c, ok := ctx.Value(chargeKey{}).(*Charge)
	if !ok {
		return Balance{}, false
	}
	return c.Balance(), true
}

// Waive makes the request that ctx belongs to free. A handler calls it before it writes an answer that is not worth a
// credit, such as one without results. It does nothing for a request that was not charged.
func Waive(ctx context.Context) {
	if c, ok := ctx.Value(chargeKey{}).(*Charge); ok {
		c.Waive(ctx)
	}
}

// authenticate verifies the credential of a request. It asks neither the ledger nor the node.
func (p *Paywall) authenticate(authorization, macaroons []string) (token, error) {
	t, err := p.keyring.Load().token(authorization, macaroons)
	if err != nil {
		return token{}, err
	}
	switch now := p.cfg.Now().Unix(); {
	case now >= t.expires:
		return token{}, &provenError{ErrExpired, t.hash}
	case now >= t.validEnd:
		return token{}, &provenError{problem.Errorf(problem.CredentialExpired, "This copy of the credential has expired. "+
			"The payment it was made from is valid until %s: use the original or another copy, or pay the new invoice.",
			time.Unix(t.expires, 0).UTC().Format(time.RFC3339)), t.hash}
	}
	return t, nil
}

// charge takes one credit of t.
func (p *Paywall) charge(ctx context.Context, t token, name requestName) (*Charge, error) {
	r, err := p.cfg.Ledger.Spend(ctx, Debit{
		Hash:      t.hash,
		Credits:   t.credits,
		Limit:     t.limit,
		ExpiresAt: time.Unix(t.expires, 0).UTC(),
		At:        p.cfg.Now(),
		Budgets:   t.budgets,
		Sale:      t.sale,
		Request:   name,
	})
	if err != nil {
		alone := errors.Is(err, ErrDamaged) // the ledger works
		err = p.ledgerError(ctx, err)
		if errors.Is(err, ErrLedgerUnavailable) && !alone && ctx.Err() == nil {
			p.ledgerDown.Store(true)
		}
		if errors.Is(err, ErrExhausted) || errors.Is(err, ErrBudgetExhausted) || errors.Is(err, ErrExpired) {
			err = &provenError{err, t.hash}
		}
		return nil, err
	}
	p.ledgerDown.Store(false)
	if p.cfg.Log.Enabled(ctx, slog.LevelDebug) {
		p.cfg.Log.LogAttrs(ctx, slog.LevelDebug, "spent", slog.String("payment_hash", t.hash.String()), slog.Int("used", r.Used))
	}
	return &Charge{paywall: p, token: t, receipt: r, balance: t.balance(r.Used, r.Branches)}, nil
}

// balanceOf returns the balance of t.
func (p *Paywall) balanceOf(ctx context.Context, t token) (Balance, error) {
	a, err := p.cfg.Ledger.Account(ctx, t.hash)
	switch {
	case errors.Is(err, ErrUnknownAccount):
		return t.balance(0, nil), nil
	case err != nil:
		return Balance{}, p.ledgerError(ctx, err)
	case !a.RevokedAt.IsZero():
		return Balance{}, ErrRevoked
	}
	return t.balance(a.Used, a.Branches), nil
}

// ledgerError returns the ledger's answer about credits, or ErrLedgerUnavailable for every other error.
func (p *Paywall) ledgerError(ctx context.Context, err error) error {
	if answer := (*refusalError)(nil); errors.As(err, &answer) && !errors.Is(err, ErrLedgerUnavailable) {
		return answer
	}
	if ctx.Err() == nil {
		p.cfg.Log.Error("ledger", slog.Any("error", err))
	}
	return ErrLedgerUnavailable
}

const (
	refundTimeout  = 5 * time.Second
	refundTries    = 10 // over about 17 minutes
	maxLateRefunds = 1024
)

// refund returns a credit to its account, now or later: a receipt is refunded once, however often that is tried.
func (p *Paywall) refund(ctx context.Context, r Receipt) {
	ctx = context.WithoutCancel(ctx) // a client that has gone away has not paid
	err := p.tryRefund(ctx, r)
	if err == nil {
		return
	}
	select {
	case p.lateRefunds <- struct{}{}:
		go p.refundLater(ctx, r)
	default:
		p.cfg.Log.Error("refund lost: too many are waiting", slog.String("payment_hash", r.Hash.String()), slog.Any("error", err))
	}
}

// Close tries each refund that waits for the ledger once more, before the process ends, and logs those that are lost.
func (p *Paywall) Close() {
	close(p.closing)
	for range maxLateRefunds { // until none waits
		p.lateRefunds <- struct{}{}
	}
}

func (p *Paywall) refundLater(ctx context.Context, r Receipt) {
	defer func() { <-p.lateRefunds }()
	var err error
	for try, closing := 0, false; try < refundTries && !closing; try++ {
		select {
		case <-time.After(time.Second << try):
		case <-p.closing:
			closing = true
		}
		if err = p.tryRefund(ctx, r); err == nil {
			return
		}
	}
	p.cfg.Log.Error("refund lost: the ledger stays unavailable", slog.String("payment_hash", r.Hash.String()),
		slog.Any("error", err))
}

func (p *Paywall) tryRefund(ctx context.Context, r Receipt) error {
	ctx, cancel := context.WithTimeout(ctx, refundTimeout)
	defer cancel()
	if err := p.cfg.Ledger.Refund(ctx, r); err != nil {
		return err
	}
	p.cfg.Log.Debug("refunded", slog.String("payment_hash", r.Hash.String()))
	return nil
}
