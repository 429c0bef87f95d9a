package tools

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
)

// The lengths of a fetched text. A token is about four bytes of English.
const (
	tokenBytes     = 4
	standardTokens = 2_000
	minTokens      = 20
	maxTokens      = 8_000
	maxSection     = 240 // characters: some headings are titles
)

func fetch(r *resources) *tool {
	example := quoted(r.examples.Record + "#" + r.examples.Section)
	support := textIf(r.catalog.TakesTips(), ", support (ways to tip)")
	return &tool{
		signature: signature{
			name: "fetch",
			params: []param{
				{name: "id", min: 1, max: maxName + maxSection, required: true, example: example,
					about: "An id, a day, trust" + support + " or an address; #section may follow."},
				{name: "section", min: 1, max: maxSection, example: quoted(r.examples.Section), about: "Only this one; of a dataset also rows."},
				{name: "max_tokens", kind: kindNumber, min: minTokens, max: maxTokens, standard: standardTokens,
					example: "1000", about: "Size of the answer."}, cursorParam(),
			},
		},
		title: "Read a record",
		about: "Returns any record, whole or one section, with numbered sources. Free. " +
			`Use it with an id from search or a list. Example: {"id":` + example + `}. Cite the sources, or url.`,
		output: object(append(texts("id", "title", "text", "url"),
			prop("metadata", object(prop("kind", textSchema))),
			optional("next_cursor", textSchema))...),
		run: func(_ context.Context, in arguments, _ Caller) (*mcp.CallToolResult, error) { return r.fetch(in) },
	}
}

type fetchMetadata struct {
	Kind         string   `json:"kind"`
	Section      string   `json:"section,omitempty"`
	Sections     []string `json:"sections,omitempty"`
	MoreSections int      `json:"more_sections,omitempty"` // that did not fit
	Resource     string   `json:"resource,omitempty"`
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

func (r *resources) fetch(in arguments) (*mcp.CallToolResult, error) {
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
	doc := r.document(rec)
	rows := r.rows(rec)
	out := fetched{ID: rec.id, Title: doc.title, URL: rec.address,
		Metadata: fetchMetadata{Kind: rec.kind, Section: name, Resource: rec.resource}}
	part := doc
	switch {
	case name == "rows" && rows != nil:
		part = &document{blocks: rowBlocks(rows)}
	case name != "":
		if part = doc.part(name); part == nil {
			return nil, inputError(fmt.Sprintf("%s has no section %s%s. Its sections are: %s.",
				rec.id, quote(name), didYouMean(name, doc.sections), cmp.Or(strings.Join(doc.sections, ", "), "none")))
		}
	}
	budget := tokenBytes * in.number("max_tokens", standardTokens)
	if name == "" {
		out.Metadata.addSections(doc.sections, rows != nil, budget/8)
	}
	sum := fnv.New64a()
	for _, b := range part.blocks {
		sum.Write([]byte(b.text))
	}
	query := queryID("fetch", id, name, hex.EncodeToString(sum.Sum(nil)))
	from, err := r.cursors.decode(in.text("cursor"), query, part.size())
	if err != nil {
		return nil, err
	}
	var next int
	if out.Text, next = part.page(from, max(80, budget-len(encode(out))-70)); next > 0 {
		out.NextCursor = r.cursors.encode(query, next)
	}
	return newJSONAnswer(out), nil
}

// addSections names as many sections as fit in some bytes.
func (m *fetchMetadata) addSections(names []string, rows bool, most int) {
	if rows {
		names = append([]string{"rows"}, names...)
	}
	size := 0
	for i, name := range names {
		if size += len(strconv.Quote(name)) + 1; size > most {
			m.MoreSections = len(names) - i
			return
		}
		m.Sections = append(m.Sections, name)
	}
}

// rowBlocks returns the rows of a dataset, each a block.
func rowBlocks(rows []byte) (list []block) {
	for line := range strings.Lines(string(rows)) {
		list = append(list, block{section: "rows", text: line})
	}
	return list
}

// rows returns the rows of a dataset as its JSON Lines file, or nil.
func (r *resources) rows(rec record) []byte {
	if slug, ok := strings.CutPrefix(strings.TrimSuffix(rec.resource, ".md"), "dataset://card/"); ok {
		if f, ok := r.documents.File(catalog.DatasetFilePath(slug, "jsonl")); ok {
			return f.Body
		}
	}
	return nil
}
