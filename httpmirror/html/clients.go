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
		if asked[id] && slices.ContainsFunc(p.cat.Payers(id), func(k catalog.Payer) bool { return k.Measured > 0 }) {
			d.Protocols = append(d.Protocols, id)
		}
	}
	return Page{
		Lede: phrase.Count(len(d.Clients), "paying client", "paying clients") +
			", each run against the same 402 responses with a wallet that pays offline. No money moved.",
		Facts:   []string{phrase.Count(len(p.cat.Shapes()), "response", "responses")},
		Crumbs:  []Link{{Label: "Protocols", Path: catalog.ProtocolsPath}},
		Style:   clientsStyleAddress,
		Script:  compareAddress,
		content: clientsContent(d),
	}
}

// filterClasses are the classes of the rows that ask by a protocol, which the stylesheet knows.
var filterClasses = [...]string{"f-a", "f-b", "f-c", "f-d", "f-e"}

// filterClass returns the class of a row by which the filter chooses it: that of the one protocol by which it asks.
func (d clientsPage) filterClass(s *catalog.Shape) string {
	if len(s.Protocols) > 1 {
		return "f-mixed"
	}
	for i, class := range filterClasses {
		if i < len(d.Protocols) && slices.Contains(s.Protocols, d.Protocols[i]) {
			return class
		}
	}
	return "f-none"
}

// Paid returns how often a client paid a protocol.
func (d clientsPage) Paid(k *catalog.Client, protocol string) (paid catalog.Payer) {
	for _, p := range d.Cat.Payers(protocol) {
		if p.ID == k.ID {
			paid = p
		}
	}
	return paid
}

// resultClass returns the class of a result.
func resultClass(result string) string { return strings.ReplaceAll(result, " ", "-") }

// addressed matches what a text says in parentheses around an address of a chain.
var addressed = regexp.MustCompile(` \([^()]*\b\w{32,}[^()]*\)`)

// withoutAddresses returns a text without them, for people.
func withoutAddresses(text string) string { return addressed.ReplaceAllString(text, "") }
