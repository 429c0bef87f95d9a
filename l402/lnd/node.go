// Package lnd creates invoices at an lnd node, over REST.
//
// It needs one permission, to add invoices: a macaroon baked for uri:/lnrpc.Lightning/AddInvoice alone is enough.
// Whoever may look invoices up can read the preimages of unpaid ones, and a preimage proves a payment. For the same
// reason nothing here asks lnd whether an invoice was paid.
//
// It is written against lnd v0.20.1-beta (https://lightning.engineering/api-docs/api/lnd/).
package lnd

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"almanac/l402"
	"almanac/l402/node"

	"github.com/lightningnetwork/lnd/lntypes"
)

// Config is the address of a node and the credentials for it.
type Config struct {
	URL          string        // the node's REST address, for example https://localhost:8080
	CertFile     string        // the node's tls.cert; no other certificate is trusted
	MacaroonFile string        // as lnd writes it, or in hex as lncli prints it
	Network      string        // the node's network, one of [node.Networks]
	RouteHints   bool          // name private channels in invoices, without which a node that has no other cannot be paid
	AskChannels  bool          // name them only if the node has no announced channel, where the macaroon lets us ask
	Timeout      time.Duration // of one call, including the wait for its turn; 0 means 5 seconds
	Concurrency  int           // calls at the same time; 0 means 8

	Now func() time.Time // nil means time.Now
	Log *slog.Logger     // receives a line when the node fails and when it recovers; nil means no log
}

// New reads the certificate and the macaroon and returns the node, without calling it. Its errors are for the operator.
func New(cfg Config) (*node.Node, error) {
	files := credentialFiles{cert: cfg.CertFile, macaroon: cfg.MacaroonFile}
	client, err := kind.Dial(cfg.URL, files.read, cfg.Log)
	if err != nil {
		return nil, err
	}
	if cfg.Log != nil {
		files.warnOfRights(cfg.Log)
	}
	s := &service{Client: client, hints: hints{client: client, on: cfg.RouteHints, ask: cfg.AskChannels, files: files, now: cfg.Now, log: cfg.Log}}
	if s.hints.now == nil {
		s.hints.now = time.Now
	}
	return node.New(s, node.Config{
		Network: cfg.Network, NetworkFlag: "-lnd-network", Timeout: cfg.Timeout, Concurrency: cfg.Concurrency, Now: cfg.Now, Log: cfg.Log,
	})
}

// A service speaks to an lnd node. It implements [node.Service].
type service struct {
	*node.Client
	hints hints
}

// MakeInvoice implements node.Service.
func (s *service) MakeInvoice(ctx context.Context, req l402.InvoiceRequest) (node.Made, *node.Error) {
	var answer struct {
		RHash          []byte `json:"r_hash"`
		PaymentRequest string `json:"payment_request"`
	}
	nodeErr := s.Call(ctx, http.MethodPost, "/v1/invoices", struct {
		Value   string `json:"value"`
		Memo    string `json:"memo"`
		Expiry  string `json:"expiry"`
		Private bool   `json:"private,omitempty"` // with route hints
	}{strconv.FormatInt(req.AmountSats, 10), req.Memo, strconv.FormatInt(int64(req.Expiry/time.Second), 10), s.hints.needed(ctx)}, &answer)
	if nodeErr != nil {
		return node.Made{}, nodeErr
	}
	hash, err := lntypes.MakeHash(answer.RHash)
	if err != nil {
		return node.Made{}, advice.Garbled(err)
	}
	return node.Made{PaymentRequest: answer.PaymentRequest, PaymentHash: hash}, nil
}

// Probe implements node.Service.
func (s *service) Probe(ctx context.Context, invoiceFollows bool) *node.Error {
	var answer struct {
		State string `json:"state"`
	}
	if nodeErr := s.Call(ctx, http.MethodGet, "/v1/state", nil, &answer); nodeErr != nil {
		return nodeErr
	}
	if nodeErr := stateError(answer.State); nodeErr != nil || invoiceFollows {
		return nodeErr
	}
	// lnd checks the macaroon before the amount: an error about the amount shows that the macaroon is good.
	nodeErr := s.Call(ctx, http.MethodPost, "/v1/invoices", map[string]string{"value": "-1"}, nil)
	if nodeErr != nil && errors.Is(nodeErr, errNegative) {
		return nil
	}
	if nodeErr == nil {
		return advice.Garbled(errors.New("the node accepted an invoice of a negative amount"))
	}
	return nodeErr
}

// Lookup implements node.Service. As the owner of a macaroon nothing is looked up: the macaroon itself says its rights.
func (s *service) Lookup(ctx context.Context, hash lntypes.Hash, stranger bool) ([]byte, *node.Error) {
	if !stranger {
		return nil, nil
	}
	return s.Fetch(ctx, http.MethodGet, "/v1/invoice/"+hash.String(), nil, true)
}
