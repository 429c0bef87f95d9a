package catalog

import (
	"slices"
	"strconv"

	"go.almanac.example/internal/problem"
)

// An Article is an original text that rests on facts and entries of the catalogue.
type Article struct {
	ID            string   `json:"id" form:"slug"` // the slug
	Title         string   `json:"title" form:"title"`
	Summary       string   `json:"summary" form:"summary"`
	DatePublished *Date    `json:"date_published"`
	VerifiedAt    Date     `json:"verified_at"`
	Tags          []string `json:"tags" form:"list"`
	Protocols     []string `json:"protocols" form:"list"` // ids of the protocols it is about
	Entries       []string `json:"entries" form:"list"`   // ids of the library entries it rests on
	Body          string   `json:"-"`                     // Markdown, without the title
}

// An ArticleIndex lists the articles, newest first.
type ArticleIndex struct {
	Envelope
	Count    int           `json:"count"`
	Articles []ArticleItem `json:"articles"`
}

// An ArticleItem is an article with its addresses.
type ArticleItem struct {
	*Article
	URL   string `json:"url"`
	MDURL string `json:"md_url"`
}

func (c *Catalog) articleItem(a *Article) ArticleItem {
	return ArticleItem{a, c.Site().URL(ArticlePath(a.ID)), c.Site().URL(MarkdownPath(ArticlePath(a.ID)))}
}

// ArticleIndex returns the document that lists the articles.
func (c *Catalog) ArticleIndex() *ArticleIndex {
	items := Convert(c.records.Articles, c.articleItem)
	return &ArticleIndex{Envelope: c.envelope(c.ArticlesDay()), Count: len(items), Articles: items}
}

// An ArticleDocument is the document of one article with its text.
type ArticleDocument struct {
	Head
	Article ArticleItem `json:"article"`
	Body    string      `json:"body"` // Markdown with absolute links
}

// ArticleDocument returns the document of one article, whose text is body.
func (c *Catalog) ArticleDocument(a *Article, body string) *ArticleDocument {
	return &ArticleDocument{c.head("article", c.ArticleDay(a)), c.articleItem(a), body}
}

// A DatasetCard is the card of a dataset.
type DatasetCard struct {
	Head
	DatasetText
	URL          string     `json:"url"`
	ReadmeURL    string     `json:"readme_url"`
	CroissantURL string     `json:"croissant_url"`
	RowCount     int        `json:"row_count"`
	Columns      []Column   `json:"columns"`
	Files        []CardFile `json:"files"`
}

// A CardFile is a data file as a card lists it.
type CardFile struct {
	URL       string `json:"url"`
	MediaType string `json:"media_type"`
	Seal
}

// DatasetCard returns the card of a dataset.
func (c *Catalog) DatasetCard(d *Dataset) *DatasetCard {
	s := c.Site()
	card := &DatasetCard{
		Head:        c.head("dataset-card", c.DatasetDay(d)),
		DatasetText: d.DatasetText,
		URL:         s.URL(DatasetPath(d.ID)), ReadmeURL: s.URL(DatasetReadmePath(d.ID)),
		CroissantURL: s.URL(DatasetCroissantPath(d.ID)),
		RowCount:     d.RowCount(), Columns: d.Columns,
	}
	for _, f := range d.Files {
		card.Files = append(card.Files, CardFile{s.URL(f.Path), f.MediaType, f.Seal()})
	}
	return card
}

// A DatasetIndex lists the datasets.
type DatasetIndex struct {
	Envelope
	Count    int           `json:"count"`
	Datasets []DatasetItem `json:"datasets"`
}

// A DatasetItem is a dataset with its addresses.
type DatasetItem struct {
	ID         string `json:"id"`
	Title      string `json:"title"`
	Summary    string `json:"summary"`
	VerifiedAt Date   `json:"verified_at"`
	RowCount   int    `json:"row_count"`
	CardURL    string `json:"card_url"`
	ReadmeURL  string `json:"readme_url"`
	HTMLURL    string `json:"html_url"`
}

// DatasetIndex returns the document that lists the datasets.
func (c *Catalog) DatasetIndex() *DatasetIndex {
	s := c.Site()
	items := Convert(c.records.Datasets, func(d *Dataset) DatasetItem {
		return DatasetItem{
			ID: d.ID, Title: d.Title, Summary: d.Summary, VerifiedAt: d.VerifiedAt, RowCount: d.RowCount(),
			CardURL: s.URL(DatasetCardPath(d.ID)), ReadmeURL: s.URL(DatasetReadmePath(d.ID)), HTMLURL: s.URL(DatasetPath(d.ID)),
		}
	})
	return &DatasetIndex{Envelope: c.envelope(c.DatasetsDay()), Count: len(items), Datasets: items}
}

// A TrustRecord is the curated part of the trust checklist; the rest of it is derived.
type TrustRecord struct {
	Title         string  `json:"title" form:"title"`
	Summary       string  `json:"summary" form:"paragraph"`
	DatePublished *Date   `json:"date_published"`
	VerifiedAt    Date    `json:"verified_at"`
	Note          string  `json:"note" form:"summary"`
	CreditNote    string  `json:"credit_note" form:"paragraph"`
	Checks        []Check `json:"checks"`
}

// A Check is one promise with the way to test it.
type Check struct {
	ID      string `json:"id" form:"slug"`
	Title   string `json:"title" form:"title"`
	Promise string `json:"promise" form:"paragraph"`
	Test    string `json:"test" form:"paragraph"` // how a reader finds out whether it is kept
}

// A Trust is the trust checklist: the promises of the service (docs/contract.md, "Datasets, articles, trust").
type Trust struct {
	Head
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
		Head:  c.head("trust", c.TrustDay()),
		Title: c.records.Trust.Title, Summary: c.records.Trust.Summary, VerifiedAt: c.records.Trust.VerifiedAt,
		Checks: c.records.Trust.Checks, Readings: c.ReadingCounts(), Stable: c.stableAddresses(),
		ErrorCodes: problem.Table(c.Site().ProblemBase()),
		Credits:    CreditLimits{t.PriceSats, t.Credits, 1, t.ValidDays, c.records.Trust.CreditNote + t.DemoNote()},
	}
}

// stableAddresses returns the addresses that the service promises to keep, of the documents that it has.
func (c *Catalog) stableAddresses() []StableAddress {
	s, unsold := c.Site(), c.Payments() == PaymentsOff
	list := written[[]StableAddress]("stable.json", "{base_url}", s.Base, "{api_url}", s.API, "{mcp_url}", s.MCP, "{n}", strconv.Itoa(len(c.categories)))
	absent := map[string]bool{
		s.URL(ProtocolsJSONPath):     len(c.ProtocolPageIDs()) == 0,
		s.URL("/articles/{slug}.md"): len(c.records.Articles) == 0,
		s.URL(SupportJSONPath):       !c.TakesTips(),
		s.URL(L402Path):              unsold,
		s.URL(L402JSONPath):          unsold,
		s.SearchURL() + "?q={query}": unsold,
	}
	return slices.DeleteFunc(list, func(a StableAddress) bool { return absent[a.URL] })
}
