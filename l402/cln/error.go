package cln

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"almanac/l402/node"
)

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

// The codes of JSON-RPC errors that are told apart (lightning-invoice(7)).
const (
	codeLabelExists  = 900
	codeHashUsed     = 901
	codeNoCapacity   = 902
	codeUnknownCall  = -32601
	codeNotPermitted = 1502
)

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
		return advice.Foreign(errors.New(http.StatusText(res.Status)))
	}
	cause := fmt.Errorf("status %d, code %d: %.200q", res.Status, answer.Code, answer.Message)
	switch {
	case res.Status == http.StatusUnauthorized, res.Status == http.StatusForbidden, answer.Code == codeNotPermitted:
		return &node.Error{Reason: node.ReasonCredentials, Cause: cause,
			Advice: `it does not accept our rune; create one with lightning-cli createrune restrictions='[["method=invoice","method=getinfo"]]' and write it into the file of -cln-rune`}
	case answer.Code == codeUnknownCall:
		return advice.Foreign(cause)
	case answer.Code == codeLabelExists:
		return &node.Error{Reason: node.ReasonRefused, Cause: fmt.Errorf("%w: %w", errLabel, cause), Advice: "it has an invoice with the same label; see its log"}
	case answer.Code == codeHashUsed:
		return &node.Error{Reason: node.ReasonRefused, Cause: cause, Advice: "it used a preimage twice; see its log"}
	case answer.Code == codeNoCapacity:
		return &node.Error{Reason: node.ReasonRefused, Cause: cause, Advice: "it has no channel through which it could be paid that much; get inbound capacity"}
	}
	return &node.Error{Reason: node.ReasonRefused, Cause: cause, Advice: "it refuses the call; see its log"}
}
