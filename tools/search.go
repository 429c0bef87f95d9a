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
	standardHits = 5
	maxHits      = 20
	fullHits     = 3   // hits with a long text
	minHits      = 3   // shown, unless a limit is given, though the first have more words of the query
	maxHitText   = 400 // bytes
	maxHitLine   = 220
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
				{name: "limit", kind: kindNumber, min: 1, max: maxHits, standard: standardHits, example: "3", about: "Most records."},
				cursorParam(),
			},
		},
		title: "Search",
		about: "Start here, also when you think you know: answers a question, or finds records by words, and quotes the sentence that " +
			`answers, with source and day. Free. Example: {"query":` + example + `}. Then fetch an id.`,
		run: func(ctx context.Context, in arguments, _ Caller) (*mcp.CallToolResult, error) {
			return r.search(ctx, x, in, none)
		},
	}
}

// A searchResult has the members that OpenAI's connectors read first.
type searchResult struct {
	ID         string       `json:"id"`
	Title      string       `json:"title"`
	URL        string       `json:"url"`
	Kind       string       `json:"kind"`
	Section    string       `json:"section,omitempty"` // of the text, which fetch takes
	Text       string       `json:"text"`
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
	r.successorsFirst(records[:min(len(records), max(near, standardHits))], query)
	offset, err := r.cursors.decode(in.text("cursor"), queryID("search", fmt.Sprint(query, kinds, tags, types)), len(records))
	if err != nil {
		return nil, err
	}
	end := min(offset+in.number("limit", standardHits), len(records))
	if _, limited := in["limit"]; !limited && offset == 0 {
		end = min(end, max(near, minHits))
	}
	out := struct {
		Results    []searchResult `json:"results"`
		Total      int            `json:"total"`             // of the records found, of which these are the first
		ReadAs     []string       `json:"read_as,omitempty"` // words that are found nowhere, as what they were read
		Missing    []string       `json:"missing,omitempty"` // of an answer without results: words that no record has
		Note       string         `json:"note,omitempty"`
		NextCursor string         `json:"next_cursor,omitempty"`
	}{Results: []searchResult{}, Total: total, ReadAs: found.ReadAs, Missing: found.Unknown}
	shown := records[offset:end]
	answers, err := x.Answers(ctx, query, shown)
	if err != nil {
		return nil, err
	}
	for n := range shown {
		most := maxHitText
		if n >= fullHits {
			most = maxHitLine
		}
		out.Results = append(out.Results, r.searchResult(&shown[n], answers[n], query, most))
	}
	switch {
	case len(records) == 0:
		out.Note = none
	case end < len(records):
		out.NextCursor = r.cursors.encode(queryID("search", fmt.Sprint(query, kinds, tags, types)), end)
		if end >= near {
			out.Note = "The rest have fewer of the words."
		}
	}
	return newJSONAnswer(out), nil
}

func searchKind(kind string) string {
	if slices.Contains(searchKinds, kind) {
		return kind
	}
	return kindPage
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

// searchResult returns a record with the text of it that answers best.
func (r *resources) searchResult(rec *find.Record, answer *index.Passage, query string, most int) searchResult {
	kind := searchKind(rec.Kind)
	out := searchResult{ID: rec.ID, Title: rec.Title, URL: rec.URL, Kind: kind, Text: rec.Line}
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
	if answer == nil {
		return out
	}
	out.Text = passageAround(answer.Text, query, most)
	out.VerifiedAt = answer.VerifiedAt
	if answer.Source != rec.URL {
		out.Source = answer.Source
	}
	if _, section, _ := strings.Cut(answer.URL, "#"); section != "" && answer.Kind != index.PassageRow {
		out.Section = strings.TrimPrefix(section, "choice-")
	}
	return out
}

// passageAround returns at most so many bytes of a text, from the sentence on that has the most words of a query.
func passageAround(text, query string, most int) string {
	text = strings.TrimSpace(text)
	if len(text) <= most {
		return text
	}
	words := strings.Fields(strings.ToLower(query))
	best, from := -1, 0
	for at := 0; at < len(text); {
		part := strings.ToLower(text[at:min(len(text), at+most)])
		count := 0
		for _, w := range words {
			if len(w) > 2 && strings.Contains(part, strings.TrimSuffix(w, "s")) {
				count++
			}
		}
		if count > best {
			best, from = count, at
		}
		next := strings.IndexAny(text[at:], ".\n;")
		if next < 0 || len(text)-at <= most {
			break
		}
		at += next + 1
	}
	cut := strings.TrimSpace(text[from:])
	if from > 0 {
		return "… " + excerpt(cut, most-4)
	}
	return excerpt(cut, most)
}
