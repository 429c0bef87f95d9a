// Package cln creates invoices at a Core Lightning node, over its plugin clnrest
// (https://docs.corelightning.org/docs/rest).
//
// It needs a rune for the methods invoice and getinfo. Core Lightning tells the preimage of an invoice when it is paid,
// and not before.
package cln

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"time"

	"go.almanac.example/http402/wallet/rest"
	"go.almanac.example/l402"
	"go.almanac.example/l402/node"

	"github.com/lightningnetwork/lnd/lntypes"
)

// New reads the certificate, ca.pem of clnrest, and the rune, and returns the node, without calling it. Its errors are for
// the operator.
func New(cfg node.Settings) (*node.Node, error) {
	return kind.New(cfg, func(c *node.Client) node.Service { return &service{c} })
}

// kind is clnrest.
var kind = node.Kind{Example: "https://localhost:3010", Flag: "-cln-network",
	Judge: judge, Advice: advice, Read: credentials}

func credentials(s node.Settings) (node.Credentials, error) {
	cert, err := rest.ReadCertificate(s.CertFile, "use ca.pem of clnrest")
	if err != nil {
		return node.Credentials{}, err
	}
	value, err := rest.ReadSecret(s.SecretFile)
	if err != nil {
		return node.Credentials{}, fmt.Errorf("read the node's rune: %w", err)
	}
	if !runeText.MatchString(value) {
		return node.Credentials{}, fmt.Errorf(
			"%s contains no rune: write the value of \"rune\" that lightning-cli createrune prints", s.SecretFile)
	}
	return node.Credentials{Cert: cert, Header: "Rune", Value: value}, nil
}

// runeText matches a rune: base64 for addresses, of the 32 bytes of its authentication code at least.
var runeText = regexp.MustCompile(`^[a-zA-Z0-9_=-]{43,}$`)

// A service speaks to a Core Lightning node. It implements [node.Service].
type service struct{ *node.Client }

// MakeInvoice implements node.Service.
func (s *service) MakeInvoice(ctx context.Context, req l402.InvoiceRequest) (string, *node.Error) {
	var answer struct {
		Bolt11 string `json:"bolt11"`
	}
	nodeErr := s.invoice(ctx, req, &answer)
	if nodeErr != nil && errors.Is(nodeErr, errLabel) {
		// The request was repeated on a new connection, and had arrived before.
		nodeErr = s.invoice(ctx, req, &answer)
	}
	return advice.Invoice(answer.Bolt11, nodeErr)
}

func (s *service) invoice(ctx context.Context, req l402.InvoiceRequest, answer any) *node.Error {
	return s.Call(ctx, http.MethodPost, "/v1/invoice", map[string]any{
		"amount_msat": req.AmountSats * 1000, "label": "almanac-" + rand.Text(), "description": req.Memo,
		"expiry": int64(req.Expiry / time.Second),
	}, answer)
}

// Probe implements node.Service.
func (s *service) Probe(ctx context.Context, _ bool) *node.Error {
	var info struct {
		Network          string `json:"network"`
		WarningBitcoind  string `json:"warning_bitcoind_sync"`
		WarningLightning string `json:"warning_lightningd_sync"`
	}
	if nodeErr := s.Call(ctx, http.MethodPost, "/v1/getinfo", struct{}{}, &info); nodeErr != nil {
		return nodeErr
	}
	switch warning := cmp.Or(info.WarningBitcoind, info.WarningLightning); {
	case info.Network == "":
		return advice.Garbled(errors.New("no network in its answer to getinfo"))
	case warning != "" && s.CheckNetwork(info.Network) == nil:
		return &node.Error{Reason: node.ReasonStarting, Advice: "it is syncing; wait", Cause: fmt.Errorf("%.200q", warning)}
	}
	return s.CheckNetwork(info.Network)
}

