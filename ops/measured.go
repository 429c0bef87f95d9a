package ops

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/lightningnetwork/lnd/lntypes"
	"github.com/prometheus/client_golang/prometheus"

	"almanac/l402"
)

// Ledger returns l with its calls measured.
func (m *Metrics) Ledger(l l402.Ledger) l402.Ledger {
	for _, operation := range []string{"spend", "refund", "account", "ready"} {
		m.ledger.WithLabelValues(operation, "error") // see NewMetrics
	}
	return &measuredLedger{l, m}
}

type measuredLedger struct {
	l402.Ledger
	m *Metrics
}

// Spend implements l402.Ledger. A serial of 1 is the first credit ever spent of a payment.
func (l *measuredLedger) Spend(ctx context.Context, d l402.Debit) (r l402.Receipt, err error) {
	defer l.m.begin(l.m.ledger, "spend")(&err)
	if r, err = l.Ledger.Spend(ctx, d); err == nil {
		l.m.credits.Inc()
		if r.Serial == 1 && d.Sale.Kind != l402.SaleGranted {
			l.m.purchases.Inc()
			l.m.sats.Add(float64(d.Sale.PriceSats))
		}
	}
	return r, err
}

// Refund implements l402.Ledger.
func (l *measuredLedger) Refund(ctx context.Context, r l402.Receipt) (err error) {
	defer l.m.begin(l.m.ledger, "refund")(&err)
	if err = l.Ledger.Refund(ctx, r); err == nil {
		l.m.refunds.Inc()
	}
	return err
}

// Account implements l402.Ledger.
func (l *measuredLedger) Account(ctx context.Context, hash lntypes.Hash) (a l402.Account, err error) {
	defer l.m.begin(l.m.ledger, "account")(&err)
	return l.Ledger.Account(ctx, hash)
}

// Ready implements l402.Ledger.
func (l *measuredLedger) Ready(ctx context.Context) (err error) {
	defer l.m.begin(l.m.ledger, "ready")(&err)
	return l.Ledger.Ready(ctx)
}

// Node returns n with its calls measured.
func (m *Metrics) Node(n l402.Invoicer) l402.Invoicer { return &measuredNode{n, m} }

type measuredNode struct {
	l402.Invoicer
	m *Metrics
}

// AddInvoice implements l402.Invoicer.
func (n *measuredNode) AddInvoice(ctx context.Context, req l402.InvoiceRequest) (inv l402.Invoice, err error) {
	defer n.m.begin(n.m.node, "invoice")(&err)
	if inv, err = n.Invoicer.AddInvoice(ctx, req); err == nil {
		n.m.challenges.Inc()
	}
	return inv, err
}

// Ready implements l402.Invoicer.
func (n *measuredNode) Ready(ctx context.Context) (err error) {
	defer n.m.begin(n.m.node, "ready")(&err)
	err = n.Invoicer.Ready(ctx)
	n.m.nodeUp.WithLabelValues().Set(number(err == nil))
	return err
}

// begin starts measuring a call; the function it returns ends it.
func (m *Metrics) begin(h *prometheus.HistogramVec, operation string) (end func(*error)) {
	began := m.now()
	return func(err *error) {
		h.WithLabelValues(operation, outcome(*err)).Observe(m.now().Sub(began).Seconds())
	}
}

// outcome returns the outcome label of a call: a refusal because of the credits is not a failure of the ledger, and
// errors that name their own outcome, as those of package lnd do, keep it.
func outcome(err error) string {
	var named interface{ Outcome() string }
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &named):
		return named.Outcome()
	case errors.Is(err, l402.ErrExhausted), errors.Is(err, l402.ErrRevoked), errors.Is(err, l402.ErrExpired),
		errors.Is(err, l402.ErrUnknownAccount):
		return "refused"
	case errors.Is(err, context.Canceled):
		return "canceled"
	}
	return "error"
}

// count counts an answer.
func (m *Metrics) count(surface, method string, status int, bytes int64, took time.Duration) {
	m.requests.WithLabelValues(surface, method, strconv.Itoa(status)).Inc()
	m.latency.WithLabelValues(surface).Observe(took.Seconds())
	m.bytes.WithLabelValues(surface).Add(float64(bytes))
}
