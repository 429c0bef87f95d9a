// Package catalog has everything that almanac publishes: the records, the documents made of them, and every address.
//
// New puts records in order and returns a Catalog, which never changes afterwards and is shared freely: the mirror, the
// index and the tools all hand out the same *Entry. A Catalog builds the documents that docs/contract.md promises, so
// that all who publish one publish the same value. Reading and judging the curated files is the work of
// catalog/load; this package believes its records.
//
// It reads from the bottom up: dates, the site and its paths; the record types; the Catalog and New; and on them
// the documents.
package catalog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// Records are the curated records that a catalog is made of.
type Records struct {
	Categories []CategoryRecord // in their published order
	Tags       []TagRecord      // sorted
	Entries    []*Entry
	Protocols  []*Protocol
	Profiles   []*Profile
	Flows      []*Flow
	Assets     []*AssetRecord
	Evidence   []*EvidenceRecord
	Statements []*StatementRecord
	Versions   []*VersionRecord
	Sites      RepositoryRecord
	Articles   []*Article
	News       []*NewsItem
	Datasets   []*Dataset
	Clients    []*Client // sorted
	Shapes     []*Shape  // sorted
	Questions  []*QuestionRecord
	Lexicon    string // words of the subject, for its search: lines of package text
	Bots       []*Bot
	Identity   Identity
	Support    SupportRecord
	Trust      TrustRecord
	Links      *LinkReport // nil before the first round of the link checker
	History    []HistoryRecords
	Withdrawn  []Withdrawal
	Sum        uint64 // of the files that the records were read from
}

// Options are the settings that the documents depend on besides the records.
type Options struct {
	Site        Site
	GeneratedAt time.Time // generated_at of every document; zero: the newest day of each one's contents
	Terms       Terms     // the zero Terms mean DefaultTerms
	Payments    Payments
}

// A Catalog is the records in their published order, with everything derived from them. It never changes: use it from
// any number of goroutines, and do not write into the results of its methods.
type Catalog struct {
	options Options
	records Records // in published order

	byID       map[string]*Entry
	categories []Category
	byCategory map[string][]*Entry // in published order
	tags       []Tag
	byTag      map[string][]*Entry       // in published order
	fields     map[string][]ProfileField // by protocol; each page of a fact compares those of all
	flows      map[string]*Flow
	assets     map[assetKey]Asset
	evidence   map[string]*EvidenceRecord   // by HistoryPathID of the record
	statements map[string][]Statement       // by entry
	versions   map[string][]ProtocolVersion // by protocol
	questions  map[string]*QuestionRecord   // by record
	changes    map[Date][]Change            // as their documents list them
	changed    map[Date]Date                // by day of the change feed: the newest change of its records
	days       []Date                       // that have or had changes, newest first
	history    history
	newest     Date // of all records

	readingCounts func() []ReadingCount // which are counted when they are first asked for
	payWays       func() []PayWay       // read once
}

// Site returns the public addresses that the documents are written for.
func (c *Catalog) Site() Site { return c.options.Site }

// Identity returns the installation's description of itself.
func (c *Catalog) Identity() Identity { return c.records.Identity }

// ExampleQuery returns a query that finds something, for texts that show how to search.
func (c *Catalog) ExampleQuery() string {
	return cmp.Or(c.records.Identity.Example, c.records.Entries[0].Tags[0])
}

// SearchedKinds returns the kinds of record that the search finds, of those that the catalogue has.
func (c *Catalog) SearchedKinds() []string {
	kinds := []string{kindLibrary}
	if len(c.ProtocolPageIDs()) > 0 {
		kinds = append(kinds, kindProtocol)
	}
	if len(c.records.Articles) > 0 {
		kinds = append(kinds, kindArticle)
	}
	return append(kinds, kindDataset)
}

// Terms returns the terms of the paid interface.
func (c *Catalog) Terms() Terms { return c.options.Terms }

// Payments returns the state of the paid interface that the documents describe.
func (c *Catalog) Payments() Payments { return c.options.Payments }

// Sum is equal for catalogues read from equal files.
func (c *Catalog) Sum() uint64 { return c.records.Sum }

// WithPayments returns a catalog of the same records whose documents describe the paid interface in another state.
func (c *Catalog) WithPayments(p Payments) *Catalog {
	d := *c
	d.options.Payments = p
	return &d
}

// Entries returns every library entry, grouped by category in their order and each group in its published order.
func (c *Catalog) Entries() []*Entry { return c.records.Entries }

// InCategory returns the library entries of a category, in their published order.
func (c *Catalog) InCategory(id string) []*Entry { return c.byCategory[id] }

// WithTag returns the library entries that carry a tag, in their published order; nil when none does.
func (c *Catalog) WithTag(tag string) []*Entry { return c.byTag[tag] }

// Entry returns the library entry with an id.
func (c *Catalog) Entry(id string) (*Entry, bool) {
	e, ok := c.byID[id]
	return e, ok
}

// Categories returns the categories in their published order.
func (c *Catalog) Categories() []Category { return c.categories }

