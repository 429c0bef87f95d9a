// Package l402 sells requests for Lightning payments. It answers a request that has no credential with a challenge,
// which is a macaroon and an invoice, and serves requests that present the macaroon and the invoice's preimage, for one
// credit each.
//
// The protocol is L402 (https://github.com/lightninglabs/L402), over HTTP and gRPC. An unpaid challenge leaves no
// trace: the root key of every macaroon is derived from a master key and the macaroon's identifier, which commits to
// the payment hash. Accounts of payments are in a [Ledger]; invoices come from an [Invoicer].
package l402

import "time"

// Terms are the price of a payment and the credits for it.
type Terms struct {
	PriceSats int64         // in satoshis
	Credits   int           // requests
	Validity  time.Duration // of the credits, at least: it begins when the invoice ends; in whole seconds
}

// InvoiceExpiry is how long an invoice can be paid. It is short, because every unpaid invoice costs the node memory.
const InvoiceExpiry = 15 * time.Minute
