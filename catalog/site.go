package catalog

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// A Site is the public addresses of an installation: of the mirror, the paid interface and the tool server. Each is a
// scheme and a host, and perhaps a path, without a slash at the end; they may be one host.
type Site struct{ Base, API, MCP string }

// DefaultSite is the site of a program without flags.
var DefaultSite = Site{"http://localhost:8402", "http://localhost:8402", "http://localhost:8402"}

// Check returns the first fault of the addresses of s, under the name of the flag that sets it.
func (s Site) Check() error {
	for _, a := range []struct{ flag, url string }{{"-base-url", s.Base}, {"-api-url", s.API}, {"-mcp-url", s.MCP}} {
		u, err := url.Parse(a.url)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
			return fmt.Errorf("%s %q is not of the form https://host: write a scheme and a host", a.flag, a.url)
		}
		if rest := strings.TrimPrefix(a.url, u.Scheme+"://"+u.Host); rest != Root(a.url) || !rootForm.MatchString(rest) {
			return fmt.Errorf("%s %q has more than a scheme and a host, and its rest %q is not a path like /almanac: "+
				"remove it", a.flag, a.url, rest)
		}
		if path := Root(a.url); path != "" && path != Root(s.Base) {
			return fmt.Errorf("%s %q has more than a scheme and a host, and its path is not that of -base-url: "+
				"remove %s", a.flag, a.url, path)
		}
	}
	return nil
}

// rootForm is a path that needs no escaping, and that no part of a program normalises.
var rootForm = regexp.MustCompile(`^(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$`)

// Root returns the path of a public address, below which its part of the site is: "", or one like /almanac.
func Root(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		return rest[i:]
	}
	return ""
}

// Origin returns a public address without its path.
func Origin(address string) string { return strings.TrimSuffix(address, Root(address)) }

// URL returns the full address of a path of the mirror.
func (s Site) URL(path string) string { return s.Base + path }

// ProblemBase returns the address that, followed by an error code, is the section of the trust checklist about it.
func (s Site) ProblemBase() string { return s.URL(TrustPath + "#") }

// SearchURL returns the address of the paid search.
func (s Site) SearchURL() string { return s.API + SearchPath }

// CreditsURL returns the address at which the balance of a credential is read.
func (s Site) CreditsURL() string { return s.API + CreditsPath }

// Host returns the host of the files without its port, as names of resources have it.
func (s Site) Host() string {
	u, _ := url.Parse(s.Base) // Check refuses other addresses
	return strings.ReplaceAll(u.Hostname(), ":", "-")
}

// MCPURL returns the endpoint of the tool server.
func (s Site) MCPURL() string { return s.MCP + MCPPath }

// ServerCardType is the media type of the tool server's card.
const ServerCardType = "application/mcp-server-card+json"

// ServerCardURL returns the address of the tool server's card.
func (s Site) ServerCardURL() string { return s.MCP + ServerCardPath }

// An Identity is an installation's description of itself: its name, its subject, who answers for its data,
// and the protocols it compares.
type Identity struct {
	Name        string   `json:"name" form:"name"`
	Headline    string   `json:"headline" form:"title"`             // of the home page
	Description string   `json:"description" form:"summary"`        // one sentence
	Subject     string   `json:"subject" form:"title"`              // a noun phrase that completes "Checked data on …"
	Library     string   `json:"library,omitempty" form:"summary"`  // the page of the library begins with it; see LibraryLede
	Articles    string   `json:"articles,omitempty" form:"summary"` // what the articles are, without a full stop; see ArticlesAbout
	Example     string   `json:"example,omitempty" form:"summary"`  // a query that finds something; see Catalog.ExampleQuery
	Sample      []string `json:"sample,omitempty" form:"list"`      // a question, and statements that the paid search finds for it, each as the entry, a slash and its id
	Types       []string `json:"types,omitempty" form:"slug"`       // of entries, as slugs; see EntryTypes
	License     License  `json:"license"`                           // of its curators' texts
	Verifier    string   `json:"verifier" form:"title"`             // who reads the sources
	Contact     string   `json:"contact"`                           // address that begins with mailto: or https://; "" names none
	Report      string   `json:"report"`                            // address for errors, with ReportTitle and ReportAddress in it; "" has none
	Source      string   `json:"source,omitempty" form:"url"`       // of the repository of the program and the data; "" names none
	Footer      string   `json:"footer,omitempty" form:"summary"`   // a line at the end of every page
	Logo        string   `json:"-"`                                 // an SVG picture; "" for none
	Protocols   []string `json:"protocols" form:"list"`             // compared, in their order; [] for a library about something else
}

