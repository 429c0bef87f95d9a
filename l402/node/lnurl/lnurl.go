// Package lnurl has the service behind a Lightning address make invoices (LNURL-pay: LUD-06, LUD-16), so that the owner
// of an address can sell without a node (https://github.com/lnurl/luds).
//
// The service holds the money, and knows the preimages of unpaid invoices: it could search without paying. It also
// chooses how long its invoices can be paid, and their descriptions.
package lnurl

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.almanac.example/http402/bech32"
	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/wallet"
	"go.almanac.example/l402"
	"go.almanac.example/l402/node"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/lightningnetwork/lnd/lntypes"
)

const (
	networkFlag    = "-lnurl-network"
	defaultTimeout = 10 * time.Second

	// A service that answered counts as ready for so long: it is somebody else's.
	quiet = time.Minute

	// Invoices whose LUD-21 addresses are remembered, more than are made at one time.
	remembered = 64
)

// New returns the service behind an address, name@example.com or an LNURL (lnurl1…, lnurlp://… or https://…), without
// calling it. Its errors are for the operator.
func New(cfg node.Settings) (*node.Node, error) {
	address, err := parse(cfg.Address)
	if err != nil {
		return nil, err
	}
	verify, _ := lru.New[lntypes.Hash, string](remembered) // which fails at 0 only
	cfg.Timeout = cmp.Or(cfg.Timeout, defaultTimeout)
	return node.New(&service{kind.Open(cfg.Log), address, cfg.PriceSats, verify}, node.Config{
		Settings: cfg, NetworkFlag: networkFlag, Quiet: quiet, ChoosesExpiry: true,
	})
}

// lightningAddress matches an address of LUD-16, which may have a tag (+tag).
var lightningAddress = regexp.MustCompile(`^([a-z0-9_.+-]+)@([a-z0-9.-]+(?::\d+)?)$`)

