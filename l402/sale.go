package l402

import "time"

// A SaleKind is how an account came about. Ledgers store its number.
type SaleKind int64

// The kinds of sales.
const (
	SaleUnknown SaleKind = iota // from before sales were recorded
	SalePaid                    // a Lightning payment
	SaleDemo                    // a payment in a demonstration, in which no money moves
	SaleGranted                 // by the operator, without a payment
)

// String returns the kind as reports have it.
func (k SaleKind) String() string {
	switch k {
	case SalePaid:
		return "paid"
	case SaleDemo:
		return "demo"
	case SaleGranted:
		return "granted"
	}
	return "unknown"
}

// A Sale is how, for how much and when an account was sold. The zero Sale is not known.
type Sale struct {
	Kind      SaleKind
	PriceSats int64
	At        time.Time // when the invoice was made, which is minutes before its payment, or the grant; in whole seconds
}

// A DayOfSales is the total of the accounts of one kind that were sold on one day.
type DayOfSales struct {
	Day      time.Time // at 00:00 UTC; zero if it is not known
	Kind     SaleKind
	Accounts int64
	Sats     int64 // that they were sold for, those paid back included
	Credits  int64 // that they have, or had
	Used     int64
	// Reimbursed are the accounts that were marked as paid back, and ReimbursedSats what they were sold for.
	Reimbursed, ReimbursedSats int64
	// OpenCredits can still be used, and OpenMilliSats is their part of the price, which the operator owes in searches.
	OpenCredits, OpenMilliSats int64
}
