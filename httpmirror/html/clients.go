package html

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/phrase"
)

// A payWay is a way in which responses ask for a payment: what a client is made for, or is not.
type payWay struct {
	Protocol, Label string
	shapes          []string // well-formed responses that ask in no other way, and are no trap
}

// Paid returns the words for what a client paid of the responses, and their class; "" if it met none of them.
func (w payWay) Paid(k *catalog.Client) (words, class string) {
	paid, met := 0, 0
	for _, id := range w.shapes {
		switch k.Cell(id).Result {
		case catalog.NotMeasured:
			continue
		case "pays":
			paid++
		}
		met++
	}
	switch {
	case met == 0:
		return "", ""
	case paid == 0:
		return "none", "none"
	case paid == met:
		return "all " + strconv.Itoa(met), "v pays"
	}
	return strconv.Itoa(paid) + " of " + strconv.Itoa(met), "v pays"
}

// PaidBy reports whether some client paid in this way.
func (w payWay) PaidBy(clients []*catalog.Client) bool {
	return slices.ContainsFunc(clients, func(k *catalog.Client) bool { _, class := w.Paid(k); return class == "v pays" })
}

// payWays returns the ways in which clients were asked, by protocol in published order.
func (p *Pages) payWays() (ways []payWay) {
	for _, s := range p.cat.Shapes() {
		var read struct{ Offers []offerReading }
		if !s.Legal || s.Trap != "" || json.Unmarshal(s.Reading, &read) != nil || len(read.Offers) == 0 {
			continue
		}
		label := read.Offers[0].way()
		if slices.ContainsFunc(read.Offers, func(o offerReading) bool { return o.way() != label }) {
			continue
		}
		i := slices.IndexFunc(ways, func(w payWay) bool { return w.Label == label })
		if i < 0 {
			i, ways = len(ways), append(ways, payWay{Protocol: offerProtocols[read.Offers[0].Scheme], Label: label})
		}
		ways[i].shapes = append(ways[i].shapes, s.ID)
	}
	ways = slices.DeleteFunc(ways, func(w payWay) bool {
		return !slices.ContainsFunc(p.cat.Clients(), func(k *catalog.Client) bool { words, _ := w.Paid(k); return words != "" })
	})
	order := p.cat.ProtocolPageIDs()
	slices.SortFunc(ways, func(a, b payWay) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Protocol), slices.Index(order, b.Protocol)), cmp.Compare(a.Label, b.Label))
	})
	return ways
}

// way names an offer as clients tell it apart: by the scheme with its version, method and intent, and by a network that takes
// another wallet than most of the scheme.
func (o offerReading) way() string {
	switch o.Scheme {
	case "l402":
		return "L402"
	case "payment":
		return "MPP " + phrase.Sentence(o.Method) + " " + o.Intent
	case "cashu":
		return "Cashu NUT-24"
	}
	version, network := "x402 v1 ", o.Network
	if before, _, isCAIP2 := strings.Cut(network, ":"); isCAIP2 { // as version 2 writes networks
		version, network = "x402 v2 ", before
	}
	switch {
	case network == "bip122" || network == "lnbtc":
		return version + o.Method + " on Lightning"
	case strings.HasPrefix(network, "solana"):
		return version + o.Method + " on Solana"
	}
	return version + o.Method
}

// Clients returns the page of the measured clients.
func (p *Pages) Clients() Page {
	clients := p.cat.Clients()
	return Page{
		Lede: phrase.Count(len(clients), "program that pays", "programs that pay") + " for 402s. Each met up to " +
			phrase.Count(len(p.cat.Shapes()), "response", "responses") + ", as many as were run against it, with a wallet that pays offline. No money moved.",
		Facts:   []string{"Measured " + phrase.SpanOf(clients, func(k *catalog.Client) catalog.Date { return k.Day }).String()},
		content: clientsContent(p, p.ways()),
	}
}

// shapesOf returns the responses that ask by one protocol alone; of "", those that ask by several or by none.
func (p *Pages) shapesOf(protocol string) []*catalog.Shape {
	return slices.DeleteFunc(slices.Clone(p.cat.Shapes()), func(s *catalog.Shape) bool {
		alone := len(s.Protocols) == 1
		return alone != (protocol != "") || alone && s.Protocols[0] != protocol
	})
}

// resultClass returns the class of a result.
func resultClass(result string) string { return strings.ReplaceAll(result, " ", "-") }

// addressed matches what a text says in parentheses around an address of a chain.
var addressed = regexp.MustCompile(` \([^()]*\b\w{32,}[^()]*\)`)

// withoutAddresses returns a text without them, for people.
func withoutAddresses(text string) string { return addressed.ReplaceAllString(text, "") }
