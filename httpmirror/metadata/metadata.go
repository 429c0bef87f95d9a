// Package metadata renders the files by which programs find and describe the others: schema.org data blocks, DCAT,
// Croissant, OpenAPI, feeds, the sitemap, llms.txt and the well-known addresses.
package metadata

import (
	"bytes"
	"embed"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/url"
	"path"
	"strings"
	"text/template"
	"time"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/httpmirror/markdown"
	"go.almanac.example/httpmirror/phrase"
	"go.almanac.example/internal/wirejson"
)

// A Renderer renders the files about a catalog. It is safe for concurrent use.
type Renderer struct {
	cat      *catalog.Catalog
	site     catalog.Site
	identity catalog.Identity
	version  string // of the program
	contact  string
}

// New returns a renderer for a version of the program. contact is the URI for security reports (RFC 9116); "" is none.
func New(c *catalog.Catalog, version, contact string) *Renderer {
	return &Renderer{c, c.Site(), c.Identity(), version, contact}
}

// An IndexItem is a document of the index with its forms.
type IndexItem struct {
	Name        string      `json:"name"`
	Title       string      `json:"title"`
	Description string      `json:"description"`
	Forms       []IndexForm `json:"forms"`
}

// An IndexForm is one form of a document.
type IndexForm struct {
	MediaType string `json:"media_type"`
	URL       string `json:"url"`
}

// An LLMLine is a line of llms.txt: a link and its content.
type LLMLine struct{ Section, Label, Path, Text string }

//go:embed documents.tmpl openapi.tmpl
var templateFiles embed.FS

// documents are the templates of the documents, by name.
var documents = template.Must(template.New("").Funcs(template.FuncMap{
	"json": func(v any) (string, error) {
		text, err := wirejson.Compact(v)
		return string(text), err
	},
	"xml": func(text string) (string, error) {
		var b strings.Builder
		err := xml.EscapeText(&b, []byte(text))
		return b.String(), err
	},
	"property": calendarProperty, "escaped": calendarText.Replace, "compactDay": calendarDay, "calendarID": calendarID, "upper": strings.ToUpper,
	"size": phrase.Size, "feedID": feedID, "dayTime": dayTime, "next": func(i int) int { return i + 1 },
	"base": path.Base, "skillPath": catalog.SkillPath, "bare": file.BareType, "version": dateVersion, "component": component,
	"text": markdown.Text, "link": markdown.Link, "count": phrase.Count,
	// of llms.txt, in their order; a reader can skip the last one (llmstxt.org)
	"sections":      func() []string { return []string{"Library", "Facts", "Articles", "Datasets", "Interfaces", "Optional"} },
	"croissantType": func(column string) string { return croissantTypes[column] },
}).ParseFS(templateFiles, "*.tmpl"))

// Document returns the document that the template with a name makes; item is its subject, if not the whole catalogue. It
// panics where the template does not fit the item.
func (r *Renderer) Document(name string, item any) json.RawMessage {
	var b bytes.Buffer
	v := view{
		Site: r.site, Cat: r.cat, Identity: r.identity, Terms: r.cat.Terms(), Version: r.version, Item: item,
		X402Note: catalog.X402Note, ServerCardType: catalog.ServerCardType,
	}
	if err := documents.ExecuteTemplate(&b, name, v); err != nil {
		panic(fmt.Sprintf("metadata: %v", err))
	}
	return b.Bytes()
}

// A view is the data of the templates. The addresses of a site need no escaping.
type view struct {
	catalog.Site
	Cat            *catalog.Catalog
	Identity       catalog.Identity
	Terms          catalog.Terms
	Version        string // of the program
	Item           any
	X402Note       string
	ServerCardType string
}

// WithItem returns the view of another item.
func (v view) WithItem(item any) view {
	v.Item = item
	return v
}

// Sold reports whether searches are sold.
func (v view) Sold() bool { return v.Cat.Payments() != catalog.PaymentsOff }

// Price returns the terms of the paid interface without a full stop.
func (v view) Price() string {
	return fmt.Sprintf("%d satoshis buy %d requests for %d days", v.Terms.PriceSats, v.Terms.Credits, v.Terms.ValidDays)
}

// TermsText returns the terms of the paid interface in a few sentences.
func (v view) TermsText() string {
	return "Full-text search. " + v.Price() + "; the files themselves are free." + v.Terms.DemoNote() + " " + catalog.X402Note
}

// SearchPath returns the path of the paid search at its host.
func (v view) SearchPath() string { return catalog.Root(v.SearchURL()) }

// Provider returns the host that sells, to which the paths of the manifests of the paid interface belong.
func (v view) Provider() string { return catalog.Origin(v.API) }

// PriceMilliSats returns the price of one payment in millisatoshis.
func (v view) PriceMilliSats() int64 { return v.Terms.PriceSats * 1000 }

// ValidSeconds returns how long the credits of a payment last.
func (v view) ValidSeconds() int { return v.Terms.ValidDays * 24 * 60 * 60 }

// Entry returns the entry of the examples.
func (v view) Entry() *catalog.Entry { return v.Cat.Entries()[0] }

