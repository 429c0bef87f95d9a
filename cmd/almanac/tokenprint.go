package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"almanac/l402"
)

// A tokenPrinter prints accounts as a table, or as one JSON object per line.
type tokenPrinter struct {
	json  *json.Encoder // nil: a table
	table *tabwriter.Writer
	err   error
}

func newTokenPrinter(out io.Writer, asJSON bool) *tokenPrinter {
	if asJSON {
		return &tokenPrinter{json: json.NewEncoder(out)}
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tUSED\tCREDITS\tFIRST USED\tLAST USED\tVALID UNTIL\tREVOKED\tSALE\tSAT\tSOLD\tREFUNDED")
	return &tokenPrinter{table: w}
}

func (p *tokenPrinter) print(a l402.Account) {
	r := tokenRowOf(a)
	if p.json != nil {
		p.err = errors.Join(p.err, p.json.Encode(r))
		return
	}
	fmt.Fprintf(p.table, "%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\n", r.ID, r.Used, r.Credits, r.FirstUsed, r.LastUsed, r.ValidUntil, r.RevokedAt, r.Sale, r.PriceSats, r.SoldAt, r.RefundedAt)
}

// flush prints the rest, and returns the first error of printing.
func (p *tokenPrinter) flush() error {
	if p.json != nil {
		return p.err
	}
	return p.table.Flush()
}

// A tokenRow is a token as it is printed. Times that are not known are empty.
type tokenRow struct {
	ID         string `json:"id"`
	Credits    int    `json:"credits"`
	Used       int    `json:"used"`
	FirstUsed  string `json:"first_used"`
	LastUsed   string `json:"last_used"`
	ValidUntil string `json:"valid_until"`
	RevokedAt  string `json:"revoked_at"`
	Sale       string `json:"sale"`
	PriceSats  int64  `json:"price_sats"`
	SoldAt     string `json:"sold_at"`
	RefundedAt string `json:"refunded_at"`
}

func tokenRowOf(a l402.Account) tokenRow {
	stamp := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.UTC().Format(time.RFC3339)
	}
	return tokenRow{a.Hash.String(), a.Credits, a.Used, stamp(a.FirstUsed), stamp(a.LastUsed), stamp(a.ExpiresAt), stamp(a.RevokedAt),
		a.Sale.Kind.String(), a.Sale.PriceSats, stamp(a.Sale.At), stamp(a.ReimbursedAt)}
}
