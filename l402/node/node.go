// Package node has the parts common to all Lightning nodes that sell, whatever their protocol: turns and deadlines, the
// check of every invoice, the check that strangers cannot read the preimages of unpaid invoices, readiness, and errors
// with a remedy.
//
// A package for a kind of node implements [Service], and returns a [Node] made from it.
package node

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lightningnetwork/lnd/lntypes"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/l402"
)

const (
	// Calls at the same time. Measured with lnd on two cores: 8 concurrent calls create twice as many invoices as one; 64
	// create no more than 8, and wait longer.
	concurrency = 8

	defaultTimeout = 5 * time.Second

	// An error is repeated for this long without asking again, so that a node in trouble is not flooded and a slow one
	// does not hold a goroutine for every request.
	errorTTL = time.Second

	// The result of Ready is repeated for this long.
	readyTTL = 3 * time.Second

	// How often it is asked whether strangers can read preimages.
	guardTTL = time.Hour

	// The longest that invoices can be paid whose expiry a wallet chooses: those of Spark end after thirty days.
	longestExpiry = 31 * 24 * time.Hour
)

// A Node makes invoices at a Lightning node. It implements [l402.Invoicer].
type Node struct {
	service Service
	cfg     Config
	turns   chan struct{}
	check   check

	mu      sync.Mutex
	asked   time.Time // when the last call ended, with an answer or without
	lastErr *Error    // of that call; nil if it succeeded
	proven  bool      // an invoice passed the check, and none has failed since
}

// New returns the node behind a service. It does not call it: a node that is down now may be up when the first invoice
// is needed, and credentials already bought need no node. The error is of a network that does not exist.
func New(service Service, cfg Config) (*Node, error) {
	if !slices.Contains(bolt11.Networks(), cfg.Network) {
		return nil, fmt.Errorf("%q is not a network: use one of %s", cfg.Network, strings.Join(bolt11.Networks(), ", "))
	}
	cfg.Timeout = cmp.Or(cfg.Timeout, defaultTimeout)
	cfg.Quiet = cmp.Or(cfg.Quiet, readyTTL)
	return &Node{
		service: service, cfg: cfg, turns: make(chan struct{}, concurrency),
		check: check{service: service, cfg: cfg, seen: map[lntypes.Hash]time.Time{}},
	}, nil
}

// AddInvoice creates one invoice at the node. Its errors are an [*Error].
func (n *Node) AddInvoice(ctx context.Context, req l402.InvoiceRequest) (l402.Invoice, error) {
	n.mu.Lock()
	age, nodeErr := n.cfg.Now().Sub(n.asked), n.lastErr
	n.mu.Unlock()
	if nodeErr != nil && age < errorTTL {
		return l402.Invoice{}, nodeErr
	}
	inv, nodeErr := n.addInvoice(ctx, req, 0)
	n.record(ctx, nodeErr)
	if nodeErr != nil {
		return l402.Invoice{}, nodeErr
	}
	return inv, nil
}

// addInvoice makes an invoice and checks it. It asks again whether strangers can read preimages if the last time is
// longer ago than guard; 0 means that once is enough.
func (n *Node) addInvoice(
	ctx context.Context, req l402.InvoiceRequest, guard time.Duration,
) (inv l402.Invoice, nodeErr *Error) {
	nodeErr = n.call(ctx, func(ctx context.Context) *Error {
		made, err := n.service.MakeInvoice(ctx, req)
		if err == nil {
			inv, err = n.check.invoice(made, req)
		}
		if err == nil {
			err = n.check.guard(ctx, inv.PaymentHash, guard)
		}
		return err
	})
	return inv, nodeErr
}

// call calls f when it has a turn, within the time that one call may take.
func (n *Node) call(ctx context.Context, f func(context.Context) *Error) *Error {
	within, cancel := context.WithTimeout(ctx, n.cfg.Timeout)
	defer cancel()
	select {
	case n.turns <- struct{}{}:
		defer func() { <-n.turns }()
	case <-within.Done():
		if ctx.Err() != nil {
			return Canceled(ctx.Err())
		}
		return &Error{Reason: ReasonBusy, Advice: fmt.Sprintf(
			"it was busy with earlier calls for %s; more invoices are needed than it can create", n.cfg.Timeout)}
	}
	nodeErr := f(within)
	switch {
	case nodeErr != nil && ctx.Err() != nil:
		return Canceled(ctx.Err())
	case nodeErr != nil && nodeErr.Reason == ReasonTimeout && within.Err() != nil:
		return Timeout(fmt.Sprintf("it did not answer within %s; %s", n.cfg.Timeout, nodeErr.Advice), nodeErr.Cause)
	}
	return nodeErr
}