// Guidance returns how an agent begins, for directories that show it with the description of the interfaces.
func (v view) Guidance() string {
	text := "Begin with the MCP endpoint " + v.MCPURL() + ": its tools are free and need no credential. Every page of " + v.Base +
		" answers in Markdown and JSON too. " + v.URL(catalog.LLMsPath) + " lists what there is."
	if v.Sold() {
		text += " GET " + v.SearchURL() + "?q=words searches all texts. " + v.Price() + ": ask without a credential for status 402 with a Lightning " +
			"invoice, pay it, and repeat the request with Authorization: L402 <macaroon>:<preimage>, up to " + fmt.Sprint(v.Terms.Credits) +
			" times. A search that finds nothing costs nothing."
	}
	return text
}

// PriceBTC returns the price of one payment in bitcoins.
func (v view) PriceBTC() string { return fmt.Sprintf("%.8f", float64(v.Terms.PriceSats)/1e8) }

// ContactMail returns the operator's address of mail, or "".
func (v view) ContactMail() string {
	mail, ok := strings.CutPrefix(v.Identity.Contact, "mailto:")
	if !ok {
		return ""
	}
	return mail
}

// HasProtocols reports whether there are protocol facts.
func (v view) HasProtocols() bool { return len(v.Cat.ProtocolPageIDs()) > 0 }

// croissantTypes are the data types by the types of columns.
var croissantTypes = map[string]string{
	"string": "sc:Text", "integer": "sc:Integer", "boolean": "sc:Boolean", "date": "sc:Date", "url": "sc:URL",
	"list": "sc:Text",
}

// Citation returns a citation of a dataset in BibTeX.
func (v view) Citation(d *catalog.Dataset) string {
	return fmt.Sprintf("@misc{%s, author = {{%s}}, title = {{%s}}, year = {%d}, version = {%s}, url = {%s}}", d.ID,
		catalog.TeX.Replace(v.Identity.Name), catalog.TeX.Replace(d.Title), d.VerifiedAt.Time().Year(), dateVersion(d.VerifiedAt),
		v.URL(catalog.DatasetPath(d.ID)))
}

// dateVersion returns a day as a version of three numbers without leading zeros (semver.org).
func dateVersion(d catalog.Date) string { return d.Time().Format("2006.1.2") }

// aiCrawlers are the crawlers and agents of AI companies that robots.txt names, because checkers of sites look for them.
var aiCrawlers = []string{"GPTBot", "OAI-SearchBot", "ChatGPT-User", "ClaudeBot", "Claude-SearchBot", "Claude-User", "PerplexityBot",
	"Perplexity-User", "Google-Extended"}

// Robots returns robots.txt (RFC 9309), with the uses that are allowed (contentsignals.org) and the manifest for agents. It keeps
// crawlers from the paid interface, where each request without a credential would ask the Lightning node for an invoice.
func (r *Renderer) Robots() []byte {
	return fmt.Appendf(nil, "# The files are free to read and to copy. Interfaces: %s\nUser-agent: %s\nUser-agent: *\n"+
		"Content-Signal: search=yes, ai-input=yes, ai-train=yes\nDisallow: %s\nAllow: /\n\nSitemap: %s\nAgentmap: %s\n",
		r.site.URL(catalog.APICatalogPath), strings.Join(aiCrawlers, "\nUser-agent: "), catalog.Root(r.site.SearchURL()), r.site.URL(catalog.SitemapPath), r.site.URL(catalog.ARDPath))
}

// securityValidity is how long security.txt may be relied on. RFC 9116, section 2.5.5, advises
// less than a year.
const securityValidity = 180 * 24 * time.Hour

// Security returns security.txt.
func (r *Renderer) Security() []byte {
	expires := r.cat.Modified().Add(securityValidity).Format(time.RFC3339)
	return fmt.Appendf(nil, "Contact: %s\nExpires: %s\nPreferred-Languages: en\nCanonical: %s\n",
		r.contact, expires, r.site.URL(catalog.SecurityPath))
}

// CheckContact returns the fault of a contact for security reports (RFC 9116, section 2.5.3). "" is none.
func CheckContact(contact string) error {
	if contact == "" {
		return nil
	}
	u, err := url.Parse(contact)
	if err != nil || (u.Scheme != "mailto" && u.Scheme != "https" && u.Scheme != "tel") ||
		strings.ContainsAny(contact, " \r\n\t") {
		return fmt.Errorf("the security contact %q is not an address: use one that begins with mailto:, https:// or tel:", contact)
	}
	return nil
}

// The pages carry schema.org descriptions as JSON-LD data blocks. A data block is not executed,
// so a Content-Security-Policy without inline scripts leaves it alone (HTML Standard, "prepare
// the script element", which ends at an unknown type before it asks the policy).

// LD returns the data block of a template.
func LD(cat *catalog.Catalog, name string, item any) json.RawMessage {
	return New(cat, "", "").Document(name, item)
}

// A Crumb is a step on the way from the home page to a page.
type Crumb struct{ Label, Path string }

// A Work is a page that this site wrote about the works it cites, as the template ld-work describes it.
type Work struct {
	Type                 string // WebPage, TechArticle or Article
	Title, Summary, Path string
	DatePublished        *catalog.Date
	VerifiedAt           catalog.Date
	Tags                 []string
	Cited                []string // addresses
}
