package tools

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/phrase"
	"go.almanac.example/index"
	"go.almanac.example/index/find"
)

// searchKinds are the kinds of records that search can be limited to; a page is one of the site's own, such as the
// comparison.
var searchKinds = []string{kindEntry, kindProtocol, "article", "dataset", "category", "tag", kindPage}

const kindPage = "page"

const (
	standardHits = 5 // of the paid search
	freeHits     = 3
	maxHits      = 20
	maxHitLine   = 220 // bytes of the text of a hit after the first, and of more of the first

	maxMore = 4 // texts of the first hit beside the one that answers
)

func freeSearch(r *resources, x *index.Index, paid bool) *tool {
	none := "Use fewer or other words, list_categories, or list_changes for what is new."
	if paid {
		none += " search_passages, which is paid, searches all texts."
	}
	example := quoted(r.examples.Question)
	return &tool{
		signature: signature{
			name: "search",
			params: []param{
				{name: "query", aliases: queryAliases, min: 1, max: maxQuery, required: true, example: example,
					about: "A question, words, an id, host, header, error code or contract address."},
				r.kindParam(r.kinds(searchKinds)), r.tagParam(), r.typeParam(),
				limitParam(maxHits, freeHits, "Most records."), cursorParam(),
			},
		},
		title: "Search",
		about: "Start here, also when you think you know: a question, or words. The first result has passages, " +
			"source and day, often enough; the others a line: fetch id#section. " +
			`Example: {"query":` + example + `}.`,
		run: func(ctx context.Context, in arguments, _ Caller) (*mcp.CallToolResult, error) {
			return r.search(ctx, x, in, none)
		},
	}
}

// A searchResult begins with the members that OpenAI's connectors read. The first one alone has more, download and
// source.
type searchResult struct {
	ID         string       `json:"id"`
	Title      string       `json:"title"`
	URL        string       `json:"url"`
	Section    string       `json:"section,omitempty"` // of the text, which fetch takes
	Text       string       `json:"text"`
	Quote      string       `json:"quote,omitempty"` // the words of the source, where the query asks for them
	More       []string     `json:"more,omitempty"`  // of the same record
	Download   []string     `json:"download,omitempty"`
	Versions   []string     `json:"versions,omitempty"` // ids of the other editions
	Source     string       `json:"source,omitempty"`   // of the text, where that is not url
	VerifiedAt catalog.Date `json:"verified_at,omitempty"`
}

// The words of a query that ask for the words of a source, and for an example.
var (
	asksForWords   = regexp.MustCompile(`(?i)\b(quotes?|cite|verbatim|wording|sentence|word for word|(exact|the) (words|text))\b`)
	asksForExample = regexp.MustCompile(`(?i)\b(examples?|samples?|snippets?|in code|looks? like)\b`)
)

func (r *resources) search(ctx context.Context, x *index.Index, in arguments, none string) (*mcp.CallToolResult, error) {
	query, wasCut := index.CutText(in.text("query"))
	found, records, err := r.answered(ctx, x, query, in)
	if err != nil {
		return nil, err
	}
	note, changes := r.lists(query, found.Protocols)
	note = cmp.Or(note, r.protocols.comparesVersions(query, found.Protocols))
	if rest, unknown := r.protocols.unknownVersion(query, found.Protocols, records); unknown != "" && note == "" {
		if found, records, err = r.answered(ctx, x, rest, in); err != nil {
			return nil, err
		}
		note = unknown
	}
	id := queryID("search", fmt.Sprint(query, in.list("kind"), in.list("tag"), in.list("type")))
	offset, err := r.offset(in.text("cursor"), id, len(records))
	if err != nil {
		return nil, err
	}
	end := min(offset+in.number("limit", max(1, freeHits-len(changes))), len(records)) // changes answer
	shown := records[offset:end]
	out := struct {
		Changes    []string       `json:"changes,omitempty"` // that the query asks for, each a line
		Results    []searchResult `json:"results"`
		Total      int            `json:"total"`             // of the records found, of which these are the first
		ReadAs     []string       `json:"read_as,omitempty"` // words that are found nowhere, as what they were read
		Missing    []string       `json:"missing,omitempty"` // words that no record has together with the others
		Note       string         `json:"note,omitempty"`
		NextCursor string         `json:"next_cursor,omitempty"`
	}{Results: r.results(shown, query, offset == 0), Changes: changes, Total: found.Total, ReadAs: found.ReadAs, Missing: found.Unknown}
	out.Missing = slices.DeleteFunc(out.Missing, func(word string) bool { // which the texts have, if no name does
		return len(shown) > 0 && slices.ContainsFunc(shown[0].Passages, func(p *index.Passage) bool {
			return strings.Contains(plainWords(p.Text), " "+strings.ToLower(word))
		})
	})
	switch {
	case note != "":
		out.Note = note
	case len(records) == 0 || len(out.Missing) > 0:
		out.Note = none
	case len(found.Protocols) > 1:
		out.Note = r.protocols.comparesFields(query, found.Protocols)
	case len(out.Results) > 1 && out.Results[0].Section == out.Results[1].Section && slices.Contains(r.protocols.fields, out.Results[0].Section):
		out.Note = `get_protocol_facts {"fields":["` + out.Results[0].Section + `"]} has this of all protocols.`
	}
	out.Note = strings.TrimSpace(textIf(wasCut, cutNote) + out.Note)
	if end < len(records) {
		out.NextCursor = r.cursor(id, end)
	}
	return newJSONAnswer(out), nil
}

