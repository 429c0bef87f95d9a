package html

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/phrase"
)

// Explain returns the page on which one pastes what is to be explained.
func (p *Pages) Explain() Page { return p.explainPage(nil) }

// Explained returns the page of a reading.
func (p *Pages) Explained(r Reading) Page {
	json.Unmarshal([]byte(r.JSON), &r) // our own
	pg := p.explainPage(&r)
	pg.Lede, pg.NoIndex = p.verdict(&r), true
	return pg
}

// inVerdict are the lines of a reading with which its page begins.
var inVerdict = []string{"What", "Costs", "Faults", "Next"}

// verdict returns these lines.
func (p *Pages) verdict(r *Reading) string {
	var said []string
	for _, line := range r.Lines {
		if label, text := p.readingLine(line); slices.Contains(inVerdict, label) {
			said = append(said, strings.TrimPrefix(label+": "+strings.TrimSuffix(text, ".")+".", "What: "))
		}
	}
	return strings.Join(said, "\n")
}

// A Reading is the meaning of a text from a payment. It has no secret of the text.
type Reading struct {
	Lines []string `json:"-"` // of the command almanac explain: a label, a colon and a sentence
	JSON  string   `json:"-"` // of its option -json

	Offers []offerReading `json:"offers"`
}

// An offerReading is a way to pay, in the words of almanac explain -json.
type offerReading struct {
	Scheme    string
	Expired   bool
	ExpiresAt string `json:"expires_at"`
	Faults    []faultReading
}

// A faultReading is a departure from a specification.
type faultReading struct{ Clause, Sentence, Remedy string }

// readingLine returns a line of a reading for people: its label, and its sentence with times in words.
func (p *Pages) readingLine(line string) (label, text string) {
	label, text, _ = strings.Cut(line, ":")
	text = timestamp.ReplaceAllStringFunc(strings.TrimSpace(text), func(s string) string {
		t, err := time.Parse(time.RFC3339, s)
		if err != nil {
			return s
		}
		return t.UTC().Format("2 January 2006, 15:04 UTC")
	})
	return label, phrase.Sentence(p.withClientNames(withoutAddresses(text)))
}

// withClientNames returns a text that names clients by their ids and versions with the names that pages have for them.
func (p *Pages) withClientNames(text string) string {
	for _, k := range p.cat.Clients() {
		text = strings.ReplaceAll(text, k.ID+" "+k.Version, k.Name+" "+k.Version)
	}
	return text
}

// timestamp matches a time as programs write it.
var timestamp = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

// protocolsOf returns links to the protocols of the offers, to code that pays by them, and to the clients that were tested.
func (p *Pages) protocolsOf(r *Reading) (links []Link) {
	for _, o := range r.Offers {
		id := catalog.OfferProtocol(o.Scheme)
		if !slices.Contains(p.cat.ProtocolPageIDs(), id) {
			continue
		}
		flow := Link{Label: p.name(id) + ": how a payment runs", Path: catalog.ProtocolPath(id) + "#flow"}
		if !slices.Contains(links, flow) {
			links = append(links, flow)
			if len(p.cat.Exchanges(id)) > 0 {
				links = append(links, Link{Label: "Code that pays by " + p.name(id), Path: catalog.ProtocolPath(id) + "#code"})
			}
		}
	}
	if len(links) > 0 && p.has(catalog.ClientsPath) {
		links = append(links, Link{Label: "Clients: what each one pays", Path: catalog.ClientsPath})
	}
	return links
}

// explainPage returns the page with a reading, if there is one.
func (p *Pages) explainPage(r *Reading) Page {
	return Page{
		Narrow:      true,
		Path:        catalog.ExplainPath,
		Title:       "Explain a 402",
		Description: "Paste a 402 response, a Lightning invoice, a macaroon, a credential or a receipt, and read what it asks, what it costs and what to do next.",
		Lede:        "Paste a 402 response, an invoice, a macaroon, a credential or a receipt. Read what it asks, what it costs, what is wrong with it, and which clients pay it.",
		content:     explainContent(p, p.cat.Explain(), r),
	}
}
