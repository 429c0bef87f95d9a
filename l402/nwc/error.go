package nwc

import (
	"context"
	"errors"

	"almanac/l402/client/nip47"
	"almanac/l402/node"
)

// errorOf classifies the error of a call.
func errorOf(err error) *node.Error {
	var refusal *nip47.Error
	switch {
	case errors.As(err, &refusal):
		return refused(refusal)
	case errors.Is(err, nip47.ErrGarbled):
		return garbled(err)
	case errors.Is(err, context.DeadlineExceeded):
		return node.Timeout("is the wallet running, and connected to a relay of the connection?", err)
	}
	return &node.Error{Reason: node.ReasonUnreachable, Cause: err,
		Advice: "no relay of the wallet connection can be used; look at the network, or make a connection with other relays and write it into the file of -nwc-connection"}
}

func garbled(err error) *node.Error {
	return &node.Error{Reason: node.ReasonGarbled, Cause: err, Advice: "its answer cannot be understood; does the wallet follow NIP-47?"}
}

// refused classifies an error that the wallet answered.
func refused(refusal *nip47.Error) *node.Error {
	e := &node.Error{Reason: node.ReasonRefused, Cause: refusal}
	switch refusal.Code {
	case "UNAUTHORIZED", "RESTRICTED":
		e.Reason, e.Advice = node.ReasonCredentials, "the wallet does not let this connection make invoices; make one for make_invoice and write it into the file of -nwc-connection"
	case "RATE_LIMITED", "QUOTA_EXCEEDED":
		e.Reason, e.Advice = node.ReasonBusy, "the wallet limits how many invoices it makes; raise the limit there, or lower -challenge-rate"
	case "NOT_IMPLEMENTED":
		e.Advice = "the wallet cannot make invoices over Nostr Wallet Connect; use another wallet"
	default:
		e.Advice = "the wallet refuses to make an invoice; see its log"
	}
	return e
}
