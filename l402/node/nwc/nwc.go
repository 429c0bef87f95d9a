// Package nwc creates invoices at a wallet over Nostr Wallet Connect (NIP-47,
// https://github.com/nostr-protocol/nips/blob/master/47.md), by the method make_invoice.
//
// It needs a connection for make_invoice, and better none that can pay. Its secret may allow its holder
// to read the preimages of unpaid invoices with lookup_invoice, and so to search without paying: it is as precious as
// the key file. Relays see neither.
package nwc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.almanac.example/http402/nip47"
	"go.almanac.example/http402/wallet/rest"
	"go.almanac.example/l402"
	"go.almanac.example/l402/node"

	"github.com/lightningnetwork/lnd/lntypes"
)

const (
	defaultTimeout = 10 * time.Second

	// A wallet counts as not answering strangers after so long.
	silence = 3 * time.Second

	// A relay that failed is tried again after so long.
	backoff = time.Second

	// A wallet that answered counts as ready for so long: each question travels over relays that others pay for.
	quiet = time.Minute
)

// New reads the connection, a URI that begins with nostr+walletconnect://, and returns the wallet, without calling it. Its
// errors are for the operator.
func New(cfg node.Settings) (*node.Node, error) { return open(cfg, silence, backoff) }

func open(cfg node.Settings, silence, backoff time.Duration) (*node.Node, error) {
	read := func() (string, error) { return rest.ReadSecret(cfg.SecretFile) }
	parse := func(uri string) (*nip47.Connection, error) { return nip47.Parse(uri, backoff) }
	c, err := node.Connect(read, parse, (*nip47.Connection).Close, cfg.Log)
	if err != nil {
		return nil, fmt.Errorf("read the wallet connection of -nwc-connection: %w", err)
	}
	cfg.Timeout = cmp.Or(cfg.Timeout, defaultTimeout)
	return node.New(&service{c, cfg, silence}, node.Config{Settings: cfg, NetworkFlag: networkFlag, Quiet: quiet, ChoosesExpiry: true})
}

const networkFlag = "-nwc-network"

// A service speaks to a wallet. It implements [node.Service].
type service struct {
	*node.Connection[string, nip47.Connection]
	cfg     node.Settings
	silence time.Duration
}

// MakeInvoice implements node.Service. A preimage in the answer is not even decoded.
func (s *service) MakeInvoice(ctx context.Context, req l402.InvoiceRequest) (string, *node.Error) {
	var answer struct {
		Invoice string `json:"invoice"` // of NIP-47's answer, only this is there for sure
	}
	nodeErr := s.call(ctx, "make_invoice", map[string]any{
		"amount": req.AmountSats * 1000, "description": req.Memo, "expiry": int64(req.Expiry / time.Second),
	}, &answer)
	return advice.Invoice(answer.Invoice, nodeErr)
}

// Probe implements node.Service: whatever the wallet answers to get_info shows that it is there.
func (s *service) Probe(ctx context.Context, invoiceFollows bool) *node.Error {
	if invoiceFollows {
		return nil
	}
	_, nodeErr := s.info(ctx)
	return nodeErr
}

// spending are the methods of a connection that can pay.
var spending = []string{"pay_invoice", "pay_keysend", "multi_pay_invoice", "multi_pay_keysend", "pay_offer"}

// info asks for the connection's abilities, and reports whether it can spend. A connection that may not ask is none the
// worse.
func (s *service) info(ctx context.Context) (spends bool, nodeErr *node.Error) {
	var info struct {
		Network string   `json:"network"`
		Methods []string `json:"methods"`
	}
	nodeErr = s.call(ctx, "get_info", struct{}{}, &info)
	var refusal *nip47.Error
	switch {
	case nodeErr != nil && errors.As(nodeErr, &refusal) && refusal.Code != "UNAUTHORIZED":
		return false, nil
	case nodeErr != nil:
		return false, nodeErr
	case info.Network != "":
		nodeErr = node.CheckNetwork(info.Network, networkFlag, s.cfg.Network)
	}
	return nodeErr == nil && slices.ContainsFunc(info.Methods, func(m string) bool { return slices.Contains(spending, m) }), nodeErr
}

// Lookup implements node.Service. A stranger whom the wallet does not know gets no answer, or a refusal.
func (s *service) Lookup(ctx context.Context, hash lntypes.Hash, stranger bool) ([]byte, *node.Error) {
	c, asking := s.Current(), ctx
	if stranger {
		var err error
		if c, err = c.Stranger(); err != nil {
			return nil, advice.Garbled(err)
		}
		var cancel context.CancelFunc
		asking, cancel = context.WithTimeout(ctx, s.silence)
		defer cancel()
	} else if spends, nodeErr := s.info(ctx); nodeErr == nil && spends {
		s.cfg.Log.Warn("the wallet connection can spend money, which is not needed; make one that can receive only, for make_invoice")
	}
	var found json.RawMessage
	err := c.Call(asking, "lookup_invoice", map[string]string{"payment_hash": hash.String()}, &found)
	var refusal *nip47.Error
	switch {
	case errors.As(err, &refusal):
		return []byte(refusal.Error()), nil
	case err != nil && stranger && errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return nil, nil
	case err != nil:
		return nil, errorOf(err)
	}
	return found, nil
}

// call calls a method of the wallet.
func (s *service) call(ctx context.Context, method string, params, result any) *node.Error {
	return s.Call(func(c *nip47.Connection) *node.Error {
		if err := c.Call(ctx, method, params, result); err != nil {
			return errorOf(err)
		}
		return nil
	}, func(nodeErr *node.Error) bool { return nodeErr.Reason == node.ReasonCredentials })
}

// errorOf classifies the error of a call.
func errorOf(err error) *node.Error {
	var refusal *nip47.Error
	switch {
	case errors.As(err, &refusal):
		return refused(refusal)
	case errors.Is(err, nip47.ErrGarbled):
		return advice.Garbled(err)
	case errors.Is(err, context.DeadlineExceeded):
		return node.Timeout("is the wallet running, and connected to a relay of the connection?", err)
	}
	return &node.Error{Reason: node.ReasonUnreachable, Cause: err,
		Advice: "no relay of the wallet connection can be used; look at the network, or make a connection with other relays and write it into the file of -nwc-connection"}
}

var advice = node.Advice{Unreadable: "its answer cannot be understood; does the wallet follow NIP-47?"}

// refused classifies an error that the wallet answered.
func refused(refusal *nip47.Error) *node.Error {
	e := &node.Error{Reason: node.ReasonRefused, Cause: refusal}
	switch refusal.Code {
	case "UNAUTHORIZED", "RESTRICTED":
		e.Reason, e.Advice = node.ReasonCredentials,
			"the wallet does not let this connection make invoices; make one for make_invoice and write it into the file of -nwc-connection"
	case "RATE_LIMITED", "QUOTA_EXCEEDED":
		e.Reason, e.Advice = node.ReasonBusy,
			"the wallet limits how many invoices it makes; raise the limit there, or lower -challenge-rate"
	case "NOT_IMPLEMENTED":
		e.Advice = "the wallet cannot make invoices over Nostr Wallet Connect; use another wallet"
	default:
		e.Advice = "the wallet refuses to make an invoice; see its log"
	}
	return e
}
