package tools

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
	"go.almanac.example/index"
	"go.almanac.example/index/find"
)

// searchKinds are the kinds of records that search can be limited to; a page is one of the site's own, such as the
// comparison.
var searchKinds = []string{kindEntry, kindProtocol, "article", "dataset", "category", "tag", kindPage}

const kindPage = "page"

const (
	standardHits = 5 // of the paid search
	freeHits     = 4
	maxHits      = 20
	minHits      = 3   // shown, unless a limit is given, though the first have more words of the query
	maxHitLine   = 180 // bytes of the text of a hit after the first, and of more of the first
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
				{name: "limit", kind: kindNumber, min: 1, max: maxHits, standard: freeHits, example: "3", about: "Most records."},
				cursorParam(),
			},
		},
		title: "Search",
		about: "Start here, also when you think you know: answers a question, or finds records by words. The first result has passages, " +
			"source and day, often enough; the others a line: fetch id#section. Free. " +
			`Example: {"query":` + example + `}.`,
		run: func(ctx context.Context, in arguments, _ Caller) (*mcp.CallToolResult, error) {
			return r.search(ctx, x, in, none)
		},
	}
}

// A searchResult has the members that OpenAI's connectors read first. Only the first of an answer has a source, a day and more.
type searchResult struct {
	ID         string       `json:"id"`
	Title      string       `json:"title"`
	URL        string       `json:"url"`
	Section    string       `json:"section,omitempty"` // of the text, which fetch takes
	Text       string       `json:"text"`
	More       []string     `json:"more,omitempty"`   // of the same record
	Source     string       `json:"source,omitempty"` // of the text, where that is not url
	VerifiedAt catalog.Date `json:"verified_at,omitempty"`
}

func (r *resources) search(ctx context.Context, x *index.Index, in arguments, none string) (*mcp.CallToolResult, error) {
	query, kinds, tags, types := in.text("query"), in.list("kind"), in.list("tag"), in.list("type")
	if strings.TrimSpace(query) == "" {
		return nil, inputError(`query has no words. Say what to look for, for example {"query":` + quoted(r.examples.tag) + "}")
	}
	if err := r.checkTags(tags); err != nil {
		return nil, err
	}
	keep := func(kind string) bool { return kinds == nil || slices.Contains(kinds, searchKind(kind)) }
	found, err := x.Find(ctx, query, keep, find.MaxMore)
	if err == nil && found.Total == 0 && found.Unknown != nil { // the words that the best record has find more than nothing
		missing := found.Unknown
		found, err = x.Find(ctx, dropWords(query, missing), keep, find.MaxMore)
		if err == nil {
			found.Unknown = missing
		}
	}
	if err != nil {
		return nil, err
	}
	f := filter{tags: tags, types: types}
	total, near := found.Total, 0 // near have as many of the words as the first
	var records []find.Record
	for i, rec := range found.Records {
		e, isEntry := r.catalog.Entry(rec.ID)
		if tags != nil || types != nil {
			if total = len(records); !isEntry || !f.passes(e) {
				continue
			}
			total++
		}
		records = append(records, rec)
		if found.Missing[i] == found.Missing[0] {
			near = len(records)
		}
	}
	r.successorsFirst(records[:min(len(records), max(near, freeHits))], query)
	r.subjectFirst(records[:min(len(records), maxHits)], query)
	offset, err := r.cursors.decode(in.text("cursor"), queryID("search", fmt.Sprint(query, kinds, tags, types)), len(records))
	if err != nil {
		return nil, err
	}
	end := min(offset+in.number("limit", freeHits), len(records))
	if _, limited := in["limit"]; !limited && offset == 0 {
		end = min(end, max(near, minHits))
	}
	out := struct {
		Results    []searchResult `json:"results"`
		Total      int            `json:"total"`             // of the records found, of which these are the first
		ReadAs     []string       `json:"read_as,omitempty"` // words that are found nowhere, as what they were read
		Missing    []string       `json:"missing,omitempty"` // words that no record has together with the others
		Note       string         `json:"note,omitempty"`
		NextCursor string         `json:"next_cursor,omitempty"`
	}{Results: []searchResult{}, Total: total, ReadAs: found.ReadAs, Missing: found.Unknown}
	shown := records[offset:end]
	answers, err := x.Answers(ctx, query, shown)
	if err != nil {
		return nil, err
	}
	for n := range shown {
		hit := r.searchResult(&shown[n], answers[n])
		if n+offset > 0 {
			hit = searchResult{ID: hit.ID, Title: hit.Title, URL: hit.URL, Section: hit.Section, Text: excerpt(hit.Text, maxHitLine)}
		}
		out.Results = append(out.Results, hit)
	}
	if len(records) == 0 || found.Unknown != nil {
		out.Note = none
	}
	if end < len(records) {
		out.NextCursor = r.cursors.encode(queryID("search", fmt.Sprint(query, kinds, tags, types)), end)
	}
	return newJSONAnswer(out), nil
}

