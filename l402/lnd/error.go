package lnd

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"almanac/l402/node"
)

// The reasons of a [node.Error] that only lnd has.
const (
	ReasonNotLND   = "not_lnd"   // the server is not lnd's REST listener
	ReasonNoWallet = "no_wallet" // lnd has no wallet yet
	ReasonLocked   = "locked"    // lnd is waiting for the wallet's password
	ReasonStandby  = "standby"   // lnd has not begun to start, or is waiting to lead its cluster
	ReasonMacaroon = "macaroon"  // lnd does not accept our macaroon
)

// kind is lnd's REST listener.
var kind = node.Kind{Example: "https://localhost:8080", Judge: judge, Advice: advice}

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
	Unreadable: "its response cannot be understood; is -lnd-url an lnd of version 0.20?",

	NotNodeReason: ReasonNotLND, CredentialsReason: ReasonMacaroon,
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
		return advice.Foreign(errors.New(http.StatusText(res.Status)))
	}
	return messageError(res.Status, answer.Message)
}

// stateError returns the error of a state from GET /v1/state (lnrpc/stateservice.proto), nil for the one in which lnd
// works. In RPC_ACTIVE calls may hang.
func stateError(state string) *node.Error {
	switch state {
	case "SERVER_ACTIVE":
		return nil
	case "NON_EXISTING":
		return messageError(0, "wallet not created")
	case "LOCKED":
		return messageError(0, "wallet locked")
	case "UNLOCKED", "RPC_ACTIVE":
		return messageError(0, "in the process of starting")
	case "WAITING_TO_START":
		return messageError(0, "waiting to start")
	}
	return advice.Garbled(fmt.Errorf("state %.40q", state))
}

type message struct{ part, reason, advice string }

// messages returns parts of lnd's error messages, each with its reason and the advice for the operator; the first that
// a message contains counts. Each was observed, or is in lnd's source: rpcperms/interceptor.go, macaroons, and the code
// that stops it.
func messages() []message {
	return []message{
		{"wallet not created", ReasonNoWallet, "it has no wallet; run lncli create on it"},
		{"wallet locked", ReasonLocked, "its wallet is locked; run lncli unlock on it, or set wallet-unlock-password-file in lnd.conf"},
		{"in the process of starting", node.ReasonStarting, "it is starting; wait"},
		{"macaroon store is locked", node.ReasonStarting, "it is starting or stopping; wait"},
		{"shutting down", node.ReasonStarting, "it is stopping; start it again"},
		{"database not open", node.ReasonStarting, "it is stopping; start it again"},
		{"waiting to start", ReasonStandby, "it has not begun to start; if that does not change, it is waiting to lead its cluster: use the address of the leading node"},
		{"permission denied", ReasonMacaroon, "our macaroon may not add invoices; bake one for uri:/lnrpc.Lightning/AddInvoice and set it as -lnd-macaroon"},
		{"verification failed", ReasonMacaroon, "the macaroon belongs to another node; bake one on this node for uri:/lnrpc.Lightning/AddInvoice and set it as -lnd-macaroon"},
		{"root key", ReasonMacaroon, "it does not know our macaroon's root key; bake a new one for uri:/lnrpc.Lightning/AddInvoice and set it as -lnd-macaroon"},
		{"caveat", ReasonMacaroon, "a condition of our macaroon is not met; bake one without --timeout, and without --ip_address, which over REST is always the node's own"},
		{"macaroon", ReasonMacaroon, "it does not accept our macaroon; bake a new one for uri:/lnrpc.Lightning/AddInvoice and set it as -lnd-macaroon"},
	}
}

// messageError classifies an error message of lnd; status is the HTTP status, or 0.
func messageError(status int, message string) *node.Error {
	var cause error
	if status != 0 {
		cause = fmt.Errorf("status %d: %.200q", status, message)
	}
	for _, m := range messages() {
		if strings.Contains(message, m.part) {
			return &node.Error{Reason: m.reason, Advice: m.advice, Cause: cause}
		}
	}
	switch status {
	case 499, http.StatusServiceUnavailable: // canceled and unavailable: lnd's own REST listener lost its RPC server
		return &node.Error{Reason: node.ReasonStarting, Advice: "its REST listener is up, but its RPC server is not; it is starting or stopping", Cause: cause}
	case http.StatusGatewayTimeout:
		return &node.Error{Reason: node.ReasonTimeout, Advice: "it did not handle the call in time; it may be starting, syncing or overloaded, see its log", Cause: cause}
	}
	if cause != nil && strings.Contains(message, "negative") {
		cause = fmt.Errorf("%w: %w", errNegative, cause)
	}
	return &node.Error{Reason: node.ReasonRefused, Advice: "it refuses the call; see its log", Cause: cause}
}
