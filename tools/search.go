package tools

import (
	"context"
	"fmt"
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
	fullHits     = 3   // hits with a long text
	minHits      = 3   // shown though others have more words of the query
	maxHitText   = 400 // bytes
	maxHitLine   = 160
)

func freeSearch(r *resources, x *index.Index, paid bool) *tool {
	none := "Use fewer or other words, list_tags, or list_changes for what is new."
	if paid {
		none += " search_passages, which is paid, searches all texts."
	}
	kinds, example := r.kinds(searchKinds), quoted(r.examples.Question)
	return &tool{
		signature: signature{
			name: "search",
			params: []param{
				{name: "query", min: 1, max: maxQuery, required: true, example: example,
					about: "Words, id, host or question."},
				{name: "kind", kind: kindList, orOne: true, allowed: kinds, max: len(kinds),
					example: "[" + quoted(kinds[1]) + "]", about: "Any of these."},
				{name: "limit", kind: kindNumber, min: 1, max: find.MaxFound, standard: standardHits, example: "3",
					about: "Most records."},
			},
		},
		title: "Search",
		about: "Finds records and quotes the part that answers, with source and date. Free. " +
			`Use it first; it often suffices. Example: {"query":` + example + `}. For more, fetch an id.`,
		output: object(prop("results", listOf(object(texts("id", "title", "url", "kind", "text")...))),
			prop("total", integerSchema)),
		run: func(ctx context.Context, in arguments, _ Caller) (*mcp.CallToolResult, error) {
			return r.search(ctx, x, in.text("query"), in.list("kind"), in.number("limit", standardHits), none)
		},
	}
}

// A searchResult has the members that OpenAI's connectors read first.
type searchResult struct {
	ID         string       `json:"id"`
	Title      string       `json:"title"`
	URL        string       `json:"url"`
	Kind       string       `json:"kind"`
	Text       string       `json:"text"`
	Source     string       `json:"source,omitempty"` // of the text, where that is not url
	VerifiedAt catalog.Date `json:"verified_at,omitempty"`
}

func (r *resources) search(
	ctx context.Context, x *index.Index, query string, kinds []string, limit int, none string,
) (*mcp.CallToolResult, error) {
	if strings.TrimSpace(query) == "" {
		return nil, inputError(`query has no words. Say what to look for, for example {"query":` + quoted(r.examples.tag) + "}")
	}
	var keep func(string) bool
	if kinds != nil {
		keep = func(kind string) bool { return slices.Contains(kinds, searchKind(kind)) }
	}
	found, err := x.Find(ctx, query, keep, find.MaxFound)
	if err != nil {
		return nil, err
	}
	out := struct {
		Results []searchResult `json:"results"`
		Total   int            `json:"total"`             // of the records found, of which these are the first
		ReadAs  []string       `json:"read_as,omitempty"` // words that are found nowhere, as what they were read
		Missing []string       `json:"missing,omitempty"` // of an answer without results: words that no record has
		Note    string         `json:"note,omitempty"`
	}{Results: []searchResult{}, Total: found.Total, ReadAs: found.ReadAs, Missing: found.Unknown}
	words := queryWords(query)
	for n, rec := range found.Records[:min(limit, len(found.Records))] {
		if n < minHits || found.Missing[n] == found.Missing[0] {
			out.Results = append(out.Results, r.searchResult(&rec, searchKind(rec.Kind), words, n < fullHits))
		}
	}
	if len(out.Results) == 0 {
		out.Note = none
	}
	return newJSONAnswer(out), nil
}

func searchKind(kind string) string {
	if slices.Contains(searchKinds, kind) {
		return kind
	}
	return kindPage
}

// searchResult returns a record with the text of it that answers best.
func (r *resources) searchResult(rec *find.Record, kind string, words []string, full bool) searchResult {
	out := searchResult{ID: rec.ID, Title: rec.Title, URL: rec.URL, Kind: kind, Text: rec.Line}
	name := rec.ID[strings.IndexByte(rec.ID, ':')+1:]
	if kind == "category" || kind == "tag" {
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
	if !full {
		out.Text = excerpt(out.Text, maxHitLine)
		return out
	}
	found, err := r.locate(rec.ID)
	if err != nil { // a page without a document of its own
		return out
	}
	b, ok := r.document(found).best(words)
	if !ok {
		return out
	}
	out.Text = excerpt(strings.TrimSpace(b.text), maxHitText)
	if out.VerifiedAt = b.verified; b.source != rec.URL {
		out.Source = b.source
	}
	return out
}

// best returns the block that has most of the words, each counted by how rare it is among the blocks. Headings are no
// answer.
func (doc *document) best(words []string) (found block, ok bool) {
	texts := make([]string, len(doc.blocks))
	for i, b := range doc.blocks {
		texts[i] = strings.ToLower(strings.ReplaceAll(b.section, "_", " ") + " " + b.text)
	}
	most := 0.0
	scores := make([]float64, len(texts))
	for _, w := range words {
		var with []int
		for i, text := range texts {
			if strings.Contains(text, w) {
				with = append(with, i)
			}
		}
		for _, i := range with {
			weight := 1 / float64(1+len(with))
			if name := strings.ReplaceAll(doc.blocks[i].section, "_", " "); strings.Contains(name, w) {
				weight *= 1 + 2*float64(len(w))/float64(len(name))
			}
			scores[i] += weight
		}
	}
	for i, b := range doc.blocks {
		if score := scores[i]; score > most && !strings.HasPrefix(b.text, "#") {
			found, ok, most = b, true, score
		}
	}
	for _, b := range doc.blocks {
		if !ok && b.source != "" {
			return b, true
		}
	}
	return found, ok
}

// idleWords are words of questions that no answer has to repeat.
var idleWords = strings.Fields("the and for are does how who which what when where this that with there any can " +
	"have has its from")

// queryWords returns the words of a query by which its answer is told from other texts: in lower case, without a
// plural's ending.
func queryWords(query string) (words []string) {
	for _, w := range strings.FieldsFunc(strings.ToLower(query),
		func(c rune) bool { return strings.ContainsRune(" ?!,;:\"'()/", c) }) {
		if len(w) > 4 {
			w = strings.TrimSuffix(w, "s")
		}
		if len(w) > 2 && !slices.Contains(idleWords, w) && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return words
}