// Receive implements node.Receiver. The node warns of it in the answer to an invoice, which needs no further right.
func (s *service) Receive(ctx context.Context, sats int64) (string, *node.Error) {
	var answer struct {
		Capacity string `json:"warning_capacity"`
		Offline  string `json:"warning_offline"`
		DeadEnds string `json:"warning_deadends"`
	}
	nodeErr := s.invoice(ctx, l402.InvoiceRequest{AmountSats: sats, Memo: "readiness check", Expiry: time.Minute}, &answer)
	if nodeErr != nil {
		return "", nodeErr
	}
	if warning := cmp.Or(answer.Capacity, answer.Offline, answer.DeadEnds); warning != "" {
		return "", &node.Error{Reason: node.ReasonNoCapacity, Cause: errors.New(warning),
			Advice: fmt.Sprintf("its channels cannot receive %d sat: nobody can pay; buy inbound liquidity, or spend some of its balance", sats)}
	}
	return fmt.Sprintf("its channels can receive %d sat", sats), nil
}

// Lookup implements node.Service.
func (s *service) Lookup(ctx context.Context, hash lntypes.Hash, stranger bool) ([]byte, *node.Error) {
	body, nodeErr := s.Fetch(ctx, http.MethodPost, "/v1/listinvoices", map[string]string{"payment_hash": hash.String()}, stranger)
	if nodeErr == nil && !stranger {
		s.Settings.Log.Warn("the Lightning node's rune permits more than it needs; create one that permits invoice and getinfo alone")
	}
	return body, nodeErr
}

// advice is for the operator when a call has no usable response.
var advice = node.Advice{
	Name:       "its certificate does not cover the host of -cln-url; use localhost, or set clnrest-host, delete clnrest's certificates, restart it and copy ca.pem again",
	Expired:    "its certificate is not valid today; delete clnrest's certificates, restart it and copy ca.pem again, and check both clocks",
	Cert:       "its certificate is not signed by the one in -cln-cert; copy ca.pem from the node's folder again, and if the node has no new one, somebody is intercepting the connection",
	NoTLS:      "what answers at -cln-url does not speak TLS; do not set clnrest-protocol=http",
	NotNode:    "what answers at -cln-url is not clnrest; use the address of clnrest-host and clnrest-port",
	NoAddress:  "the host of -cln-url has no address; correct it",
	NoAnswer:   "nothing answers at -cln-url; start the node with clnrest-port set, or correct the address",
	Broke:      "the connection broke before the response; the node is stopping, or -cln-url is the address of something else",
	Unreadable: "its response cannot be understood; is -cln-url the clnrest of a Core Lightning of version 24.11 or later?",
}

// errLabel means that an invoice with that label exists.
var errLabel = errors.New("the label is taken")

// The codes of JSON-RPC errors that are told apart.
const (
	codeLabelExists  = 900
	codeUnknownCall  = -32601
	codeNotPermitted = 1502
)

// refusals is the advice about refused invoices, by their codes (lightning-invoice(7)).
var refusals = map[int]string{
	codeLabelExists: "it has an invoice with the same label; see its log",
	901:             "it used a preimage twice; see its log",
	902:             "it has no channel through which it could be paid that much; get inbound capacity",
}

// judge classifies responses of clnrest, which answers success with 201.
func judge(res node.Response) *node.Error {
	if res.Status == http.StatusOK || res.Status == http.StatusCreated {
		return nil
	}
	var answer struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	if err := json.Unmarshal(res.Body, &answer); err != nil || answer.Message == "" {
		return advice.Page(res.Status)
	}
	cause := fmt.Errorf("status %d, code %d: %.200q", res.Status, answer.Code, answer.Message)
	switch {
	case res.Status == http.StatusUnauthorized, res.Status == http.StatusForbidden, answer.Code == codeNotPermitted:
		return &node.Error{Reason: node.ReasonCredentials, Cause: cause,
			Advice: `it does not accept our rune; create one with lightning-cli createrune restrictions='[["method=invoice","method=getinfo"]]' and write it into the file of -cln-rune`}
	case answer.Code == codeUnknownCall:
		return advice.Foreign(cause)
	case answer.Code == codeLabelExists:
		cause = fmt.Errorf("%w: %w", errLabel, cause)
	}
	return &node.Error{Reason: node.ReasonRefused, Cause: cause,
		Advice: cmp.Or(refusals[answer.Code], "it refuses the call; see its log")}
}
