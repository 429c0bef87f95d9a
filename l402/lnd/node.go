// Package lnd asks an lnd node for invoices over REST.
//
// It holds one right, to add invoices, and cannot use more: a macaroon baked for uri:/lnrpc.Lightning/AddInvoice alone is
// enough. Whoever may look invoices up can read the preimages of unpaid ones, and a preimage is what proves a payment.
// For the same reason nothing here asks lnd whether an invoice was paid.
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
	// Measured on two cores: 8 callers together get twice the invoices of one, 64 get no more than 8 and wait longer.
	defaultConcurrency = 8
	defaultTimeout     = 5 * time.Second

	// A fault is believed this long without asking again, so that a node in trouble is not hammered and a slow one
	// does not hold a goroutine for every request.
	faultFor = time.Second

	// What Ready found is believed this long.
	readyFor = 3 * time.Second
)

// Config says which node to ask, and as whom.
type Config struct {
	URL          string        // the node's REST address, for example https://localhost:8080
	CertFile     string        // the node's tls.cert; no other certificate is trusted
	MacaroonFile string        // as lnd writes it, or in hex as lncli prints it
	Network      string        // the node's network, one of [Networks]
	Timeout      time.Duration // of one call, with the wait for its turn; 0 means 5 seconds
	Concurrency  int           // calls at the same time; 0 means 8

	Now func() time.Time // nil means time.Now
	Log *slog.Logger     // told when the node falls into trouble and comes out of it; nil means silence
}

// A Node is an lnd node. It implements [l402.Invoicer].
type Node struct {
	base    string
	net     *chaincfg.Params
	timeout time.Duration
	slots   chan struct{}
	now     func() time.Time
	log     *slog.Logger
	files   credentialFiles
	probing chan struct{} // holds one token, of the one that may probe

	mu     sync.Mutex
	link   *link
	asked  time.Time // when the node was last heard of, in answer or in silence
	fault  *Fault    // what it answered then; nil is well
	proven bool      // an invoice of it passed the check, and none failed since
}

// New reads the certificate and the macaroon and gives the node. It does not call it: a node that is down now may be up
// when the first invoice is asked for, and what was bought before needs no node. Its errors are for whoever set it up.
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
		base:    base,
		net:     params,
		timeout: cfg.Timeout,
		now:     cfg.Now,
		log:     cfg.Log,
		files:   credentialFiles{cert: cfg.CertFile, macaroon: cfg.MacaroonFile},
		probing: make(chan struct{}, 1),
	}
	if n.timeout == 0 {
		n.timeout = defaultTimeout
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
	n.slots = make(chan struct{}, concurrency)
	creds, err := n.files.read()
	if err != nil {
		return nil, err
	}
	if n.link, err = newLink(creds, concurrency); err != nil {
		return nil, err
	}
	n.warnOfRights(creds.macaroon)
	return n, nil
}

// AddInvoice asks the node for one invoice. Its errors are a [*Fault], except that a request no node could honour gives
// a plain error.
func (n *Node) AddInvoice(ctx context.Context, req l402.InvoiceRequest) (l402.Invoice, error) {
	if err := req.Check(); err != nil {
		return l402.Invoice{}, err
	}
	if fault := n.known(faultFor); fault != nil {
		return l402.Invoice{}, fault
	}
	inv, fault := n.addInvoice(ctx, req)
	n.note(ctx, fault)
	if fault != nil {
		return l402.Invoice{}, fault
	}
	return inv, nil
}

func (n *Node) addInvoice(ctx context.Context, req l402.InvoiceRequest) (l402.Invoice, *Fault) {
	body, fault := n.call(ctx, http.MethodPost, "/v1/invoices", map[string]string{
		"value":  strconv.FormatInt(req.AmountSats, 10),
		"memo":   req.Memo,
		"expiry": strconv.FormatInt(int64(req.Expiry/time.Second), 10),
	})
	if fault != nil {
		return l402.Invoice{}, fault
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

// Ready reports whether the node would give an invoice now. What it finds is kept for 3 seconds, so it may be polled.
//
// It adds no invoice, but for one of 1 sat when none was had yet or the last one was wrong: that is the only way to learn
// of a node on another network without the right to ask it.
func (n *Node) Ready(ctx context.Context) error {
	select {
	case n.probing <- struct{}{}:
		defer func() { <-n.probing }()
	case <-ctx.Done():
		return canceled(ctx.Err())
	}
	n.mu.Lock()
	fresh, fault, proven := n.now().Sub(n.asked) < readyFor, n.fault, n.proven
	n.mu.Unlock()
	if !fresh {
		fault = n.probe(ctx, proven)
		n.note(ctx, fault)
	}
	if fault != nil {
		return fault
	}
	return nil
}

func (n *Node) probe(ctx context.Context, proven bool) *Fault {
	body, fault := n.call(ctx, http.MethodGet, "/v1/state", nil)
	if fault != nil {
		return fault
	}
	var answer struct {
		State string `json:"state"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return garbled(err)
	}
	if fault := stateFault(answer.State); fault != nil {
		return fault
	}
	if !proven {
		_, fault = n.addInvoice(ctx, l402.InvoiceRequest{AmountSats: 1, Memo: "readiness check", Expiry: time.Minute})
		return fault
	}
	// lnd looks at the macaroon first and at the amount then: told that the amount is wrong, we know the macaroon is right.
	_, fault = n.call(ctx, http.MethodPost, "/v1/invoices", map[string]string{"value": "-1"})
	if fault != nil && fault.Reason == ReasonRefused && fault.negative {
		return nil
	}
	if fault == nil {
		return garbled(errors.New("the node accepted an invoice of a negative amount"))
	}
	return fault
}

// known returns the fault that was met less than d ago, or nil.
func (n *Node) known(d time.Duration) *Fault {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.fault != nil && n.now().Sub(n.asked) < d {
		return n.fault
	}
	return nil
}

// note remembers what the node answered, and logs it when it is news. Whatever happened after ctx, which is the caller's, ended
// tells nothing about the node.
func (n *Node) note(ctx context.Context, fault *Fault) {
	if fault != nil && ctx.Err() != nil {
		return
	}
	n.mu.Lock()
	before := n.fault
	n.fault, n.asked = fault, n.now()
	switch {
	case fault == nil:
		n.proven = true
	case fault.Reason == ReasonWrongInvoice:
		n.proven = false
	}
	n.mu.Unlock()
	switch {
	case fault != nil && (before == nil || before.Reason != fault.Reason):
		n.log.Warn("the Lightning node gives no invoices", "reason", fault.Reason, "error", fault)
	case fault == nil && before != nil:
		n.log.Info("the Lightning node gives invoices again", "after", before.Reason)
	}
}
