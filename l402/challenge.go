package l402

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/lightningnetwork/lnd/lntypes"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/internal/problem"
	"go.almanac.example/l402/mpp"
)

// A Challenge is the answer to an unpaid request: the invoice to pay, and the macaroon to present with its preimage.
type Challenge struct {
	Macaroon    string // in standard base64
	Invoice     string // BOLT 11
	PaymentHash lntypes.Hash
	Terms       Terms
	ExpiresAt   time.Time // when the invoice can no longer be paid

	payment                   *mpp.Challenge // the same in the scheme Payment; nil if it is not offered
	balanceURL, demoWalletURL string
	correctable               bool // it answers a credential that its holder can correct
}

// Header returns the value of WWW-Authenticate. Every deployed client can parse this order and spacing: older ones
// expect macaroon first and invoice right after it, newer ones version and token, and each ignores the rest.
func (c *Challenge) Header() string {
	return `L402 macaroon="` + c.Macaroon + `", invoice="` + c.Invoice + `", version="0", token="` + c.Macaroon + `"`
}

// headers returns the values of WWW-Authenticate: L402 first, because older clients read only the first one, unless the
// client uses the scheme Payment.
func (c *Challenge) headers(paymentFirst bool) []string {
	all := []string{c.Header()}
	if c.payment != nil {
		all = append(all, c.payment.Header())
	}
	if paymentFirst {
		slices.Reverse(all)
	}
	return all
}

// Payment returns the challenge in the scheme Payment, as the JSON object that MCP has; nil if it is not offered.
func (c *Challenge) Payment() []byte {
	if c.payment == nil {
		return nil
	}
	return []byte(c.payment.Members().Canonical())
}

// Members returns the challenge as members of a JSON object, for clients that read the body. They are enough for a
// program that has never heard of L402.
func (c *Challenge) Members() map[string]any {
	m := map[string]any{
		"scheme":       "L402",
		"network":      "lightning",
		"instructions": c.Instructions(),
		"macaroon":     c.Macaroon,
		"invoice":      c.Invoice,
		"payment_hash": c.PaymentHash.String(),
		"price_sats":   c.Terms.PriceSats,
		"credits":      c.Terms.Credits,
		"valid_days":   int(c.Terms.Validity / (24 * time.Hour)),
		"expires_at":   c.ExpiresAt.UTC().Format(time.RFC3339),
	}
	if c.balanceURL != "" {
		m["balance_url"] = c.balanceURL
	}
	if c.demoWalletURL != "" {
		m["demo"], m["demo_wallet_url"] = true, c.demoWalletURL
	}
	return m
}

// Instructions returns the steps from the invoice to the first paid answer.
func (c *Challenge) Instructions() []string {
	pay := fmt.Sprintf("Pay invoice, a Lightning invoice (BOLT 11) of %d satoshis, with any Lightning wallet before expires_at.", c.Terms.PriceSats)
	if c.demoWalletURL != "" {
		pay = "This is a demonstration: no money moves. POST {\"invoice\": …} to demo_wallet_url, which answers with the preimage."
	}
	if c.correctable {
		pay = problem.PaidAlready + " Only if nobody has paid: " + pay
	}
	steps := []string{
		pay,
		"The payment reveals its preimage to the wallet: 64 hexadecimal digits, often called the proof of payment.",
		"Repeat the request with the header Authorization: L402 <macaroon>:<preimage>.",
		fmt.Sprintf("Keep this header and send it with every request: one payment buys %d requests within %d days.",
			c.Terms.Credits, int(c.Terms.Validity/(24*time.Hour))),
	}
	if c.balanceURL != "" {
		steps = append(steps, "GET balance_url with this header returns how many requests are left, and costs nothing.")
	}
	return steps
}

// Challenge returns a new challenge for a request that comes from source and was refused because of reason; nil means
// that it had no credential. It keeps no record of the challenge. Its error is always a *problem.Problem, which names
// the reason: there were too many challenges, or the node creates no invoice. A reason that is an error of
// [Paywall.Spend] may prove that the client has paid before, which entitles it to a share of the challenges that
// strangers cannot use up.
func (p *Paywall) Challenge(ctx context.Context, source netip.Addr, reason error) (*Challenge, error) {
	var paid *provenError
	var proof *lntypes.Hash
	if errors.As(reason, &paid) {
		proof = &paid.hash
	}
	c, err := p.newChallenge(ctx, source, proof)
	if err == nil {
		c.correctable = problemOf(reason).Correctable()
		return c, nil
	}
	failed := problemOf(err)
	if reason != nil {
		failed = withReason(failed, problemOf(reason))
	}
	return nil, failed
}

