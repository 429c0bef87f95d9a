// Package lnd creates invoices at an lnd node, over REST.
//
// It needs one permission, to add invoices: a macaroon baked for uri:/lnrpc.Lightning/AddInvoice alone is enough. Whoever may look
// invoices up can read the preimages of unpaid ones, and a preimage proves a payment. For the same reason nothing here asks lnd
// whether an invoice was paid.
//
// It is written against lnd v0.20.1-beta (https://lightning.engineering/api-docs/api/lnd/).
package lnd

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"almanac/l402"

	"github.com/btcsuite/btcd/chaincfg"
	"github.com/lightningnetwork/lnd/lntypes"
)

const (
	// Measured on two cores: 8 concurrent calls create twice as many invoices as one; 64 create no more than 8, and wait longer.
	defaultConcurrency = 8
	defaultTimeout     = 5 * time.Second

	// An error is repeated for this long without asking again, so that a node in trouble is not flooded and a slow one
	// does not hold a goroutine for every request.
	errorTTL = time.Second

	// The result of Ready is repeated for this long.
	readyTTL = 3 * time.Second
)

// Config is the address of a node and the credentials for it.
type Config struct {
	URL          string        // the node's REST address, for example https://localhost:8080
	CertFile     string        // the node's tls.cert; no other certificate is trusted
	MacaroonFile string        // as lnd writes it, or in hex as lncli prints it
	Network      string        // the node's network, one of [Networks]
	RouteHints   bool          // name private channels in invoices, without which a node that has no other cannot be paid
	Timeout      time.Duration // of one call, including the wait for its turn; 0 means 5 seconds
	Concurrency  int           // calls at the same time; 0 means 8

	Now func() time.Time // nil means time.Now
	Log *slog.Logger     // receives a line when the node fails and when it recovers; nil means no log
}

// A Node is an lnd node. It implements [l402.Invoicer].
type Node struct {
	connection *connection
	net        *chaincfg.Params
	routeHints bool
	now        func() time.Time
	log        *slog.Logger
	probing    chan struct{} // limits probes to one at a time

	mu      sync.Mutex
	asked   time.Time // when the last call ended, with an answer or without
	lastErr *Error    // of that call; nil if it succeeded
	proven  bool      // an invoice passed the check, and none has failed since
}

// New reads the certificate and the macaroon and returns the node. It does not call it: a node that is down now may be up when the
// first invoice is needed, and credentials already bought need no node. Its errors are for the operator.
func New(cfg Config) (*Node, error) {
	base, err := checkURL(cfg.URL)
	if err != nil {
		return nil, err
	}
	params, err := params(cfg.Network)
	if err != nil {
		return nil, err
	}
	n := &Node{
		connection: &connection{base: base, timeout: cfg.Timeout, files: credentialFiles{cert: cfg.CertFile, macaroon: cfg.MacaroonFile}},
		net:        params,
		routeHints: cfg.RouteHints,
		now:        cfg.Now,
		log:        cfg.Log,
		probing:    make(chan struct{}, 1),
	}
	c := n.connection
	if c.timeout == 0 {
		c.timeout = defaultTimeout
	}
	if n.now == nil {
		n.now = time.Now
	}
	if n.log == nil {
		n.log = slog.New(slog.DiscardHandler)
	}
	concurrency := cfg.Concurrency
	if concurrency == 0 {
		concurrency = defaultConcurrency
	}
	c.log, c.slots = n.log, make(chan struct{}, concurrency)
	creds, err := c.files.read()
	if err != nil {
		return nil, err
	}
	if c.session, err = newSession(creds, concurrency); err != nil {
		return nil, err
	}
	warnOfRights(n.log, creds.macaroon)
	return n, nil
}

// AddInvoice creates one invoice at the node. Its errors are an [*Error], except for a request that no node could fulfil.
func (n *Node) AddInvoice(ctx context.Context, req l402.InvoiceRequest) (l402.Invoice, error) {
	if err := req.Check(); err != nil {
		return l402.Invoice{}, err
	}
	if nodeErr := n.recentError(errorTTL); nodeErr != nil {
		return l402.Invoice{}, nodeErr
	}
	inv, nodeErr := n.addInvoice(ctx, req)
	n.record(ctx, nodeErr)
	if nodeErr != nil {
		return l402.Invoice{}, nodeErr
	}
	return inv, nil
}

