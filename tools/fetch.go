package tools

import (
	"context"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"unicode/utf8"

	"almanac/catalog"
	"almanac/httpmirror/markdown"
)

// The lengths of a fetched text. A token is about four bytes of English.
const (
	tokenBytes     = 4
	standardTokens = 3_000
	maxTokens      = 8_000
)

func fetch(r *resources) *tool {
	return &tool{
		signature: signature{
			name: "fetch",
			params: []param{
				{name: "id", min: 1, max: maxName, required: true, example: `"protocol:x402#networks"`,
					about: "An id, a day, trust, support or an address; #section may follow."},
				{name: "section", min: 1, max: 100, example: `"networks"`, about: "Only this section; of a dataset also rows."},
				{name: "max_tokens", kind: kindNumber, min: 100, max: maxTokens, standard: standardTokens, example: "1000", about: "Longest part."},
				cursorParam(),
			},
		},
		title: "Read a record",
		about: "Returns any record as Markdown, whole or one section. Free. " +
			"Use it with an id from search or a list. " +
			`Example: {"id":"protocol:x402#networks"}. ` +
			"Cite url.",
		output: object(append(texts("id", "title", "text", "url"),
			prop("metadata", object(prop("kind", textSchema), optional("sections", textsSchema))),
			optional("next_cursor", textSchema))...),
		run: func(_ context.Context, in arguments, _ Caller) (*Answer, error) { return r.fetch(in) },
	}
}

type fetchMetadata struct {
	Kind     string   `json:"kind"`
	Section  string   `json:"section,omitempty"`
	Sections []string `json:"sections,omitempty"`
	Resource string   `json:"resource,omitempty"`
}

// fetched has the members that OpenAI's connectors read, and next_cursor.
type fetched struct {
	ID         string        `json:"id"`
	Title      string        `json:"title"`
	Text       string        `json:"text"`
	URL        string        `json:"url"`
	Metadata   fetchMetadata `json:"metadata"`
	NextCursor string        `json:"next_cursor,omitempty"`
}

func (r *resources) fetch(in arguments) (*Answer, error) {
	id, name := in.text("id"), in.text("section")
	if base, fragment, ok := strings.Cut(id, "#"); ok && fragment != "" {
		if id = base; name == "" {
			name = fragment
		}
	}
	rec, err := r.locate(id)
	if err != nil {
		return nil, err
	}
	doc := string(rec.body)
	out := fetched{ID: rec.id, Title: markdown.TitleOf(doc), URL: rec.address, Metadata: fetchMetadata{Kind: rec.kind, Section: name, Resource: rec.resource}}
	text, err := r.sectionText(rec, doc, name, &out.Metadata)
	if err != nil {
		return nil, err
	}
	sum := fnv.New64a()
	sum.Write([]byte(text))
	query := queryID("fetch", id, name, hex.EncodeToString(sum.Sum(nil)))
	from, err := r.cursors.decode(in.text("cursor"), query, len(text))
	if err != nil {
		return nil, err
	}
	to := cutAt(text, from, from+tokenBytes*in.number("max_tokens", standardTokens))
	if out.Text = text[from:to]; to < len(text) {
		out.NextCursor = r.cursors.encode(query, to)
	}
	a := newJSONAnswer(1)
	a.value(out)
	return a.answer(), nil
}

// sectionText returns a section of a record, or all of it, and names the sections that there are.
func (r *resources) sectionText(rec record, doc, name string, m *fetchMetadata) (string, error) {
	var names []string
	seen := make(map[string]bool)
	sections := markdown.Sections(doc)
	for _, s := range sections {
		if !seen[s.Name] && s.Name != "" {
			names = append(names, s.Name)
		}
		seen[s.Name] = true
	}
	rows := r.rows(rec)
	if rows != nil {
		names = append(names, "rows")
	}
	if name == "" {
		m.Sections = names
		return doc, nil
	}
	if name == "rows" && rows != nil {
		return string(rows), nil
	}
	plain := func(name string) string { return strings.ReplaceAll(markdown.SlugOf(name), "_", "-") }
	for _, is := range []func(string) bool{
		func(s string) bool { return s == name },
		func(s string) bool { return plain(s) == plain(name) }, // "pay flow" is pay_flow
	} {
		if i := slices.IndexFunc(sections, func(s markdown.Section) bool { return is(s.Name) }); i >= 0 {
			return doc[sections[i].Start:sections[i].End], nil
		}
	}
	return "", inputError(fmt.Sprintf("%s has no section %s%s. Its sections are: %s.", rec.id, quote(name), didYouMean(name, names), orNone(strings.Join(names, ", "))))
}

// rows returns the rows of a dataset as its JSON Lines file, or nil.
func (r *resources) rows(rec record) []byte {
	slug, ok := strings.CutPrefix(strings.TrimSuffix(rec.resource, ".md"), "dataset://card/")
	if !ok {
		return nil
	}
	f, ok := r.documents.File(catalog.DatasetFilePath(slug, "jsonl"))
	if !ok {
		return nil
	}
	return f.Body
}

// cutAt returns where a part of a text ends that begins at from and should end at to: after a line,
// if one ends in the second half, or else after a character.
func cutAt(text string, from, to int) int {
	if to >= len(text) {
		return len(text)
	}
	if i := strings.LastIndexByte(text[from:to], '\n'); i >= (to-from)/2 {
		return from + i + 1
	}
	for to > from+1 && !utf8.RuneStart(text[to]) {
		to--
	}
	return to
}
