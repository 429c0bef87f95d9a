// Package phoenixd creates invoices at a phoenixd, over its HTTP interface (https://phoenix.acinq.co/server/api).
//
// It needs the password for limited access, which can create invoices and read payments. It also lets its holder read
// the preimages of unpaid invoices, and so search without paying: it is as precious as the key file.
package phoenixd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"go.almanac.example/http402/wallet/rest"
	"go.almanac.example/l402"
	"go.almanac.example/l402/node"

	"github.com/lightningnetwork/lnd/lntypes"
)

// New reads the password for limited access and returns the node, without calling it. Its errors are for the operator.
func New(cfg node.Settings) (*node.Node, error) {
	return kind.New(cfg, func(c *node.Client) node.Service { return &service{c} })
}

func credentials(s node.Settings) (node.Credentials, error) {
	value, err := rest.ReadPassword(s.SecretFile)
	if err != nil {
		return node.Credentials{}, fmt.Errorf("read the password of phoenixd: %w", err)
	}
	return node.Credentials{Header: "Authorization", Value: value}, nil
}

// kind is phoenixd's HTTP interface.
var kind = node.Kind{Example: "http://localhost:9740", Plain: true, Flag: "-phoenixd-network",
	Judge: judge, Advice: advice, Read: credentials}

// A service speaks to a phoenixd. It implements [node.Service].
type service struct{ *node.Client }

// MakeInvoice implements node.Service.
func (s *service) MakeInvoice(ctx context.Context, req l402.InvoiceRequest) (string, *node.Error) {
	var answer struct {
		Serialized string `json:"serialized"`
	}
	nodeErr := s.Call(ctx, http.MethodPost, "/createinvoice", url.Values{
		"amountSat": {strconv.FormatInt(req.AmountSats, 10)}, "description": {req.Memo},
		"expirySeconds": {strconv.FormatInt(int64(req.Expiry/time.Second), 10)},
	}, &answer)
	return advice.Invoice(answer.Serialized, nodeErr)
}

// Probe implements node.Service.
func (s *service) Probe(ctx context.Context, _ bool) *node.Error {
	var info struct {
		NodeID string `json:"nodeId"`
		Chain  string `json:"chain"`
	}
	switch nodeErr := s.Call(ctx, http.MethodGet, "/getinfo", nil, &info); {
	case nodeErr != nil:
		return nodeErr
	case info.NodeID == "":
		return advice.Garbled(errors.New("no nodeId in its answer to getinfo"))
	}
	return s.CheckNetwork(info.Chain)
}

// Receive implements node.Receiver. phoenixd opens a channel, or keeps small amounts as credit for one, when a payment
// does not fit.
func (s *service) Receive(ctx context.Context, _ int64) (string, *node.Error) {
	var info struct {
		Channels []struct {
			Inbound int64 `json:"inboundLiquiditySat"`
		} `json:"channels"`
	}
	if nodeErr := s.Call(ctx, http.MethodGet, "/getinfo", nil, &info); nodeErr != nil {
		return "", nodeErr
	}
	can := int64(0)
	for _, c := range info.Channels {
		can += c.Inbound
	}
	return fmt.Sprintf("its channels can receive %d sat; phoenixd buys more out of payments", can), nil
}

// Lookup implements node.Service.
func (s *service) Lookup(ctx context.Context, hash lntypes.Hash, stranger bool) ([]byte, *node.Error) {
	return s.Fetch(ctx, http.MethodGet, "/payments/incoming/"+hash.String(), nil, stranger)
}

// advice is for the operator when a call has no usable response.
var advice = node.Advice{
	Name:       "the certificate in front of it does not cover the host of -phoenixd-url; use a host that it covers",
	Expired:    "the certificate in front of it is not valid today; renew it, and check both clocks",
	Cert:       "this system does not trust the certificate in front of it; use one that it trusts, or http:// within this machine",
	NoTLS:      "what answers at -phoenixd-url does not speak TLS; phoenixd itself does not, so use http:// within this machine",
	NotNode:    "what answers at -phoenixd-url is not phoenixd; use the address of http-bind-ip and http-bind-port (port 9740 by default)",
	NoAddress:  "the host of -phoenixd-url has no address; correct it",
	NoAnswer:   "nothing answers at -phoenixd-url; start phoenixd, or correct the address",
	Broke:      "the connection broke before the response; phoenixd is stopping, or -phoenixd-url is the address of something else",
	Unreadable: "its response cannot be understood; is -phoenixd-url a phoenixd of version 0.6 or later?",
}

// judge classifies responses of phoenixd. Its errors are plain text; HTML is from something else, such as a proxy in
// front.
func judge(res node.Response) *node.Error {
	if res.Status == http.StatusOK {
		return nil
	}
	cause := fmt.Errorf("status %d: %.200q", res.Status, res.Body)
	switch {
	case res.Status == http.StatusUnauthorized, res.Status == http.StatusForbidden:
		return &node.Error{Reason: node.ReasonCredentials, Cause: cause,
			Advice: "it does not accept our password; write that of http-password-limited-access in phoenix.conf into the file of -phoenixd-password"}
	case bytes.HasPrefix(bytes.TrimSpace(res.Body), []byte("<")), res.Status < 400, res.Status > http.StatusInternalServerError:
		return advice.Page(res.Status)
	}
	return &node.Error{Reason: node.ReasonRefused, Cause: cause, Advice: "it refuses the call; see its log"}
}
