package catalog

import (
	"regexp"
	"strings"
)

// A LinkReport is the result of the link checker's last round. It is separate from the records, because those have only
// statuses that were observed: a link that did not answer leaves its record as it was.
type LinkReport struct {
	CheckedAt string        `json:"checked_at" form:"timestamp"` // end of the round, RFC 3339 in UTC
	Links     int           `json:"links"`                       // links of the round
	Answered  int           `json:"answered"`                    // links that answered with an HTTP status
	Findings  []LinkFinding `json:"findings"`                    // for a curator to look at, by id
	// Observed has the newest statuses of the library by address, from which alone entries have their http_status.
	Observed map[string]int `json:"observed,omitempty"`
}

// A LinkFinding is a link that did not simply answer.
type LinkFinding struct {
	ID        string `json:"id"` // of the record, as the history names it
	URL       string `json:"url" form:"url"`
	Kind      string `json:"kind" form:"link kind"`       // one of LinkFindingKinds
	Status    int    `json:"status"`                      // of the last answer; 0 when there was none
	Detail    string `json:"detail" form:"summary"`       // in one line
	FinalURL  string `json:"final_url"`                   // where redirects led; URL when there were none
	CheckedAt string `json:"checked_at" form:"timestamp"` // RFC 3339 in UTC
}

// LinkFindingKinds are the values of a finding's kind with their meanings for a reader.
var LinkFindingKinds = map[string]string{
	"status":   "answers with an error status",
	"moved":    "has moved permanently",
	"redirect": "redirects without end or to nowhere",
	"tls":      "cannot be trusted: TLS fails",
	"dns":      "the host name is not found",
	"refused":  "the host refuses the connection",
	"reset":    "the connection breaks off",
	"timeout":  "does not answer in time",
	"protocol": "does not speak HTTP properly",
	"missing":  "answers with a page that says it is not there",
	"login":    "leads to a page to log in",
	"robots":   "robots.txt keeps us away; not requested",
	"later":    "the host asked us to come back later; not requested",
	"private":  "leads to an address that is not public; not requested",
}

// A LinkDocument is the published form of the last round of the link checker. Its entries are the findings about
// addresses that records still cite.
type LinkDocument struct {
	Envelope
	CheckedAt *string       `json:"checked_at"` // nil before the first round
	Links     int           `json:"links"`
	Answered  int           `json:"answered"`
	Count     int           `json:"count"`
	Entries   []LinkFinding `json:"entries"`
}

// LinksChecked reports whether a round of the link checker has ended in this installation.
func (c *Catalog) LinksChecked() bool { return c.records.Links != nil }

// ObservedStatus returns the status that the link checker last observed at an address of the library, or 0.
func (c *Catalog) ObservedStatus(url string) int {
	if c.records.Links == nil {
		return 0
	}
	return c.records.Links.Observed[url]
}

// LinkDocument returns the document about the last round of the link checker.
func (c *Catalog) LinkDocument() *LinkDocument {
	d := &LinkDocument{Envelope: c.envelope(c.LinksDay()), Entries: []LinkFinding{}}
	if c.records.Links == nil {
		return d
	}
	d.CheckedAt, d.Links, d.Answered = &c.records.Links.CheckedAt, c.records.Links.Links, c.records.Links.Answered
	cited := make(map[Address]bool)
	for _, a := range c.Addresses() {
		cited[a] = true
	}
	for _, f := range c.records.Links.Findings {
		if cited[Address{f.ID, f.URL}] {
			d.Entries = append(d.Entries, f)
		}
	}
	d.Count = len(d.Entries)
	return d
}

// A Bot is a program of this service that visits other sites, with how a site can keep it away.
type Bot struct {
	ID            string   `json:"id" form:"slug"`
	Title         string   `json:"title" form:"title"`
	Product       string   `json:"product" form:"product"` // the product token that it obeys in robots.txt
	Purpose       string   `json:"purpose" form:"paragraph"`
	Behaviour     []string `json:"behaviour" form:"paragraph"`
	LeaveAlone    []string `json:"leave_alone" form:"paragraph"` // how the owner of a site stops it
	DatePublished *Date    `json:"date_published"`
	VerifiedAt    Date     `json:"verified_at"`
	Note          string   `json:"note" form:"summary"`
}

// LinkCheckerID is the id of the bot that checks the links of the library.
const LinkCheckerID = "link-checker"

// UserAgent returns the bot's User-Agent: its product token with the address that explains it.
func (b *Bot) UserAgent(s Site) string { return b.Product + "/1.0 (+" + s.URL(BotPath) + ")" }

// A BotDocument is the document of a program of this service that visits other sites.
type BotDocument struct {
	Head
	UserAgent string `json:"user_agent"`
	Checked   int    `json:"checked"` // entries whose link it has observed
	LinksURL  string `json:"links_url"`
	Bot       *Bot   `json:"bot"`
}

// BotDocument returns the document of the link checker.
func (c *Catalog) BotDocument() *BotDocument {
	b := c.LinkChecker()
	doc := &BotDocument{
		Head:      c.head("bot", c.BotDay()),
		UserAgent: b.UserAgent(c.Site()), LinksURL: c.Site().URL(LinksJSONPath), Bot: b,
	}
	for _, e := range c.records.Entries {
		if e.HTTPStatus != 0 {
			doc.Checked++
		}
	}
	return doc
}

// An Address is an address outside of the site that a record cites: the source of an entry or of a fact, an address
// that a fact states, or a link in a text.
type Address struct {
	Record string // as the history names it
	URL    string
}

// linkTarget is the target of a link in Markdown, or an address between angle brackets.
var linkTarget = regexp.MustCompile(`(?:\]\(|<)(https?://[^\s()<>]+)[)>]`)

// Addresses returns every address that records cite, in the order of the records: entries, protocols, articles,
// datasets. A record names an address once.
func (c *Catalog) Addresses() []Address {
	var list []Address
	seen := make(map[Address]bool)
	add := func(record, url string) {
		a := Address{record, url}
		if url == "" || seen[a] || strings.HasPrefix(url, c.Site().Base) || strings.HasPrefix(url, c.Site().API) ||
			strings.HasPrefix(url, c.Site().MCP) {
			return
		}
		seen[a] = true
		list = append(list, a)
	}
	for _, e := range c.records.Entries {
		add(e.ID, e.URL)
	}
	for _, p := range c.records.Protocols {
		for _, f := range p.Facts() {
			add("protocol:"+p.ID, f.Source)
			for _, u := range statedAddresses(f.Value) {
				add("protocol:"+p.ID, u)
			}
		}
	}
	text := func(record, body string) {
		for _, m := range linkTarget.FindAllStringSubmatch(body, -1) {
			add(record, m[1])
		}
	}
	for _, a := range c.records.Articles {
		text("article:"+a.ID, a.Body)
	}
	for _, d := range c.records.Datasets {
		add("dataset:"+d.ID, d.License)
		text("dataset:"+d.ID, d.Readme)
	}
	for _, k := range c.records.Clients {
		add("dataset:"+ClientDataset, OrEmpty(k.URL))
	}
	return list
}

// statedAddresses returns the addresses that are the value of a fact, "" for a library without one.
func statedAddresses(value any) []string {
	switch v := value.(type) {
	case string:
		if strings.HasPrefix(v, "https://") && !strings.ContainsAny(v, " \n") {
			return []string{v}
		}
	case []Link:
		return Convert(v, func(l Link) string { return l.URL })
	case []Library:
		return Convert(v, func(l Library) string { return OrEmpty(l.URL) })
	}
	return nil
}
