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
	r.said = make(map[string]string)
	for _, line := range r.Lines {
		label, text, _ := strings.Cut(line, ":")
		r.said[label] = p.forPeople(strings.TrimSpace(text))
	}
	r.said["Faults"] = strings.TrimPrefix(expiry.ReplaceAllString(r.said["Faults"], ""), "; ")
	pg := p.explainPage(&r)
	next := clauseEnd.Split(r.said["Next"]+". ", 2)
	pg.Heading, pg.Lede, pg.NoIndex = next[0], phrase.Sentence(strings.TrimSuffix(next[1], ". ")), true
	return pg
}

// clauseEnd matches the end of a clause, of which the first says by itself what to do.
var clauseEnd = regexp.MustCompile(`[.:;]+ `)

// expiry matches the part of the faults that says of an offer what its time says.
var expiry = regexp.MustCompile(`(^|; )[^;:]+: It expired at [^;]+`)

// A Reading is the meaning of a text from a payment. It has no secret of the text.
type Reading struct {
	Lines []string `json:"-"` // of the command almanac explain: a label, a colon and a sentence
	JSON  string   `json:"-"` // of its option -json

	said map[string]string // the lines by their labels, in words for people

	Offers []struct {
		Scheme string
		Faults []faultReading
	} `json:"offers"`
}

// A faultReading is a departure from a specification.
type faultReading struct{ Clause, Sentence, Remedy string }

// faults returns the departures of all offers, each once.
func (r *Reading) faults() (list []faultReading) {
	for _, o := range r.Offers {
		for _, f := range o.Faults {
			if !slices.Contains(list, f) {
				list = append(list, f)
			}
		}
	}
	return list
}

// forPeople returns a sentence of a reading with times and names in words.
func (p *Pages) forPeople(text string) string {
	text = timestamp.ReplaceAllStringFunc(text, func(s string) string {
		t, err := time.Parse(time.RFC3339, s)
		if err != nil {
			return s
		}
		return t.UTC().Format("2 January 2006, 15:04 UTC")
	})
	for _, k := range p.cat.Clients() {
		text = strings.ReplaceAll(text, k.ID+" "+k.Version, k.Name+" "+k.Version)
	}
	return phrase.Sentence(withoutAddresses(text))
}

// timestamp matches a time as programs write it.
var timestamp = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

// protocolsOf returns links to the protocols of the offers, to code that pays by them, and to the clients that were tested.
func (p *Pages) protocolsOf(r *Reading) (links []Link) {
	for _, o := range r.Offers {
		id := catalog.OfferProtocol(o.Scheme)
		flow := Link{Label: p.name(id) + ": how a payment runs", Path: catalog.ProtocolPath(id) + "#flow"}
		if !slices.Contains(p.cat.ProtocolPageIDs(), id) || slices.Contains(links, flow) {
			continue
		}
		links = append(links, flow)
		if len(p.cat.Exchanges(id)) > 0 {
			links = append(links, Link{Label: "Code that pays by " + p.name(id), Path: catalog.ProtocolPath(id) + "#code"})
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