func (n *Node) addInvoice(ctx context.Context, req l402.InvoiceRequest) (l402.Invoice, *Error) {
	body, nodeErr := n.connection.call(ctx, http.MethodPost, "/v1/invoices", struct {
		Value   string `json:"value"`
		Memo    string `json:"memo"`
		Expiry  string `json:"expiry"`
		Private bool   `json:"private,omitempty"` // with route hints
	}{strconv.FormatInt(req.AmountSats, 10), req.Memo, strconv.FormatInt(int64(req.Expiry/time.Second), 10), n.routeHints})
	if nodeErr != nil {
		return l402.Invoice{}, nodeErr
	}
	var answer struct {
		RHash          []byte `json:"r_hash"`
		PaymentRequest string `json:"payment_request"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return l402.Invoice{}, garbled(err)
	}
	hash, err := lntypes.MakeHash(answer.RHash)
	if err != nil {
		return l402.Invoice{}, garbled(err)
	}
	inv := l402.Invoice{PaymentRequest: answer.PaymentRequest, PaymentHash: hash}
	if inv.ExpiresAt, err = expiry(inv.PaymentRequest, n.net); err == nil {
		err = l402.CheckInvoice(inv, req, n.net, n.now())
	}
	if err != nil {
		return l402.Invoice{}, wrongInvoice(err, n.net)
	}
	return inv, nil
}

// Ready returns an error if the node would not create an invoice now. The result is kept for 3 seconds, so it may be polled.
//
// It creates no invoice, except one of 1 sat when there was none yet or the last one was wrong: without the permission to ask, that
// is the only way to find out that a node is on another network.
func (n *Node) Ready(ctx context.Context) error {
	select {
	case n.probing <- struct{}{}:
		defer func() { <-n.probing }()
	case <-ctx.Done():
		return canceled(ctx.Err())
	}
	n.mu.Lock()
	fresh, nodeErr, proven := n.now().Sub(n.asked) < readyTTL, n.lastErr, n.proven
	n.mu.Unlock()
	if !fresh {
		nodeErr = n.probe(ctx, proven)
		n.record(ctx, nodeErr)
	}
	if nodeErr != nil {
		return nodeErr
	}
	return nil
}

func (n *Node) probe(ctx context.Context, proven bool) *Error {
	body, nodeErr := n.connection.call(ctx, http.MethodGet, "/v1/state", nil)
	if nodeErr != nil {
		return nodeErr
	}
	var answer struct {
		State string `json:"state"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return garbled(err)
	}
	if nodeErr := stateError(answer.State); nodeErr != nil {
		return nodeErr
	}
	if !proven {
		_, nodeErr = n.addInvoice(ctx, l402.InvoiceRequest{AmountSats: 1, Memo: "readiness check", Expiry: time.Minute})
		return nodeErr
	}
	// lnd checks the macaroon before the amount: an error about the amount shows that the macaroon is good.
	_, nodeErr = n.connection.call(ctx, http.MethodPost, "/v1/invoices", map[string]string{"value": "-1"})
	if nodeErr != nil && nodeErr.Reason == ReasonRefused && nodeErr.negative {
		return nil
	}
	if nodeErr == nil {
		return garbled(errors.New("the node accepted an invoice of a negative amount"))
	}
	return nodeErr
}

// recentError returns the error of the last call if that was less than d ago.
func (n *Node) recentError(d time.Duration) *Error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.lastErr != nil && n.now().Sub(n.asked) < d {
		return n.lastErr
	}
	return nil
}

// record keeps the outcome of a call, and logs it when it differs from the last one. An error after ctx, which is the caller's, has
// ended says nothing about the node.
func (n *Node) record(ctx context.Context, nodeErr *Error) {
	if nodeErr != nil && ctx.Err() != nil {
		return
	}
	n.mu.Lock()
	before := n.lastErr
	n.lastErr, n.asked = nodeErr, n.now()
	switch {
	case nodeErr == nil:
		n.proven = true
	case nodeErr.Reason == ReasonWrongInvoice:
		n.proven = false
	}
	n.mu.Unlock()
	switch {
	case nodeErr != nil && (before == nil || before.Reason != nodeErr.Reason):
		n.log.Warn("the Lightning node fails to create invoices", "reason", nodeErr.Reason, "error", nodeErr)
	case nodeErr == nil && before != nil:
		n.log.Info("the Lightning node creates invoices again", "after", before.Reason)
	}
}