func (p *Paywall) newChallenge(ctx context.Context, source netip.Addr, proof *lntypes.Hash) (*Challenge, error) {
	switch {
	case p.ledgerDown.Load():
		return nil, ErrLedgerUnavailable
	case p.nodeDown.Load():
		return nil, ErrNodeUnavailable
	}
	now := p.cfg.Now()
	giveBack, wait := p.limiter.take(source, proof, now)
	if wait > 0 {
		return nil, &problem.Problem{Code: problem.RateLimited, RetryAfter: wait}
	}
	inv, err := p.cfg.Invoicer.AddInvoice(ctx, InvoiceRequest{
		AmountSats: p.cfg.Terms.PriceSats,
		Memo:       p.cfg.Memo,
		Expiry:     InvoiceExpiry,
	})
	if err == nil && (inv.PaymentRequest == "" || strings.Trim(inv.PaymentRequest, invoiceCharacters) != "") {
		err = errors.New("the invoice contains characters that BOLT 11 does not allow")
	}
	if err != nil {
		if ctx.Err() == nil { // otherwise the node may still create it
			giveBack()
			p.cfg.Log.Debug("no invoice", slog.Any("error", err))
		}
		return nil, ErrNodeUnavailable
	}
	end := inv.ExpiresAt
	if ours := now.Add(InvoiceExpiry); ours.After(end) { // the node's clock must not shorten the validity
		end = ours
	}
	validUntil := end.Add(p.cfg.Terms.Validity)
	sale := p.saleAt(now)
	raw, err := mint(p.keyring.Load().keys, newIdentifier(inv.PaymentHash), caveatsFor(p.cfg.Terms.Credits, validUntil, sale))
	if err != nil {
		p.cfg.Log.Error("no macaroon", slog.Any("error", err))
		return nil, problem.New(problem.Internal)
	}
	p.cfg.Log.Debug("challenge", slog.String("payment_hash", inv.PaymentHash.String()))
	return &Challenge{
		Macaroon:    base64.StdEncoding.EncodeToString(raw),
		Invoice:     inv.PaymentRequest,
		PaymentHash: inv.PaymentHash,
		Terms:       p.cfg.Terms,
		ExpiresAt:   inv.ExpiresAt,
		payment:     p.paymentChallenge(inv, validUntil, sale),
		balanceURL:  p.cfg.BalanceURL, demoWalletURL: p.cfg.DemoWalletURL,
	}, nil
}

// saleAt returns the sale of a challenge that is made now.
func (p *Paywall) saleAt(now time.Time) Sale {
	if p.cfg.DemoWalletURL != "" {
		return Sale{Kind: SaleDemo, At: now}
	}
	return Sale{Kind: SalePaid, PriceSats: p.cfg.Terms.PriceSats, At: now}
}

// invoiceCharacters are those of a BOLT 11 invoice, which goes into headers.
const invoiceCharacters = "abcdefghijklmnopqrstuvwxyz0123456789"

// String keeps the macaroon out of logs: together with the preimage, which routing nodes see, it is the whole
// credential.
func (c *Challenge) String() string { return fmt.Sprintf("challenge for payment %s", c.PaymentHash) }

// LogValue returns String.
func (c *Challenge) LogValue() slog.Value { return slog.StringValue(c.String()) }

// ErrNodeUnavailable is wrapped by every error of an [Invoicer] that may be temporary: the node is stopped, starting,
// locked, slow, overloaded or answers nonsense. The paywall answers 503 with Retry-After.
var ErrNodeUnavailable = refused(problem.NodeUnavailable, "the Lightning node cannot create an invoice")

// An Invoicer is a Lightning node, as seen by a client that may create invoices and nothing else.
//
// Every implementation keeps these rules, which package invoicertest tests:
//
//   - AddInvoice returns a BOLT 11 invoice that [CheckInvoice] accepts for the same request, with its payment hash and its end.
//   - Every call creates a new invoice with a new payment hash.
//   - It never reveals the preimage, which counts as the proof of the payment.
//   - It returns when ctx ends; an invoice that arrives later is dropped.
//   - Its other errors wrap ErrNodeUnavailable, contain no secret, and do not affect later calls. It logs when the node fails and
//     when it recovers; the error of each request is logged by the paywall, at debug level.
//   - Ready reports whether AddInvoice would work now, without creating an invoice where the node allows that.
//   - Both methods may be called by several goroutines at once.
type Invoicer interface {
	AddInvoice(ctx context.Context, req InvoiceRequest) (Invoice, error)
	Ready(ctx context.Context) error
}

// An InvoiceRequest describes an invoice to be created.
type InvoiceRequest struct {
	AmountSats int64         // in satoshis, at least 1
	Memo       string        // the invoice's description, at most 128 bytes, as phoenixd takes; BOLT 11 takes 639
	Expiry     time.Duration // how long the invoice can be paid, in whole seconds
}

// An Invoice asks for one payment.
type Invoice struct {
	PaymentRequest string       // BOLT 11, as it is shown to the payer
	PaymentHash    lntypes.Hash // SHA-256 of the preimage that the payment reveals
	ExpiresAt      time.Time    // after it nobody can pay
}

// clockSkew is how much the node's clock may differ from ours before its invoices are refused.
const clockSkew = 5 * time.Minute

// CheckInvoice decodes a BOLT 11 invoice and returns an error unless it matches req: of the network, for exactly the amount, and payable now for no longer than asked. A node that returns anything else is misconfigured or not ours, and
// selling its invoice would take money for nothing.
func CheckInvoice(text string, req InvoiceRequest, network string, now time.Time) (bolt11.Invoice, error) {
	decoded, err := DecodeInvoice(text, network)
	if err != nil {
		return decoded, err
	}
	end := decoded.ExpiresAt
	switch {
	case decoded.MilliSats != req.AmountSats*1000:
		err = fmt.Errorf("the invoice is not for exactly %d sat", req.AmountSats)
	case !end.After(now):
		err = fmt.Errorf("the invoice expired at %s", end.UTC().Format(time.RFC3339))
	case end.After(now.Add(req.Expiry + clockSkew)):
		err = fmt.Errorf("the invoice can be paid until %s, longer than %s", end.UTC().Format(time.RFC3339), req.Expiry)
	}
	return decoded, err
}

// DecodeInvoice decodes a BOLT 11 invoice of a network.
func DecodeInvoice(text, network string) (bolt11.Invoice, error) {
	decoded, err := bolt11.Decode(text)
	if err != nil {
		err = fmt.Errorf("the invoice %w", err)
	} else if decoded.Network != network {
		err = fmt.Errorf("the invoice is for the network %s, not %s", decoded.Network, network)
	}
	return decoded, err
}
