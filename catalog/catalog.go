// Package catalog holds the published documents and the rules they keep.
//
// A Catalog is read once from plain files (Load), is immutable afterwards, and is shared freely:
// the mirror, the index and the tools all hand out the same *Entry. It builds the documents that
// SPEC.md describes, so that whoever publishes one publishes the same value. Every published
// address is in site.go, every error code in code.go.
package catalog

import (
	"time"
)

// SchemaVersion is the fixed value of schema_version in every document (SPEC.md, "Versioning").
const SchemaVersion = "1"

// An Offer is what one payment buys on the paid search interface (SPEC.md, "Limits").
type Offer struct {
	PriceSats int64 `json:"price_sats"` // satoshis for one payment
	Credits   int   `json:"credits"`    // requests one payment buys
	ValidDays int   `json:"valid_days"` // days the credits last
}

// DefaultOffer is the offer of SPEC.md: 100 satoshis buy 100 requests for 30 days.
var DefaultOffer = Offer{PriceSats: 100, Credits: 100, ValidDays: 30}

// Payments tells in what state the paid interface is.
type Payments int

// The states of the paid interface.
const (
	PaymentsOff  Payments = iota // not configured
	PaymentsDown                 // configured, and no invoice can be made at the moment
	PaymentsLive                 // configured, and the node answers
)

// Options are the things a catalog's documents depend on besides the files.
type Options struct {
	Site        Site
	GeneratedAt time.Time // generated_at of every document
	Offer       Offer     // the zero Offer means DefaultOffer
	Payments    Payments
}

// A Catalog is every record of the service with the documents made of them. It never changes:
// use it from any number of goroutines, and do not write into what its methods return.
type Catalog struct {
	opts Options

	entries    []*Entry // in published order
	byID       map[string]*Entry
	byURL      map[string]*Entry
	categories []Category
	lists      map[string][]*Entry // category id -> entries in published order
	tags       []Tag
	byTag      map[string][]*Entry
	protocols  []*Protocol
	articles   []*Article
	datasets   []*Dataset
	bots       []*Bot
	trust      trustFile
	links      *LinkReport // nil before the first round of the link checker
	support    supportFile
	changes    map[Date][]Change
	days       []Date // days with changes, newest first
}

// Options gives what the catalog was loaded with, the Offer filled in.
func (c *Catalog) Options() Options { return c.opts }

// Site gives the public addresses the documents are written for.
func (c *Catalog) Site() Site { return c.opts.Site }

// Offer gives the terms of the paid interface.
func (c *Catalog) Offer() Offer { return c.opts.Offer }

// Payments gives the state of the paid interface the documents speak of.
func (c *Catalog) Payments() Payments { return c.opts.Payments }

// GeneratedAt gives the timestamp that every document carries, ISO 8601 in UTC.
func (c *Catalog) GeneratedAt() string {
	return c.opts.GeneratedAt.UTC().Format(time.RFC3339)
}

// WithPayments gives the same catalog speaking of the paid interface in another state.
// The records are shared.
func (c *Catalog) WithPayments(p Payments) *Catalog {
	d := *c
	d.opts.Payments = p
	return &d
}

// Entries gives every library entry: categories in their order, and within each the newest
// date_published first, unknown dates last, ties by id.
func (c *Catalog) Entries() []*Entry { return c.entries }

// Entry finds a library entry by its id.
func (c *Catalog) Entry(id string) (*Entry, bool) { e, ok := c.byID[id]; return e, ok }

// EntryByURL finds a library entry by the exact address of its source.
func (c *Catalog) EntryByURL(url string) (*Entry, bool) { e, ok := c.byURL[url]; return e, ok }

// Categories gives the eight categories in their published order.
func (c *Catalog) Categories() []Category { return c.categories }

// Category finds a category by its id.
func (c *Catalog) Category(id string) (Category, bool) {
	for _, k := range c.categories {
		if k.ID == id {
			return k, true
		}
	}
	return Category{}, false
}

// Tags gives every tag of the vocabulary that an entry carries, sorted, with counts.
func (c *Catalog) Tags() []Tag { return c.tags }

// Protocol finds a protocol by its id.
func (c *Catalog) Protocol(id string) (*Protocol, bool) {
	for _, p := range c.protocols {
		if p.ID == id {
			return p, true
		}
	}
	return nil, false
}

// Articles gives the articles, newest first.
func (c *Catalog) Articles() []*Article { return c.articles }

// Article finds an article by its slug.
func (c *Catalog) Article(slug string) (*Article, bool) {
	for _, a := range c.articles {
		if a.ID == slug {
			return a, true
		}
	}
	return nil, false
}

// Datasets gives the datasets, sorted by slug.
func (c *Catalog) Datasets() []*Dataset { return c.datasets }

// Dataset finds a dataset by its slug.
func (c *Catalog) Dataset(slug string) (*Dataset, bool) {
	for _, d := range c.datasets {
		if d.ID == slug {
			return d, true
		}
	}
	return nil, false
}

// Bots gives the programs of this service that visit other sites, sorted by id.
func (c *Catalog) Bots() []*Bot { return c.bots }
