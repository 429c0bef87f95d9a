// Package lnd creates invoices at an lnd node, over REST.
//
// It needs one permission, to add invoices: a macaroon baked for uri:/lnrpc.Lightning/AddInvoice alone is enough.
// The right to look invoices up shows the preimages of unpaid ones, and a preimage proves a payment. For the same
// reason nothing here asks lnd whether an invoice was paid.
//
// It is written against lnd v0.21.3-beta (https://lightning.engineering/api-docs/api/lnd/).
package lnd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lightningnetwork/lnd/lntypes"

	"go.almanac.example/l402"
	"go.almanac.example/l402/node"
)

// New reads the certificate, the node's tls.cert, and the macaroon, as lnd writes it or in hex as lncli prints it. It
// returns the node without calling it. Its errors are for the operator.
func New(cfg node.Settings) (*node.Node, error) {
	return kind.New(cfg, func(c *node.Client) node.Service { return &service{Client: c} })
}

// A service speaks to an lnd node. It implements [node.Service].
type service struct {
	*node.Client

	mu     sync.Mutex
	asked  time.Time   // when the node was asked for its channels
	public atomic.Bool // it has an announced one
}

// MakeInvoice implements node.Service.
func (s *service) MakeInvoice(ctx context.Context, req l402.InvoiceRequest) (string, *node.Error) {
	var answer struct {
		PaymentRequest string `json:"payment_request"`
	}
	nodeErr := s.Call(ctx, http.MethodPost, "/v1/invoices", struct {
		Value   string `json:"value"`
		Memo    string `json:"memo"`
		Expiry  string `json:"expiry"`
		Private bool   `json:"private,omitempty"` // with route hints
	}{strconv.FormatInt(req.AmountSats, 10), req.Memo, strconv.FormatInt(int64(req.Expiry/time.Second), 10),
		s.needsHints(ctx)}, &answer)
	return advice.Invoice(answer.PaymentRequest, nodeErr)
}

