package l402

import (
	"strconv"
	"strings"
	"time"
)

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
	// Reimbursed are the accounts that were marked as paid back, and ReimbursedSats their price.
	Reimbursed, ReimbursedSats int64
	// OpenCredits can still be used, and OpenMilliSats is their part of the price, which the operator owes in searches.
	OpenCredits, OpenMilliSats int64
}

// text returns a sale as our own caveat states it: kind, price and time.
func (s Sale) text() string {
	return s.Kind.String() + ":" + strconv.FormatInt(s.PriceSats, 10) + ":" + strconv.FormatInt(s.At.Unix(), 10)
}

// parseSale is the inverse of text. Other texts are the unknown sale.
func parseSale(text string) Sale {
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return Sale{}
	}
	price, priceErr := parseNumber(parts[1])
	at, atErr := parseNumber(parts[2])
	if priceErr != nil || atErr != nil {
		return Sale{}
	}
	for _, kind := range [...]SaleKind{SalePaid, SaleDemo, SaleGranted} {
		if parts[0] == kind.String() {
			return Sale{Kind: kind, PriceSats: price, At: time.Unix(at, 0).UTC()}
		}
	}
	return Sale{}
}
