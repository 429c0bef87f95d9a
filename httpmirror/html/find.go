package html

import (
	"cmp"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/phrase"
	"go.almanac.example/index"
	"go.almanac.example/index/find"
)

// A findPage is the data of the search page.
type findPage struct {
	Query   string
	Pasted  bool // the query is a payment, which Explain reads
	Found   find.Results
	Answers []sampleAnswer
	News    []*catalog.NewsItem // for which the query asks

	Passages int // that the records found have for the query, besides the answers

	Sells   bool // searches of all texts
	Terms   catalog.Terms
	Site    catalog.Site
	Problem *Problem // of the request for the paid search that the page answers; nil: it answers none
}

// A Problem is a problem document (RFC 9457) that a page shows instead.
type Problem struct {
	Document json.RawMessage `json:"-"`

	Title, Detail, Code, Invoice, Macaroon string
}

// paymentPattern matches a part of what Explain reads, in the syntax of Go and of browsers, and no question about it.
const paymentPattern = `^\s*HTTP/[\d.]+ \d{3}\b|(^|[\s"'(<])(` +
	`[\w-]*(authenticate|authorization|payment-[\w-]+|x-payment|x-cashu)\s*:\s*(\w+\s+)?(\w+=|[\w+/=:-]{20})|(l402|lsat|payment)\s+\w+=|` +
	`(lightning:)?(ln(bc|tb|tbs|bcrt)\d*[munp]?1|lno1)[a-z0-9]{20}|\{[\s\S]*"(x402Version|accepts|jsonrpc)"|(eyJ|AgE|cashu)[\w+/=-]{40})`

// Payment matches a text that holds a part of a payment, such as a 402 or an invoice.
var Payment = regexp.MustCompile("(?i)" + paymentPattern)

// A sampleAnswer is a passage with the title of its record.
type sampleAnswer struct {
	Record string
	index.Passage
}

// findAddressOf returns the address of the search page with the results of a query.
func findAddressOf(query string) string { return catalog.FindPath + "?q=" + url.QueryEscape(query) }

// Find returns the search page before anything was asked. The browser searches as one types.
func (p *Pages) Find() Page { return p.findPage(findPage{}) }

// Found returns the search page with the first results of a query. With a problem, the page answers a request for the paid
// search.
func (p *Pages) Found(query string, found find.Results, answers []index.Answered, problem *Problem) Page {
	found.Records = catalog.Convert(answers, func(a index.Answered) find.Record { return a.Record })
	shown := p.clientAnswers(query)
	if len(shown) == 0 {
		shown = p.shownAnswers(found, answers)
	}
	if pair := p.pairOf(found.Protocols, shown); pair != nil {
		found.Records, found.Total = slices.Insert(found.Records, min(1, len(found.Records)), *pair), found.Total+1
	}
	pasted := p.has(catalog.ExplainPath) && Payment.MatchString(query)
	data := findPage{Query: query, Pasted: pasted, Found: found, Answers: shown, Problem: problem, Passages: -len(shown)}
	for _, a := range answers {
		data.Passages += len(a.Passages)
	}
	isNews := func(a index.Answered) bool { return a.Path == catalog.NewsPath }
	if words := strings.ToLower(query); newsWord.MatchString(words) || slices.ContainsFunc(firstOf(answers, 1), isNews) {
		data.News = p.newsAsked(words, found.Protocols)
	}
	pg := p.findPage(data)
	pg.NoIndex = true
	return pg
}

// shownAnswers returns the answer of the first result, if a source has it or it defines a protocol, and the same fact about the other
// protocols that a query names.
func (p *Pages) shownAnswers(found find.Results, answers []index.Answered) (list []sampleAnswer) {
	for i, a := range answers {
		if len(a.Passages) == 0 {
			continue
		}
		answer := *a.Passages[0]
		text := strings.ToLower(answer.Text)
		lacks := func(word string) bool { return !strings.Contains(text, strings.ToLower(word)) }
		isOurs := a.Kind == "protocol" || !lacks(p.cat.Identity().Name) // of itself the site is the source
		isFirst := i == 0 && (answer.Source != "" || isOurs) && !slices.ContainsFunc(found.Unknown, lacks)
		isSame := len(list) > 0 && answer.Kind == index.PassageFact && answer.Title == list[0].Title &&
			slices.Contains(found.Protocols, strings.TrimPrefix(a.ID, "protocol:"))
		if isFirst || isSame { // else a description of ours, or of a part of the question alone
			list = append(list, sampleAnswer{Record: a.Title, Passage: answer})
		}
	}
	return list
}