// Ready returns an error if the node would not create an invoice now. The result is kept for a while, so it may be
// polled.
//
// It creates no invoice, except one when there was none yet, when the last one was wrong, and when it is time
// to ask again whether strangers can read preimages: only an invoice shows that a node is on the right network and
// keeps its secrets.
func (n *Node) Ready(ctx context.Context) error {
	n.mu.Lock()
	age, nodeErr, proven := n.cfg.Now().Sub(n.asked), n.lastErr, n.proven
	n.mu.Unlock()
	if age >= readyTTL && (nodeErr != nil || age >= n.cfg.Quiet) {
		nodeErr = n.probe(ctx, proven)
		n.record(ctx, nodeErr)
	}
	if nodeErr != nil {
		return nodeErr
	}
	return nil
}

func (n *Node) probe(ctx context.Context, proven bool) *Error {
	due := !proven || n.check.due(guardTTL)
	nodeErr := n.call(ctx, func(ctx context.Context) *Error { return n.service.Probe(ctx, due) })
	if nodeErr != nil || !due {
		return nodeErr
	}
	_, nodeErr = n.addInvoice(ctx, l402.InvoiceRequest{AmountSats: cmp.Or(n.cfg.PriceSats, 1), Memo: "readiness check", Expiry: time.Minute},
		guardTTL)
	return nodeErr
}

// Reload reads the node's credentials again.
func (n *Node) Reload() error {
	if err := n.service.Reload(); err != nil {
		return fmt.Errorf("read the Lightning node's credentials again: %w", err)
	}
	return nil
}

// record keeps the outcome of a call, and logs it when it differs from the last one. An error after ctx, which is the
// caller's, has ended says nothing about the node.
func (n *Node) record(ctx context.Context, nodeErr *Error) {
	if nodeErr != nil && ctx.Err() != nil {
		return
	}
	n.mu.Lock()
	before := n.lastErr
	n.lastErr, n.asked = nodeErr, n.cfg.Now()
	switch {
	case nodeErr == nil:
		n.proven = true
	case nodeErr.Reason == ReasonWrongInvoice, nodeErr.Reason == ReasonReadable:
		n.proven = false
	}
	n.mu.Unlock()
	switch {
	case nodeErr != nil && (before == nil || before.Reason != nodeErr.Reason):
		n.cfg.Log.Warn("the Lightning node fails to create invoices", "reason", nodeErr.Reason, "error", nodeErr)
	case nodeErr == nil && before != nil:
		n.cfg.Log.Info("the Lightning node creates invoices again", "after", before.Reason)
	}
}

// A Service speaks to one kind of node. Its methods may be called by several goroutines at once, and return when ctx
// ends.
type Service interface {
	// MakeInvoice asks the node for one invoice, and returns its BOLT 11 text, the only statement of the price and the
	// payment hash.
	MakeInvoice(ctx context.Context, req l402.InvoiceRequest) (string, *Error)

	// Probe returns an error if the node would not make an invoice now. It makes none; if one follows, it may skip
	// checks that the invoice repeats.
	Probe(ctx context.Context, invoiceFollows bool) *Error

	// Lookup asks the node about one of its invoices, and returns the answer unchanged: a refusal is an answer. A
	// stranger asks without our credentials. Nil means that the node says nothing, or that only its owner could ask.
	Lookup(ctx context.Context, hash lntypes.Hash, stranger bool) ([]byte, *Error)

	// Reload reads the credentials again. If they cannot be read, the present ones stay.
	Reload() error
}

// Settings say where a node is, of whatever kind, and how to treat it.
type Settings struct {
	Address    string // that is called or, of lnurl, paid; of nwc, SecretFile has it
	CertFile   string // the node's certificate in PEM, of the kinds that need it; no other is trusted
	SecretFile string // what lets us make invoices
	PriceSats  int64  // of one payment, and of the invoices that show that the node works; 0 means 1

	Network string        // one of [bolt11.Networks]
	Timeout time.Duration // of one call, including the wait for its turn; 0 means 5 seconds, or 10 through others
	Now     func() time.Time
	Log     *slog.Logger // receives a line when the node fails and when it recovers
}

// Config says how to treat a node.
type Config struct {
	Settings
	NetworkFlag string        // the flag that names the network, as in "-lnd-network"
	Quiet       time.Duration // how long a node that answered counts as ready without being asked; 0 means 3 seconds

	ChoosesExpiry bool // the wallet may not take the expiry that is asked for
}

// A Receiver is a [Service] whose node says whether others can pay it.
type Receiver interface {
	// Receive returns an error if the node could not be paid an amount now, and otherwise what is known about it.
	Receive(ctx context.Context, sats int64) (note string, nodeErr *Error)
}

// Receive returns an error if the node could not be paid an amount now, and otherwise what is known about it.
func (n *Node) Receive(ctx context.Context, sats int64) (note string, err error) {
	r, ok := n.service.(Receiver)
	if !ok {
		return "its wallet has the channels", nil
	}
	nodeErr := n.call(ctx, func(ctx context.Context) (nodeErr *Error) {
		note, nodeErr = r.Receive(ctx, sats)
		return nodeErr
	})
	if nodeErr != nil {
		return "", nodeErr
	}
	return note, nil
}