// answered returns the records for a query that pass the filters of a call, with their answers.
func (r *resources) answered(ctx context.Context, x *index.Index, query string, in arguments) (*find.Results, []index.Answered, error) {
	kinds, f := in.list("kind"), filter{tags: in.list("tag"), types: in.list("type")}
	found, err := x.Find(ctx, query, func(rec *find.Record) bool {
		e, isEntry := r.catalog.Entry(rec.ID)
		return (kinds == nil || slices.Contains(kinds, searchKind(rec.Kind))) && (f.tags == nil && f.types == nil || isEntry && f.passes(e))
	}, find.MaxMore)
	if err != nil {
		return nil, nil, err
	}
	records, err := x.Answers(ctx, query, found.Records)
	return found, records, err
}

// results returns records with their answers to a query, the first in full if it is the best.
func (r *resources) results(records []index.Answered, query string, best bool) []searchResult {
	list := []searchResult{}
	for n := range records {
		hit := r.searchResult(&records[n], query)
		if n == 0 && best {
			hit.addStatements(r.catalog.Statements(hit.ID), query)
		} else {
			hit.Text, hit.More, hit.Source = bestPart(hit.Text, query, maxHitLine), nil, ""
		}
		if slices.ContainsFunc(list, func(before searchResult) bool { return before.Versions != nil }) {
			hit.Versions = nil // of the best that has any
		}
		list = append(list, hit)
	}
	return list
}

// addStatements adds to the answer of an entry its statements about the same, if a query names what they are about, or if
// nothing answers those with most words of the query that the title lacks.
func (hit *searchResult) addStatements(all []catalog.Statement, query string) {
	words := slices.DeleteFunc(contentWords(query), func(w string) bool { return hasWords(hit.Title, []string{w}) })
	count := func(s *catalog.Statement) int { return countWords(s.Text, words) }
	answer := slices.IndexFunc(all, func(s catalog.Statement) bool { return s.ID == hit.Section })
	list := slices.DeleteFunc(slices.Clone(all), func(s catalog.Statement) bool {
		isSame := answer >= 0 && s.About == all[answer].About && hasWords(query, []string{strings.TrimSuffix(s.About, "s")})
		return s.Example != nil || s.Text == hit.Text || !isSame && (hit.Section != "" || count(&s) == 0)
	})
	slices.SortStableFunc(list, func(a, b catalog.Statement) int { return count(&b) - count(&a) })
	for _, s := range list {
		text := bestPart(s.Text, query, maxHitLine)
		if len(hit.More) < maxMore && !slices.Contains(hit.More, text) {
			hit.More = append(hit.More, text)
		}
	}
}

func searchKind(kind string) string {
	if slices.Contains(searchKinds, kind) {
		return kind
	}
	return kindPage
}