// dropWords returns a query without some words.
func dropWords(query string, words []string) string {
	kept := slices.DeleteFunc(strings.Fields(query), func(field string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(strings.ToLower(field), strings.ToLower(w)) })
	})
	return strings.Join(kept, " ")
}

func searchKind(kind string) string {
	if slices.Contains(searchKinds, kind) {
		return kind
	}
	return kindPage
}

// subjectFirst moves the records about a protocol that the query names by its id before others.
func (r *resources) subjectFirst(records []find.Record, query string) {
	named := slices.DeleteFunc(strings.FieldsFunc(strings.ToLower(query), func(c rune) bool { return strings.ContainsRune(" ,;?!()\"'", c) }),
		func(word string) bool { return !slices.Contains(r.protocols.ids, word) })
	if len(named) == 0 {
		return
	}
	isAbout := func(rec find.Record) int {
		e, _ := r.catalog.Entry(rec.ID)
		for _, name := range named {
			if strings.Contains(strings.ToLower(rec.ID+" "+rec.Title), name) || e != nil && slices.Contains(e.Tags, name) {
				return 0
			}
		}
		return 1
	}
	slices.SortStableFunc(records, func(a, b find.Record) int { return isAbout(a) - isAbout(b) })
}

// superseded finds the words by which a summary says that another version came after.
var superseded = regexp.MustCompile(`(?i)superseded (by|it)\b`)

// successorsFirst moves entries that say that another superseded them behind the others of their publisher, unless the
// query names their number.
func (r *resources) successorsFirst(records []find.Record, query string) {
	for i := 0; i < len(records); i++ {
		old, ok := r.catalog.Entry(records[i].ID)
		if !ok || !superseded.MatchString(old.Summary) || namesNumber(query, old) {
			continue
		}
		for j := len(records) - 1; j > i; j-- {
			if e, ok := r.catalog.Entry(records[j].ID); ok && e.Publisher == old.Publisher && e.Category == old.Category {
				moved := records[i]
				copy(records[i:j], records[i+1:j+1])
				records[j] = moved
				break
			}
		}
	}
}

// namesNumber reports whether a query has a number of the title of an entry.
func namesNumber(query string, e *catalog.Entry) bool {
	words := strings.Fields(strings.ToLower(query))
	return slices.ContainsFunc(strings.Fields(strings.ToLower(e.Title)), func(word string) bool {
		return strings.ContainsAny(word, "0123456789") && slices.Contains(words, word)
	})
}

// searchResult returns a record with the passages of it that answer best.
func (r *resources) searchResult(rec *find.Record, answers []*index.Passage) searchResult {
	kind := searchKind(rec.Kind)
	out := searchResult{ID: rec.ID, Title: rec.Title, URL: rec.URL, Text: rec.Line}
	if kind == "category" || kind == "tag" {
		name := rec.ID[strings.IndexByte(rec.ID, ':')+1:]
		entries := r.catalog.WithTag(name)
		if kind == "category" {
			entries = r.catalog.InCategory(name)
		}
		out.Text = fmt.Sprintf("%s; list_entries with %s %s lists them.",
			countOf(len(entries), "entry", "entries"), kind, name)
		return out
	}
	if e, ok := r.catalog.Entry(rec.ID); ok {
		out.VerifiedAt = e.VerifiedAt
	}
	for i, answer := range answers {
		if i > 0 {
			if answer.Source == answers[0].Source {
				out.More = append(out.More, excerpt(answer.Text, maxHitLine))
			}
			continue
		}
		out.Text, out.VerifiedAt = strings.TrimSpace(answer.Text), answer.VerifiedAt
		if answer.Source != rec.URL {
			out.Source = answer.Source
		}
		if _, section, _ := strings.Cut(answer.URL, "#"); section != "" && answer.Kind != index.PassageRow {
			out.Section = strings.TrimPrefix(section, "choice-")
		}
	}
	return out
}
