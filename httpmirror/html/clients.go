package html

import (
	"regexp"
	"slices"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/phrase"
)

// A clientTable is the clients that were measured with the shapes of one transport.
type clientTable struct {
	Transport string
	Clients   []*catalog.Client
	Shapes    []*catalog.Shape
}

// transportNames are the transports in the order of their tables.
var transportNames = [][2]string{{"http", "HTTP"}, {"mcp", "MCP"}, {"a2a", "A2A"}}

// Clients returns the page of the measured clients.
func (p *Pages) Clients() Page {
	d := clientsPage{Clients: p.cat.Clients(), Cat: p.cat}
	asked := make(map[string]bool)
	for _, name := range transportNames {
		t := clientTable{Transport: name[1]}
		for _, s := range p.cat.Shapes() {
			if s.Transport == name[0] {
				t.Shapes = append(t.Shapes, s)
			}
			for _, id := range s.Protocols {
				asked[id] = true
			}
		}
		for _, k := range d.Clients {
			if slices.ContainsFunc(t.Shapes, func(s *catalog.Shape) bool { return k.Cell(s.ID).Result != catalog.NotMeasured }) {
				t.Clients = append(t.Clients, k)
			}
		}
		if len(t.Shapes) > 0 {
			d.Tables = append(d.Tables, t)
		}
	}
	for _, id := range p.cat.ProtocolPageIDs() {
		if asked[id] {
			d.Protocols = append(d.Protocols, id)
		}
	}
	return Page{
		Title:       "Which client pays which 402",
		Description: "Paying clients of L402, MPP and x402, each run against the same 402 responses: which pay, refuse, stop or pay wrongly.",
		Lede: phrase.Sentence(phrase.Spelled(len(d.Clients), "paying client", "paying clients")) +
			", each run against the same 402 responses with a wallet that pays offline. No money moved.",
		Facts:   []string{phrase.Count(len(p.cat.Shapes()), "response", "responses")},
		Crumbs:  []Link{{Label: "Protocols", Path: catalog.ProtocolsPath}},
		Style:   clientsStyleAddress,
		content: clientsContent(d),
	}
}

// filterClasses are the classes of the rows that ask by a protocol, which the stylesheet knows.
var filterClasses = [...]string{"f-a", "f-b", "f-c", "f-d", "f-e"}

// filterClass returns the classes of a row by which the filter chooses it: one for each protocol, or that of none.
func (d clientsPage) filterClass(s *catalog.Shape) string {
	var classes []string
	for i, class := range filterClasses {
		if i < len(d.Protocols) && slices.Contains(s.Protocols, d.Protocols[i]) {
			classes = append(classes, class)
		}
	}
	if classes == nil {
		return "f-none"
	}
	return strings.Join(classes, " ")
}

// resultClass returns the class of a result.
func resultClass(result string) string { return strings.ReplaceAll(result, " ", "-") }

// A clientReason is a result of a client with its reason, and the shapes that had it.
type clientReason struct {
	Result, Reason string
	Shapes         []string
}

// opaque matches addresses of the test server, and words that are too long to be read.
var opaque = regexp.MustCompile(`"http://shop\.example/[^"]*"|[\w+/=.-]{25,}.*`)

// reasonsOf returns the results of a client other than payment by their reasons.
func reasonsOf(k *catalog.Client) (list []clientReason) {
	for _, result := range catalog.ClientResults[1:] {
		for _, cell := range k.Cells {
			if cell.Result != result {
				continue
			}
			reason := opaque.ReplaceAllString(cell.Reason, "…")
			i := slices.IndexFunc(list, func(r clientReason) bool { return r.Result == result && r.Reason == reason })
			if i < 0 {
				i = len(list)
				list = append(list, clientReason{Result: result, Reason: reason})
			}
			list[i].Shapes = append(list[i].Shapes, cell.Shape)
		}
	}
	return list
}

// Explain returns the page on which one pastes what is to be explained.
func (p *Pages) Explain() Page { return p.explainPage(nil) }

// Explained returns the page of a reading.
func (p *Pages) Explained(r Reading) Page {
	pg := p.explainPage(&r)
	pg.NoIndex = true
	return pg
}

// A Reading is the meaning of a text from a payment. It has no secret of the text.
type Reading struct {
	Lines []string // of the command almanac explain: a label, a colon and a sentence
	JSON  string   // of its option -json
}

func (p *Pages) explainPage(r *Reading) Page {
	return Page{
		Path:        catalog.ExplainPath,
		Title:       "Explain a 402",
		Description: "Paste a 402 response, a Lightning invoice, a macaroon, a credential or a receipt, and read what it asks, what it costs and what to do next.",
		Lede:        "Paste what you hold from a payment. Read what it asks, what it costs, which clauses it breaks, who can pay it, and what to do next.",
		Crumbs:      []Link{{Label: "Protocols", Path: catalog.ProtocolsPath}},
		Style:       clientsStyleAddress,
		content:     explainContent(p.cat.Explain(), r, p.has(catalog.ClientsPath)),
	}
}
