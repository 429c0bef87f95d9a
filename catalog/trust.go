package catalog

import (
	"strconv"

	"almanac/problem"
)

// A TrustRecord is the curated part of the trust checklist; the rest of it is derived.
type TrustRecord struct {
	Title         string  `json:"title"`
	Summary       string  `json:"summary"`
	DatePublished *Date   `json:"date_published"`
	VerifiedAt    Date    `json:"verified_at"`
	Note          string  `json:"note"`
	CreditNote    string  `json:"credit_note"`
	Checks        []Check `json:"checks"`
}

// A Check is one promise with the way to test it.
type Check struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Promise string `json:"promise"`
	Test    string `json:"test"` // how a reader finds out whether it is kept
}

// A Trust is the trust checklist: what a reader can hold the service to (docs/contract.md, "Datasets, articles, trust").
type Trust struct {
	Envelope
	Schema     string               `json:"$schema"`
	Title      string               `json:"title"`
	Summary    string               `json:"summary"`
	VerifiedAt Date                 `json:"verified_at"`
	Checks     []Check              `json:"checks"`
	Readings   []ReadingCount       `json:"readings"`
	Stable     []StableAddress      `json:"stable_addresses"`
	ErrorCodes []problem.Definition `json:"error_codes"`
	Credits    CreditLimits         `json:"credit_limits"`
}

// A StableAddress is an address, or a template of addresses, that will not move.
type StableAddress struct {
	URL  string `json:"url"` // a URI template where it has braces (RFC 6570)
	What string `json:"what"`
}

// CreditLimits are the limits of the paid interface.
type CreditLimits struct {
	PriceSats         int64  `json:"price_sats"`
	Credits           int    `json:"credits"`
	CreditsPerRequest int    `json:"credits_per_request"`
	ValidDays         int    `json:"valid_days"`
	Note              string `json:"note"`
}

// Trust returns the trust checklist.
func (c *Catalog) Trust() *Trust {
	t := c.Terms()
	return &Trust{
		Envelope: c.envelope(c.TrustDay()), Schema: c.Site().URL(SchemaPath("trust")),
		Title: c.trust.Title, Summary: c.trust.Summary, VerifiedAt: c.trust.VerifiedAt,
		Checks: c.trust.Checks, Readings: c.ReadingCounts(), Stable: c.stableAddresses(), ErrorCodes: problem.Table(c.Site().ProblemBase()),
		Credits: CreditLimits{t.PriceSats, t.Credits, 1, t.ValidDays, c.trust.CreditNote + t.DemoNote()},
	}
}

// stableAddresses returns the addresses that the service promises to keep; those of the paid interface only where there is one.
func (c *Catalog) stableAddresses() []StableAddress {
	s := c.Site()
	list := []StableAddress{
		{s.URL("/api/library/{category}.json"), "The entries of a category; " + strconv.Itoa(len(c.categories)) + " categories"},
		{s.URL("/library/{category}.md"), "The same list as Markdown"},
		{s.URL("/api/entries/{id}.json"), "One library entry"},
		{s.URL("/api/tags/{tag}.json"), "The entries that carry a tag"},
		{s.URL(ProtocolsJSONPath), "The protocol facts, each with its source and date"},
		{s.URL("/api/changes/{date}.json"), "Everything verified on a day"},
		{s.URL(SupportJSONPath), "The support document"},
		{s.URL("/datasets/{slug}/card.json"), "The card of a dataset, with the addresses of its files"},
		{s.URL(LibraryJSONLPath), "The library as JSON Lines"},
		{s.URL(LibraryCSVPath), "The library as CSV"},
		{s.URL("/articles/{slug}.md"), "An article as Markdown"},
		{s.URL(TrustJSONPath), "This checklist"},
		{s.URL("/schemas/{name}.schema.json"), "The JSON Schemas of the documents"},
	}
	if c.Payments() != PaymentsOff {
		list = append(list, StableAddress{s.URL(L402Path), "What the paid interface costs and how to call it"},
			StableAddress{s.URL(L402JSONPath), "The discovery manifest of the paid interface"},
			StableAddress{s.SearchURL() + "?q={query}", "Paid search"})
	}
	return append(list, StableAddress{s.MCPURL(), "The tool server for agents"})
}
