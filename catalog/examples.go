package catalog

import (
	"cmp"
	"slices"
)

// Examples are records of the catalogue for texts that show how to ask for one. A catalogue without protocols has "" as
// one.
type Examples struct {
	Entry, Protocol string // ids
	Record, Section string
	Question, Words string // for the free search and the paid one
}

// Examples returns the examples of the catalogue.
func (c *Catalog) Examples() Examples {
	ids := Convert(c.Entries(), func(e *Entry) string { return e.ID })
	slices.Sort(ids)
	ex := Examples{Entry: Sample(ids, "mcp-go-sdk"), Protocol: Sample(c.ProtocolPageIDs(), "x402"), Section: "summary"}
	ex.Record = ex.Entry
	ex.Words = Sample(Convert(c.Tags(), func(t Tag) string { return t.ID }), "lightning")
	ex.Question = ex.Words
	if e, ok := c.Entry(ex.Entry); ok {
		ex.Question = slices.Concat(c.Questions(e.ID), []string{e.Title})[0]
	}
	if ex.Protocol != "" {
		ex.Record, ex.Section, ex.Question = "protocol:"+ex.Protocol, "networks", "does "+ex.Protocol+" have refunds?"
		ex.Words = "macaroon caveats"
	}
	return ex
}

// Sample returns preferred if values has it, else the first value, else "".
func Sample(values []string, preferred string) string {
	return cmp.Or(values[max(0, slices.Index(values, preferred)):]...)
}
