package explain

import (
	"fmt"
	"regexp"
	"strings"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/bolt12"
)

// guess names the kind that a text seems to be, and why it is not.
func (r *reader) guess(text string) {
	r.Kind = None
	text = bolt11.FromURI(text)
	lower := strings.ToLower(text)
	if wholeResponse.MatchString(text) {
		r.next = "Ask the seller whether and how to pay: the response is whole, and has no offer."
	}
	switch inv, err := bolt11.Decode(text); {
	case strings.Contains(text, "-32042"):
		r.Nearest, r.Reason = Challenge, "The code -32042 alone has two meanings: a payment is required (MPP), or a login (URL elicitation of MCP 2025-11-25)."
		r.next = "Give the whole message: its data has challenges of a payment, or elicitations with the address of a login."
	case strings.HasPrefix(lower, "bitcoin:"):
		r.Nearest, r.Reason = Invoice, "It is a Bitcoin address, without an invoice or an offer of Lightning."
		r.next = "Pay it with a Bitcoin wallet, or ask for a Lightning invoice."
	case bearer.MatchString(text):
		r.Nearest, r.Reason = Credential, "It begins like a credential, but its token or its proof cannot be read."
	case strings.HasPrefix(lower, "lno1"):
		_, err := bolt12.Decode(text)
		r.Nearest, r.Reason = Bolt12, "It begins like an offer of BOLT 12, but it "+err.Error()+"."
	case strings.HasPrefix(lower, "lni1"), strings.HasPrefix(lower, "lnr1"):
		r.Nearest, r.Reason = Bolt12, "It begins like an invoice or a request for one of BOLT 12, which two wallets exchange after an offer."
		r.next = "Give the offer (lno1…) to a wallet that pays BOLT 12, and it asks for an invoice by itself."
	case strings.HasPrefix(lower, "lnurl1"):
		r.Nearest, r.Reason = Invoice, "It is an LNURL, the address of a service that gives a wallet an invoice, a login or a withdrawal."
		r.next = "Give it to a wallet that knows LNURL; without one, an invoice of the same seller is needed."
	case strings.HasPrefix(lower, "lnbc"), strings.HasPrefix(lower, "lntb"), strings.HasPrefix(lower, "lnsb"):
		if inv.MilliSats > 0 {
			r.costs = price(fmt.Sprint(inv.MilliSats), "msat", inv.Network)
		}
		r.Nearest, r.Reason = Invoice, "It begins like an invoice of BOLT 11, but it "+err.Error()+"."
	case strings.Contains(lower, "402"), strings.Contains(lower, "www-authenticate"), strings.Contains(lower, "challenge"):
		r.Nearest, r.Reason = Challenge, "It has no offer of L402, Payment, x402 or Cashu."
	case strings.HasPrefix(lower, "bearer "), strings.HasPrefix(lower, "authorization:"):
		r.Nearest, r.Reason = Credential, "Its scheme is none of L402, LSAT, Payment, x402 and Cashu."
	case strings.Contains(lower, "receipt"), strings.Contains(lower, "payment-response"):
		r.Nearest, r.Reason = Receipt, "It is not a receipt of Payment or x402."
	case len(text) >= 40 && !strings.ContainsAny(text, " \n<{"):
		r.Nearest, r.Reason = Macaroon, "It is one long word, such as a macaroon, but does not decode. It may be cut off."
	default:
		r.Nearest, r.Reason = Challenge, "It is not a text that a payment protocol defines."
	}
	r.Reason = mask(r.Reason)
	if r.next == "" && (r.Nearest == Bolt12 || r.Nearest == Invoice || r.Nearest == Macaroon) {
		r.next = "Copy it again, whole; if it stays the same, ask its issuer for another."
	}
}

// wholeResponse matches a status line and a field after it, also as curl -v shows them.
var wholeResponse = regexp.MustCompile(`(?m)^(< )?HTTP/[0-9.]+ [0-9]{3}.*\n(< )?[A-Za-z0-9-]+:`)
