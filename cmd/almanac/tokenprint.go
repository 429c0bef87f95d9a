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

// printer gives a function that prints an account as a row or as JSON, and one that ends the list.
func (c *tokenFlags) printer(out io.Writer) (print func(l402.Account), flush func() error) {
	if c.json {
		enc := json.NewEncoder(out)
		var failed error
		return func(a l402.Account) { failed = errors.Join(failed, enc.Encode(tokenRow(a))) }, func() error { return failed }
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tUSED\tCREDITS\tFIRST USED\tLAST USED\tEXPIRES\tREVOKED")
	return func(a l402.Account) {
		r := tokenRow(a)
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t%s\t%s\n", r.ID, r.Used, r.Credits, r.FirstUsed, r.LastUsed, r.ExpiresAt, r.RevokedAt)
	}, w.Flush
}

// A row is a token as it is printed. Times that are not known are empty.
type row struct {
	ID        string `json:"id"`
	Credits   int    `json:"credits"`
	Used      int    `json:"used"`
	FirstUsed string `json:"first_used"`
	LastUsed  string `json:"last_used"`
	ExpiresAt string `json:"expires_at"`
	RevokedAt string `json:"revoked_at"`
}

func tokenRow(a l402.Account) row {
	stamp := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.UTC().Format(time.RFC3339)
	}
	return row{a.Hash.String(), a.Credits, a.Used, stamp(a.FirstUsed), stamp(a.LastUsed), stamp(a.ExpiresAt), stamp(a.RevokedAt)}
}