// Slug returns the name of an installation in identifiers, such as that of its tool server in directories and in the
// files of hosts: words of small letters and digits.
func (i Identity) Slug() string {
	words := strings.FieldsFunc(strings.ToLower(i.Name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return cmp.Or(strings.Join(words, "-"), "library")
}

// EntryTypes returns the types that entries may have.
func (i Identity) EntryTypes() []string {
	if len(i.Types) == 0 {
		return EntryTypes
	}
	return i.Types
}

// LibraryLede returns the sentence with which the page of the library begins.
func (i Identity) LibraryLede() string { return cmp.Or(i.Library, "Sources on "+i.Subject+".") }

// ArticlesAbout returns a phrase that names the articles, such as "Guides to birds".
func (i Identity) ArticlesAbout() string { return cmp.Or(i.Articles, "Practical guides to "+i.Subject) }

// A License is the terms under which something may be used.
type License struct {
	Name string `json:"name" form:"title"`
	URL  string `json:"url" form:"url"`
}

// The placeholders in the address for errors: the title and the address of the page that is wrong.
const (
	ReportTitle   = "{title}"
	ReportAddress = "{address}"
)

// ReportURL returns the address at which an error of a page is reported, with the title and the address of that page;
// "" if the installation has none.
func (i Identity) ReportURL(title, address string) string {
	// mailto: knows no plus (RFC 6068)
	escape := func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }
	return strings.NewReplacer(ReportTitle, escape(title), ReportAddress, escape(address)).Replace(i.Report)
}

// LicenseStatement returns the statement that lists carry.
func (i Identity) LicenseStatement() string {
	return "The links and the original short summaries are offered under " + i.License.Name +
		". The linked content belongs to its publishers."
}

// SchemaVersion is the fixed value of schema_version in every document (docs/contract.md, "Versioning").
const SchemaVersion = "1"

// Terms are the price and the contents of one payment on the paid search interface (docs/contract.md, "Payments").
type Terms struct {
	PriceSats int64 `json:"price_sats"` // satoshis for one payment
	Credits   int   `json:"credits"`    // requests that one payment buys
	ValidDays int   `json:"valid_days"` // days that the credits last
	// Demo means that no money moves: a wallet of the service itself pays its invoices.
	Demo bool `json:"demo,omitempty"`

	root string // of the paid interface; New sets it
}

// DemoWalletPath is the address of the wallet that pays the invoices of a demonstration.
const DemoWalletPath = "/demo/pay"

// DemoNote returns a sentence for texts about the price, which begins with a space; "" unless the payments are a
// demonstration.
func (t Terms) DemoNote() string {
	if !t.Demo {
		return ""
	}
	return " This is a demonstration: no money moves. A test wallet pays the invoices that are posted to " + t.root + DemoWalletPath + "."
}

// X402Note is a sentence for those who look for x402, as texts about the price have it.
const X402Note = "x402 is not accepted: this service is paid over Lightning alone."

// DefaultTerms are 100 requests within 30 days for 100 satoshis.
var DefaultTerms = Terms{PriceSats: 100, Credits: 100, ValidDays: 30}

// Payments is the state of the paid interface.
type Payments int

// The states of the paid interface.
const (
	PaymentsOff  Payments = iota // not configured
	PaymentsDown                 // configured, but no invoice can be made at the moment
	PaymentsLive                 // configured, and the node answers
)