// searchResult returns a record with the passages of it that answer a query best.
func (r *resources) searchResult(rec *index.Answered, query string) searchResult {
	kind := searchKind(rec.Kind)
	out := searchResult{ID: rec.ID, Title: rec.Title, URL: rec.URL, Text: rec.Line}
	_, name, _ := strings.Cut(rec.ID, ":")
	switch kind {
	case "category", "tag":
		entries := r.catalog.WithTag(name)
		if kind == "category" {
			entries = r.catalog.InCategory(name)
		}
		out.Text = fmt.Sprintf("%s; list_entries with %s %s lists them.", phrase.Count(len(entries), "entry", "entries"), kind, name)
		return out
	case "dataset":
		out.Download = r.rowFiles(name)
	}
	e, isEntry := r.catalog.Entry(rec.ID)
	if isEntry {
		out.VerifiedAt, out.Versions = e.VerifiedAt, r.versions(e.ID)
	}
	answers := rec.Passages
	if !asksForExample.MatchString(query) {
		answers = slices.DeleteFunc(answers, func(p *index.Passage) bool { return p.Title == "Example" })
	}
	for i, answer := range answers {
		switch {
		case i == 0:
			out.Text, out.VerifiedAt = strings.TrimSpace(answer.Text), answer.VerifiedAt
			out.Source = textIf(answer.Source != out.URL, answer.Source)
			if _, section, _ := strings.Cut(answer.URL, "#"); section != "" && answer.Kind != index.PassageRow {
				out.Section = strings.TrimPrefix(section, "choice-")
			}
		case answer.Source != answers[0].Source, answer.Text == answers[0].Text, slices.Contains(out.More, answer.Text):
		case answer.Title == "Example":
			out.More = append(out.More, answer.Text)
		default:
			out.More = append(out.More, bestPart(answer.Text, query, maxHitLine))
		}
	}
	if p := r.protocols.find(name); kind == kindProtocol && p != nil {
		if v, ok := p.values[out.Section]; ok && v.Value == nil {
			out.Text, out.More = p.silence(out.Section)
		}
	}
	for _, s := range r.catalog.Statements(rec.ID) {
		if s.ID == out.Section && asksForWords.MatchString(query) {
			out.Quote = s.Readings[0].Quote
		}
	}
	return out
}

// plainWords returns a text in lower case with a space around each word.
func plainWords(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	return " " + strings.Join(words, " ") + " "
}

// contentWords returns the words of a query without those of its grammar.
func contentWords(query string) []string {
	return strings.Fields(grammar.ReplaceAllString(plainWords(query), " "))
}

var grammar = regexp.MustCompile(`\b(an?|and|are|as|at|be|by|can|do|does|for|from|how|in|is|it|of|on|or|that|the|to|what|when|which|who|with)\b`)

// bestPart returns the part of a text, at most so many bytes in whole sentences or items, that has most words of a query,
// and of a list also how it begins.
func bestPart(text, query string, most int) string {
	if len(text) <= most {
		return text
	}
	lead, words := "", contentWords(query)
	if list := listLead.FindStringSubmatch(text); list != nil {
		lead, text, most = list[1], text[len(list[1]):], most-len(list[1])
		words = slices.DeleteFunc(words, func(w string) bool { return hasWords(lead, []string{w}) })
	}
	var parts []string
	at := 0
	for _, end := range append(partEnd.FindAllStringIndex(text, -1), []int{0, len(text)}) {
		parts, at = append(parts, text[at:end[1]]), end[1]
	}
	best, bestCount := "", -1
	for i := range parts {
		part := parts[i]
		for _, next := range parts[i+1:] {
			if len(part)+len(next) > most {
				break
			}
			part += next
		}
		if count := countWords(part, words); count > bestCount {
			best, bestCount = textIf(i > 0, "… ")+find.Cut(strings.TrimSpace(part), most), count
		}
	}
	if !strings.HasSuffix(text, strings.TrimPrefix(best, "… ")) && !strings.HasSuffix(best, "…") {
		best += " …"
	}
	return lead + best
}

// listLead finds what a list is of.
var listLead = regexp.MustCompile(`^([^:;]{1,60}: )[^;]+; [^;]+;`)

// partEnd finds the end of a sentence, a line or an item.
var partEnd = regexp.MustCompile(`[.;:!?]\s+|\n+`)