// Probe implements node.Service.
func (s *service) Probe(ctx context.Context, invoiceFollows bool) *node.Error {
	var answer struct {
		State string `json:"state"`
	}
	if nodeErr := s.Call(ctx, http.MethodGet, "/v1/state", nil, &answer); nodeErr != nil {
		return nodeErr
	}
	switch message, known := states[answer.State]; {
	case known:
		return messageError(0, message)
	case answer.State != "SERVER_ACTIVE":
		return advice.Garbled(fmt.Errorf("state %.40q", answer.State))
	case invoiceFollows:
		return nil
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

// Receive implements node.Receiver. Only a macaroon that may list channels can ask.
func (s *service) Receive(ctx context.Context, sats int64) (string, *node.Error) {
	var answer struct {
		Channels []struct {
			Remote  int64 `json:"remote_balance,string"`
			Reserve int64 `json:"remote_chan_reserve_sat,string"`
		} `json:"channels"`
	}
	nodeErr := s.Call(ctx, http.MethodGet, "/v1/channels?active_only=true", nil, &answer)
	if nodeErr != nil && nodeErr.Reason == node.ReasonCredentials {
		return "whether it can be paid is not known: the macaroon may not list channels; bake one with " + listChannelsRight + " too", nil
	}
	if nodeErr != nil {
		return "", nodeErr
	}
	can := int64(0)
	for _, c := range answer.Channels {
		can += max(0, c.Remote-c.Reserve)
	}
	note := fmt.Sprintf("its channels can receive %d sat (active channels: %d)", can, len(answer.Channels))
	if can < sats {
		return "", &node.Error{Reason: node.ReasonNoCapacity, Advice: fmt.Sprintf(
			"%s, and the price is %d: nobody can pay; buy inbound liquidity, or spend some of its balance", note, sats)}
	}
	return note, nil
}

// Lookup implements node.Service.
func (s *service) Lookup(ctx context.Context, hash lntypes.Hash, stranger bool) ([]byte, *node.Error) {
	body, nodeErr := s.Fetch(ctx, http.MethodGet, "/v1/invoice/"+hash.String(), nil, stranger)
	if nodeErr == nil && !stranger {
		s.Settings.Log.Warn("the Lightning node's macaroon permits more than it needs; bake one for uri:/lnrpc.Lightning/AddInvoice alone")
	}
	return body, nodeErr
}

// The reasons of a [node.Error] that only lnd has.
const (
	ReasonNoWallet = "no_wallet" // lnd has no wallet yet
	ReasonLocked   = "locked"    // lnd is waiting for the wallet's password
	ReasonStandby  = "standby"   // lnd has not begun to start, or is waiting to lead its cluster
)

// kind is lnd's REST listener.
var kind = node.Kind{Example: "https://localhost:8080", Flag: "-lnd-network",
	Judge: judge, Advice: advice, Read: credentials}

// advice is for the operator when a call has no usable response.
var advice = node.Advice{
	Name:       "its certificate does not cover the host of -lnd-url; use a host that it covers, or add this one as tlsextradomain or tlsextraip to lnd.conf, delete tls.cert and tls.key, restart lnd and copy tls.cert again",
	Expired:    "its certificate is not valid today; restart lnd with tlsautorefresh, copy tls.cert again, and check both clocks",
	Cert:       "its certificate is not the one in -lnd-cert; copy the node's tls.cert again, and if the node has no new one, somebody is intercepting the connection",
	NoTLS:      "what answers at -lnd-url does not speak TLS; use the address of lnd's restlisten, and do not run lnd with no-rest-tls",
	NotNode:    "what answers at -lnd-url is not lnd's REST listener; use the address of restlisten (port 8080 by default), not that of rpclisten",
	NoAddress:  "the host of -lnd-url has no address; correct it",
	NoAnswer:   "nothing answers at -lnd-url; start the node, or correct the address",
	Broke:      "the connection broke before the response; the node is stopping, or -lnd-url is not its restlisten but its rpclisten",
	Unreadable: "its response cannot be understood; is -lnd-url an lnd of version 0.20 or later?",
}

// errNegative means that lnd objected to nothing but the amount.
var errNegative = errors.New("the amount is negative")

// judge classifies responses of lnd other than 200. Nearly all of them have status 500 and code 2 (unknown), so the
// text decides.
func judge(res node.Response) *node.Error {
	if res.Status == http.StatusOK {
		return nil
	}
	var answer struct {
		Message string `json:"message"`
	}
	if err := json.Unmarshal(res.Body, &answer); err != nil || answer.Message == "" {
		return advice.Page(res.Status)
	}
	return messageError(res.Status, answer.Message)
}

// states are the states from GET /v1/state (lnrpc/stateservice.proto) in which lnd does not work, each with the message
// that calls have. In RPC_ACTIVE calls may hang.
var states = map[string]string{
	"NON_EXISTING": "wallet not created", "LOCKED": "wallet locked", "WAITING_TO_START": "waiting to start",
	"UNLOCKED": "in the process of starting", "RPC_ACTIVE": "in the process of starting",
}

// messages are parts of lnd's error messages, each with its reason and the advice for the operator; the first that
// a message contains counts. Each was observed, or is in lnd's source: rpcperms/interceptor.go, macaroons, and the code
// that stops it.
var messages = []struct{ part, reason, advice string }{
	{"wallet not created", ReasonNoWallet, "it has no wallet; run lncli create on it"},
	{"wallet locked", ReasonLocked,
		"its wallet is locked; run lncli unlock on it, or set wallet-unlock-password-file in lnd.conf"},
	{"in the process of starting", node.ReasonStarting, "it is starting; wait"},
	{"macaroon store is locked", node.ReasonStarting, "it is starting or stopping; wait"},
	{"shutting down", node.ReasonStarting, "it is stopping; start it again"},
	{"database not open", node.ReasonStarting, "it is stopping; start it again"},
	{"waiting to start", ReasonStandby,
		"it has not begun to start; if that does not change, it is waiting to lead its cluster: use the address of the leading node"},
	{"permission denied", node.ReasonCredentials,
		"our macaroon may not add invoices; bake one for uri:/lnrpc.Lightning/AddInvoice and set it as -lnd-macaroon"},
	{"verification failed", node.ReasonCredentials,
		"the macaroon belongs to another node; bake one on this node for uri:/lnrpc.Lightning/AddInvoice and set it as -lnd-macaroon"},
	{"root key", node.ReasonCredentials, "it does not know our macaroon's root key; bake a new one for uri:/lnrpc.Lightning/AddInvoice and set it as -lnd-macaroon"},
	{"caveat", node.ReasonCredentials, "a condition of our macaroon is not met; bake one without --timeout, and without --ip_address, which over REST is always the node's own"},
	{"macaroon", node.ReasonCredentials, "it does not accept our macaroon; bake a new one for uri:/lnrpc.Lightning/AddInvoice and set it as -lnd-macaroon"},
}

// messageError classifies an error message of lnd; status is the HTTP status, or 0.
func messageError(status int, message string) *node.Error {
	var cause error
	if status != 0 {
		cause = fmt.Errorf("status %d: %.200q", status, message)
	}
	for _, m := range messages {
		if strings.Contains(message, m.part) {
			return &node.Error{Reason: m.reason, Advice: m.advice, Cause: cause}
		}
	}
	switch status {
	case 499, http.StatusServiceUnavailable: // canceled and unavailable: lnd's own REST listener lost its RPC server
		return &node.Error{Reason: node.ReasonStarting,
			Advice: "its REST listener is up, but its RPC server is not; it is starting or stopping", Cause: cause}
	case http.StatusGatewayTimeout:
		return &node.Error{Reason: node.ReasonTimeout,
			Advice: "it did not handle the call in time; it may be starting, syncing or overloaded, see its log", Cause: cause}
	}
	if cause != nil && strings.Contains(message, "negative") {
		cause = fmt.Errorf("%w: %w", errNegative, cause)
	}
	return &node.Error{Reason: node.ReasonRefused, Advice: "it refuses the call; see its log", Cause: cause}
}
