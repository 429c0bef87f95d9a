// Package l402 sells requests for Lightning payments: it answers a request without a credential with a challenge (a macaroon
// and an invoice), and serves one that brings the macaroon and the invoice's preimage back, one credit each.
//
// The protocol is L402 (https://github.com/lightninglabs/L402), over HTTP and gRPC. An unpaid challenge leaves no trace here: the
// root key of every macaroon is derived from a master key and the macaroon's identifier, which commits to the payment hash.
// What was paid for is kept by a [Ledger]; invoices come from an [Invoicer].
package l402

import "time"

// Terms say what one payment buys.
type Terms struct {
	PriceSats int64         // in satoshis
	Credits   int           // requests
	Validity  time.Duration // how long a buyer has, at least; counted from the end of the invoice, in whole seconds
}

// DefaultTerms are the published terms: 100 satoshis for 100 requests within 30 days.
func DefaultTerms() Terms {
	return Terms{PriceSats: 100, Credits: 100, Validity: 30 * 24 * time.Hour}
}

// InvoiceExpiry is how long an invoice can be paid. It is short, because every unpaid one weighs on the node.
const InvoiceExpiry = 15 * time.Minute