// clientAnswers returns the payments of each client that a question about paying names. Protocols that the question names too, and
// that the client did not pay, are told besides: first, if it paid by none of those named.
func (p *Pages) clientAnswers(query string) (list []sampleAnswer) {
	words := " " + strings.Join(strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return strings.ContainsRune(" \t?!,;:\"'“”", r) }), " ") + " "
	for _, k := range p.cat.Clients() {
		name := " " + strings.ToLower(k.Name) + " "
		if !strings.Contains(words, name) {
			name = " " + k.ID + " "
		}
		if !strings.Contains(words, " pa") || !strings.Contains(words, name) || slices.Contains(p.cat.ProtocolPageIDs(), name[1:len(name)-1]) {
			continue
		}
		pays, refuses, paysAsked := []string{}, []string{}, false
		for _, w := range p.cat.PayWays() {
			asked := strings.Contains(strings.Replace(words, name, " ", 1), " "+w.Protocol+" ")
			if count, share := paidWords(w, k); share != "" {
				pays, paysAsked = append(pays, w.Label+" ("+count+")"), paysAsked || asked
			} else if asked && count != "" {
				refuses = append(refuses, w.Label)
			}
		}
		said := []string{"paid " + cmp.Or(strings.Join(pays, ", "), "nothing")}
		if len(refuses) > 0 {
			said = append(said, "didn’t pay "+strings.Join(refuses, ", "))
		}
		if !paysAsked {
			slices.Reverse(said)
		}
		text := "In our test of " + phrase.LongDay(k.Day) + ", " + k.Name + " " + k.Version + " " + strings.Join(said, ". It ") + "."
		list = append(list, sampleAnswer{Record: "Clients", Passage: index.Passage{Title: k.Name, Text: text, URL: p.site.URL(catalog.ClientPath(k.ID))}})
	}
	return list
}

// newsWord, monthWord and yearWord match a query's words for news.
var (
	newsWord  = regexp.MustCompile(`\bnews\b`)
	monthWord = regexp.MustCompile(`\b(january|february|march|april|may|june|july|august|september|october|november|december)\b`)
	yearWord  = regexp.MustCompile(`\b20\d\d\b`)
)

// newsAsked returns the newest news of the month, the year and the protocols that a query names.
func (p *Pages) newsAsked(query string, protocols []string) []*catalog.NewsItem {
	month, year := monthWord.FindString(query), yearWord.FindString(query)
	list := slices.DeleteFunc(slices.Clone(p.cat.News()), func(n *catalog.NewsItem) bool {
		isAbout := func(id string) bool { return slices.Contains(n.Protocols, id) }
		return month != "" && !strings.EqualFold(month, n.Date.Time().Month().String()) || year != "" && year != string(n.Date[:4]) ||
			len(protocols) > 0 && !slices.ContainsFunc(protocols, isAbout)
	})
	return firstOf(list, 2*newsCount)
}

// pairOf returns the comparison of the protocols that a query names, at the row of the facts shown; nil for fewer than two.
func (p *Pages) pairOf(ids []string, shown []sampleAnswer) *find.Record {
	row := ""
	for _, a := range shown {
		if _, field, ok := strings.Cut(a.URL, "#choice-"); ok {
			row = "#row-" + field
		}
	}
	if len(ids) > 2 {
		return &find.Record{ID: "compare", Kind: "compare", Title: "Compare these protocols",
			Line: "Payment protocols field by field, with the messages of a payment.", Path: catalog.ComparePath + "?protocols=" + strings.Join(ids, ",") + cmp.Or(row, "#matrix")}
	}
	for _, id := range p.cat.PairIDs() {
		if a, b := p.cat.Pair(id); len(ids) == 2 && slices.Contains(ids, a.ID) && slices.Contains(ids, b.ID) {
			return &find.Record{ID: "compare", Kind: "compare", Title: shortName(a.ID, a.Name) + " vs " + shortName(b.ID, b.Name),
				Line: "Both protocols field by field, with the messages of a payment.", Path: catalog.PairPath(id) + row}
		}
	}
	return nil
}

func (p *Pages) findPage(d findPage) Page {
	d.Sells, d.Terms, d.Site = p.cat.Payments() != catalog.PaymentsOff, p.cat.Terms(), p.site
	return Page{
		Narrow:      true,
		Path:        catalog.FindPath,
		Title:       "Search",
		Description: "Find a record by title, ID, tag or question.",
		Search:      true,
		Style:       buyStyleAddress,
		content:     findContent(p, d),
	}
}

// NotFound returns the page of an address at which nothing is published, with the records that may have been meant. On
// a host of files, the browser finds them.
func (p *Pages) NotFound(near []find.Record) Page {
	return apology("Nothing is published here", "Check the address for typos. We never remove published pages.", notFoundContent(p, near))
}

// Refused returns the page of a form that the service refuses.
func (p *Pages) Refused(title, why string) Page {
	return apology(title, why+" Your browser’s Back button returns to your text.", templ.NopComponent)
}

// Withdrawn returns the page at the address of a record that is no longer published.
func (p *Pages) Withdrawn(w catalog.Withdrawal) Page {
	return apology("Withdrawn: "+w.Title, "We withdrew this record on "+phrase.LongDay(w.Day)+". "+w.Reason, withdrawnContent(p, w))
}

// apology returns the page of an answer without what was asked for.
func apology(title, lede string, content templ.Component) Page {
	return Page{Path: catalog.NotFoundPath, Title: title, Description: lede, Lede: lede, NoIndex: true, content: content}
}
