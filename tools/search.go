package tools

import (
	"context"
	"strings"

	"almanac/index/find"
)

func freeSearch(r *resources, paid bool) *tool {
	more := "This searches what records are called and the questions they answer."
	if paid {
		more += " search_passages, which is paid, searches their texts."
	}
	return &tool{
		signature: signature{
			name: "search",
			params: []param{{name: "query", min: 1, max: maxQuery, required: true, example: `"which sources on BOLT 12?"`,
				about: "Words, an id, a host or a question."}},
		},
		title: "Find records",
		about: "Finds up to eight records by id, title, tag, publisher, host, section or a question they answer. Free. " +
			"Use it first. " +
			`Example: {"query":"which sources on BOLT 12?"}. ` +
			"Next, fetch an id.",
		output: object(prop("count", integerSchema),
			prop("results", listOf(object(append(texts("id", "title", "url", "kind", "line"), prop("matched", textsSchema))...))), prop("more", textSchema)),
		run: func(_ context.Context, in arguments, _ Caller) (*Answer, error) {
			return r.search(in.text("query"), more)
		},
	}
}

// A searchResult has the members that OpenAI's connectors read first.
type searchResult struct {
	ID      string   `json:"id"`
	Title   string   `json:"title"`
	URL     string   `json:"url"`
	Kind    string   `json:"kind"`
	Line    string   `json:"line"`
	Matched []string `json:"matched"` // why it was found
}

func (r *resources) search(query, more string) (*Answer, error) {
	if strings.TrimSpace(query) == "" {
		return nil, inputError(`query has no words. Say what to look for, for example {"query":"lightning"}`)
	}
	finder, err := r.documents.Finder()
	if err != nil {
		return nil, err
	}
	best, readAs := finder.Find(query)
	out := struct {
		Count   int            `json:"count"`
		Results []searchResult `json:"results"`
		ReadAs  []string       `json:"read_as,omitempty"` // words that are found nowhere, as what they were read
		More    string         `json:"more"`
	}{len(best), []searchResult{}, readAs, more}
	if len(best) == 0 {
		out.More = "Nothing is called so. Use fewer or other words, or list_tags. " + more
	}
	for _, h := range best {
		out.Results = append(out.Results, searchResult{h.ID, h.Title, h.URL, h.Kind, r.lineOf(h.Record), h.Matched})
	}
	a := newJSONAnswer(1)
	a.value(out)
	return a.answer(), nil
}

// lineOf returns what a record is. Of a list it says how to read it.
func (r *resources) lineOf(rec *find.Record) string {
	name := rec.ID[strings.IndexByte(rec.ID, ':')+1:]
	switch rec.Kind {
	case "category":
		return countOf(len(r.catalog.InCategory(name)), "library entry", "library entries") + "; list_entries lists them."
	case "tag":
		return countOf(len(r.catalog.WithTag(name)), "library entry", "library entries") + "; list_entries with this tag lists them."
	}
	return rec.Line
}