// parse returns the address of the first call for a Lightning address (LUD-16) or an LNURL (LUD-01, LUD-17).
func parse(address string) (*url.URL, error) {
	text := bolt11.FromURI(strings.TrimSpace(address))
	if m := lightningAddress.FindStringSubmatch(strings.ToLower(text)); m != nil {
		scheme := "https"
		if node.IsPrivate(strings.Split(m[2], ":")[0]) {
			scheme = "http"
		}
		return &url.URL{Scheme: scheme, Host: m[2], Path: "/.well-known/lnurlp/" + m[1]}, nil
	}
	if prefix, data, err := bech32.Decode(text); err == nil && prefix == "lnurl" {
		raw, err := bech32.Bytes(data)
		if err != nil {
			return nil, fmt.Errorf("-lnurl-address %.40q is not an LNURL: it %w", address, err)
		}
		text = string(raw)
	}
	if scheme, rest, _ := strings.Cut(text, ":"); strings.EqualFold(scheme, "lnurlp") {
		text = "https://" + strings.TrimPrefix(rest, "//")
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || !mayCall(u, nil) {
		return nil, fmt.Errorf("-lnurl-address %.40q is not a Lightning address: use one like name@example.com, or an LNURL of a service with https://", address)
	}
	return u, nil
}

// mayCall reports whether an address that a service at from named may be called; from is nil for the operator's own.
// Only a service of this machine or a private network leads to others there, and only there does without TLS.
func mayCall(u, from *url.URL) bool {
	private := node.IsPrivate(u.Hostname())
	return u.Host != "" && (u.Scheme == "https" || u.Scheme == "http" && private) &&
		(from == nil || !private || node.IsPrivate(from.Hostname()))
}

// A service speaks to the service behind an address. It implements [node.Service].
type service struct {
	*node.Client
	address   *url.URL
	priceSats int64
	verify    *lru.Cache[lntypes.Hash, string] // addresses at which payments are verified (LUD-21)
}

// An offer is the first answer of a service (LUD-06).
type offer struct {
	Tag         string        `json:"tag"`
	Callback    string        `json:"callback"`
	MinSendable wallet.Number `json:"minSendable"` // millisatoshis; some services write fractions, exponents, or more than an int64 takes
	MaxSendable wallet.Number `json:"maxSendable"`
}

// offer asks the service for its terms, and returns the address that makes invoices of an amount.
func (s *service) offer(ctx context.Context, sats int64) (callback string, nodeErr *node.Error) {
	var o offer
	if nodeErr = s.Call(ctx, http.MethodGet, s.address.String(), nil, &o); nodeErr != nil {
		return "", nodeErr
	}
	u, err := s.address.Parse(o.Callback) // which some services write without their host
	if err == nil && u.Host == s.address.Host {
		u.Scheme = s.address.Scheme // which a service behind a proxy does not know
	}
	switch {
	case o.Tag != "payRequest":
		return "", advice.Foreign(fmt.Errorf("tag %.40q, want payRequest", o.Tag))
	case err != nil || !mayCall(u, s.address):
		return "", advice.Garbled(fmt.Errorf("callback %.80q cannot be called", o.Callback))
	case sats*1000 < int64(o.MinSendable) || sats*1000 > int64(o.MaxSendable):
		return "", &node.Error{Reason: node.ReasonRefused, Advice: fmt.Sprintf(
			"it takes payments of %d to %d millisatoshis, and %d sat is not among them; set -price to one that is, or use another address",
			o.MinSendable, o.MaxSendable, sats)}
	}
	u.RawQuery = strings.TrimPrefix(u.RawQuery+"&amount="+strconv.FormatInt(sats*1000, 10), "&") // the rest as the service wrote it
	return u.String(), nil
}

// MakeInvoice implements node.Service. The service chooses the description. That the invoice commits to it proves
// nothing that the service could not write itself, and payers need not check it any more (LUD-06).
func (s *service) MakeInvoice(ctx context.Context, req l402.InvoiceRequest) (string, *node.Error) {
	callback, nodeErr := s.offer(ctx, req.AmountSats)
	if nodeErr != nil {
		return "", nodeErr
	}
	var answer struct {
		Invoice string `json:"pr"`
		Verify  any    `json:"verify"` // an address (LUD-21); some services write false or an object
	}
	if nodeErr = s.Call(ctx, http.MethodGet, callback, nil, &answer); nodeErr != nil {
		return "", nodeErr
	}
	invoice, invoiceErr := bolt11.Decode(answer.Invoice)
	verify, _ := answer.Verify.(string)
	if u, err := url.Parse(verify); errors.Join(err, invoiceErr) == nil && mayCall(u, s.address) {
		s.verify.Add(invoice.Hash, verify)
	}
	return advice.Invoice(answer.Invoice, nil)
}

// Probe implements node.Service.
func (s *service) Probe(ctx context.Context, invoiceFollows bool) *node.Error {
	if invoiceFollows {
		return nil
	}
	_, nodeErr := s.offer(ctx, s.priceSats)
	return nodeErr
}

// Lookup implements node.Service. We have no credentials, so a stranger sees all that we see: the answer of LUD-21,
// whose preimage is null until the invoice was paid.
func (s *service) Lookup(ctx context.Context, hash lntypes.Hash, stranger bool) ([]byte, *node.Error) {
	address, ok := s.verify.Get(hash)
	if !ok || !stranger {
		return nil, nil
	}
	return s.Fetch(ctx, http.MethodGet, address, nil, true)
}

// kind is a service for LNURL-pay. Services lead from the host of an address to their own.
var kind = node.Kind{Judge: judge, Advice: advice}

// judge classifies responses. Many services refuse with status 200 (LUD-06).
func judge(res node.Response) *node.Error {
	var refusal struct {
		Status string `json:"status"`
		Reason string `json:"reason"`
	}
	isJSON := json.Unmarshal(res.Body, &refusal) == nil
	cause := fmt.Errorf("status %d: %.200q", res.Status, cmp.Or(refusal.Reason, string(res.Body)))
	switch {
	case strings.EqualFold(refusal.Status, "ERROR"):
		return &node.Error{Reason: node.ReasonRefused, Cause: cause, Advice: "the service of the address refuses; ask its operator if the reason does not say enough"}
	case res.Status/100 == 2:
		return nil
	case res.Status == http.StatusTooManyRequests:
		return &node.Error{Reason: node.ReasonRefused, Cause: cause, Advice: "the service of the address makes no more invoices for now; lower -challenge-rate, or use your own node"}
	case res.Status >= 500:
		return &node.Error{Reason: node.ReasonStarting, Cause: cause, Advice: "the service of the address says that it is away; wait, or use another"}
	case res.Status == http.StatusNotFound, !isJSON:
		return advice.Foreign(cause)
	}
	return &node.Error{Reason: node.ReasonRefused, Cause: cause, Advice: "the service of the address refuses the call"}
}

// advice is for the operator when a call has no usable response.
var advice = node.Advice{
	Name:       "the certificate of the service does not cover its host; tell its operator, or use another address",
	Expired:    "the certificate of the service is not valid today; tell its operator, and check this machine's clock",
	Cert:       "this system does not trust the certificate of the service; install the system's certificates, or use another address",
	NoTLS:      "the service of the address does not speak TLS; use another address",
	NotNode:    "the host of -lnurl-address has no such Lightning address; check its spelling",
	NoAddress:  "the host of -lnurl-address has no address; check its spelling",
	NoAnswer:   "nothing answers at the host of -lnurl-address; wait, or use another address",
	Broke:      "the connection to the service broke before the response; wait, or use another address",
	Unreadable: "the response of the service cannot be understood as LNURL-pay (LUD-06); use another address",
}