// CategoryIDs returns their ids.
func (c *Catalog) CategoryIDs() []string {
	return Convert(c.categories, func(k Category) string { return k.ID })
}

// Category returns the category with an id.
func (c *Catalog) Category(id string) (Category, bool) {
	return find(c.categories, func(k Category) bool { return k.ID == id })
}

// Tag returns the tag with an id.
func (c *Catalog) Tag(id string) (Tag, bool) {
	return find(c.tags, func(t Tag) bool { return t.ID == id })
}

// Tags returns every tag of the vocabulary that an entry carries, sorted, with counts.
func (c *Catalog) Tags() []Tag { return c.tags }

// Protocol returns the protocol with an id.
func (c *Catalog) Protocol(id string) (*Protocol, bool) {
	return find(c.records.Protocols, func(p *Protocol) bool { return p.ID == id })
}

// Articles returns the articles, newest first.
func (c *Catalog) Articles() []*Article { return c.records.Articles }

// Article returns the article with a slug.
func (c *Catalog) Article(slug string) (*Article, bool) {
	return find(c.records.Articles, func(a *Article) bool { return a.ID == slug })
}

// Datasets returns the datasets, sorted by slug.
func (c *Catalog) Datasets() []*Dataset { return c.records.Datasets }

// Dataset returns the dataset with a slug.
func (c *Catalog) Dataset(slug string) (*Dataset, bool) {
	return find(c.records.Datasets, func(d *Dataset) bool { return d.ID == slug })
}

// Bots returns the programs of this service that visit other sites, sorted by id.
func (c *Catalog) Bots() []*Bot { return c.records.Bots }

// LinkChecker returns the bot that checks the links of the library; nil if the data describe none.
func (c *Catalog) LinkChecker() *Bot {
	b, _ := find(c.records.Bots, func(b *Bot) bool { return b.ID == LinkCheckerID })
	return b
}

// QuestionRecord returns the questions that a record answers, by its id as in the change feed. A record without questions
// has an empty one.
func (c *Catalog) QuestionRecord(record string) *QuestionRecord {
	return cmp.Or(c.questions[record], &QuestionRecord{Record: record})
}

// Questions returns the questions that a record as a whole answers.
func (c *Catalog) Questions(record string) []string { return c.QuestionRecord(record).Questions }

// PassageQuestion returns the question that a passage of a record answers, by the passage's text; "" if it has none.
// Those of an earlier version of a protocol are among the questions of the protocol.
func (c *Catalog) PassageQuestion(record, text string) string {
	record, _, _ = strings.Cut(record, "#")
	return c.QuestionRecord(record).Passages[c.PassageKey(text)]
}

// PassageKey returns the first 12 hexadecimal digits of the SHA-256 of a passage's text, the same on every site: a
// question belongs to a text, and not to the one that replaces it.
func (c *Catalog) PassageKey(text string) string {
	sum := sha256.Sum256([]byte(strings.ReplaceAll(text, c.Site().Base, "{base_url}")))
	return hex.EncodeToString(sum[:6])
}

// Lexicon returns the lines that the library adds to the lexicon of its search, "" for none.
func (c *Catalog) Lexicon() string { return c.records.Lexicon }

// ChangeDays returns the days that have changes, or had some before their records were read again, newest first.
func (c *Catalog) ChangeDays() []Date { return c.days }

// index returns a value of each record of a list, by its key.
func index[T, V any](list []T, pair func(T) (string, V)) map[string]V {
	byKey := make(map[string]V, len(list))
	for _, record := range list {
		key, value := pair(record)
		byKey[key] = value
	}
	return byKey
}

// Convert returns a value for each item of a list, in its order.
func Convert[T, V any](list []T, value func(T) V) []V {
	values := make([]V, len(list))
	for i, item := range list {
		values[i] = value(item)
	}
	return values
}

func find[T any](list []T, is func(T) bool) (found T, ok bool) {
	for _, v := range list {
		if is(v) {
			return v, true
		}
	}
	return found, false
}

// A Date is an ISO 8601 calendar date, YYYY-MM-DD. It is a string so that its JSON form and its schema are those of a
// string. Dates compare as strings in calendar order; "" stands for an unknown date and comes before all others.
type Date string

// ParseDate reads a calendar date. A date that does not exist, such as 2026-02-30, is an error.
func ParseDate(s string) (Date, error) {
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		return "", fmt.Errorf("%q is not a calendar date; write YYYY-MM-DD, for example 2026-11-21", s)
	}
	return Date(s), nil
}

// DateOf returns the calendar date of t in UTC.
func DateOf(t time.Time) Date { return Date(t.UTC().Format(time.DateOnly)) }

// Time returns midnight UTC of d, or the zero time when d is not a date.
func (d Date) Time() time.Time {
	t, _ := time.Parse(time.DateOnly, string(d)) // the zero time with an error
	return t
}

// OrNull returns a pointer to a value, or nil for its zero value.
func OrNull[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// OrEmpty returns the string that s points to, or "" when it is unknown.
func OrEmpty[T ~string](s *T) T {
	if s == nil {
		return ""
	}
	return *s
}
