package html

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/phrase"
)

// paidWords returns the words for what a client paid of the responses that ask in a way, and the share; "" if it met none of them.
func paidWords(w catalog.PayWay, k *catalog.Client) (words, share string) {
	switch paid, met := w.Count(k); {
	case met == 0:
		return "", ""
	case paid == 0:
		return "none", ""
	case paid == met:
		return "all " + strconv.Itoa(met), "100%"
	default:
		return strconv.Itoa(paid) + " of " + strconv.Itoa(met), strconv.Itoa(100*paid/met) + "%"
	}
}

// paidBy reports whether some client paid in a way.
func paidBy(w catalog.PayWay, clients []*catalog.Client) bool {
	return slices.ContainsFunc(clients, func(k *catalog.Client) bool { paid, _ := w.Count(k); return paid > 0 })
}

// versionNumber matches a version in a headline.
var versionNumber = regexp.MustCompile(`\d+(\.\d+)+`)

// newer returns the latest news of a version after the one of a client that was measured, and that version; nil for none. Such news lead to
// the project's entry.
func (p *Pages) newer(k *catalog.Client) (news *catalog.NewsItem, version string) {
	for _, n := range p.cat.News() {
		version := versionNumber.FindString(n.Headline)
		for _, l := range n.Links {
			e, ok := p.cat.Entry(path.Base(l.URL))
			if ok && k.URL != nil && path.Base(e.URL) == path.Base(*k.URL) && semver.Compare("v"+version, "v"+k.Version) > 0 {
				return n, version
			}
		}
	}
	return nil, ""
}

// Clients returns the page of the measured clients.
func (p *Pages) Clients() Page {
	clients := p.cat.Clients()
	return Page{
		Lede: phrase.Count(len(clients), "program that pays", "programs that pay") + " when a server answers 402. We tested each with up to " +
			phrase.Count(len(p.cat.Shapes()), "response", "responses") + " and an offline wallet. No money moved.",
		content: clientsContent(p, p.cat.PayWays()),
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
