package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
)

// The lengths of a fetched text. A token is about four bytes of English.
const (
	tokenBytes     = 4
	standardTokens = 1_000
	minTokens      = 20
	maxTokens      = 8_000
	maxSections    = 20
)

// The forms in which fetch answers.
const (
	formatText   = "text"
	formatJSON   = "json"
	formatBibTeX = "bibtex"
	formatCSL    = "csl"
)

const maxIDs = 20

func fetch(r *resources) *tool {
	example := quoted(r.examples.Record + "#" + r.examples.Section)
	formats := []string{formatText, formatJSON, formatBibTeX, formatCSL}
	return &tool{
		signature: signature{
			name: "fetch",
			params: []param{
				{name: "id", aliases: []string{"url", "uri", "document_id", "record", "name"}, kind: kindList, one: true, min: 1, max: maxIDs, example: example,
					about: "An id, an address, a day or trust; #section may follow."},
				{name: "ids", kind: kindList, min: 1, max: maxIDs, example: "[" + example + "]", about: "Up to 20 instead."},
				{name: "section", aliases: []string{"sections"}, kind: kindList, one: true, max: maxSections, example: quoted(r.examples.Section), about: "Such as licence; of a dataset also rows."},
				{name: "match", aliases: queryAliases, min: 2, max: maxQuery, example: `"lightning"`, about: "Lines or rows with most of these."},
				{name: "format", allowed: formats, example: `"bibtex"`,
					means: map[string]string{"markdown": formatText, "md": formatText, "bib": formatBibTeX, "csl-json": formatCSL}, about: "bibtex and csl cite it."},
				{name: "max_tokens", kind: kindNumber, min: minTokens, max: maxTokens, standard: standardTokens,
					example: "1000", about: "Size of the answer."}, cursorParam(),
			},
		},
		title: "Read records",
		about: `To read, quote, cite or download a record of search or a list, with numbered sources. Example: {"id":` + example + "}.",
		run:   func(_ context.Context, in arguments, _ Caller) (*mcp.CallToolResult, error) { return r.fetch(in) },
	}
}

type fetchMetadata struct {
	Kind         string   `json:"kind"`
	Section      string   `json:"section,omitempty"`
	Sections     []string `json:"sections,omitempty"`      // that follow, of a text that continues
	MoreSections int      `json:"more_sections,omitempty"` // that did not fit
	Versions     []string `json:"versions,omitempty"`      // ids of the other editions
	Download     []string `json:"download,omitempty"`      // the whole
}

// fetched has the members that OpenAI's connectors read, and next_cursor.
type fetched struct {
	ID         string          `json:"id"`
	Title      string          `json:"title"`
	Text       string          `json:"text,omitempty"`
	Record     json.RawMessage `json:"record,omitempty"`
	URL        string          `json:"url"`
	Metadata   fetchMetadata   `json:"metadata"`
	NextCursor string          `json:"next_cursor,omitempty"`
}

type notFound struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

func (r *resources) fetch(in arguments) (*mcp.CallToolResult, error) {
	ids := slices.Concat(in.list("id"), in.list("ids"))
	budget := tokenBytes * in.number("max_tokens", standardTokens)
	switch {
	case len(ids) == 0:
		return nil, inputError("fetch needs id: what search and the lists call id. Example: " + fetch(r).example())
	case len(ids) == 1:
		out, err := r.fetchOne(ids[0], in, budget)
		if err != nil {
			return nil, err
		}
		return newJSONAnswer(out), nil
	case len(ids) > maxIDs || in.text("cursor") != "":
		return nil, inputError("fetch reads at most 20 ids at a time, and cursor continues one of them. Send one id with a cursor.")
	}
	out := struct {
		Records  []*fetched `json:"records"`
		NotFound []notFound `json:"not_found,omitempty"`
		Omitted  []string   `json:"omitted,omitempty"` // to keep the answer small: ask for these
	}{Records: []*fetched{}}
	size := pageHead
	for _, id := range ids {
		one, err := r.fetchOne(id, in, max(budget/len(ids), 400))
		if err != nil {
			out.NotFound = append(out.NotFound, notFound{shorten(id), err.Error()})
			continue
		}
		if size += textSize(encode(one)); size > maxAnswer {
			out.Omitted = append(out.Omitted, id)
			continue
		}
		out.Records = append(out.Records, one)
	}
	return newJSONAnswer(out), nil
}

// fetchOne returns a record in the form that the arguments ask for, in about so many bytes.
func (r *resources) fetchOne(id string, in arguments, budget int) (*fetched, error) {
	name := strings.Join(in.list("section"), ",")
	if base, fragment, ok := strings.Cut(id, "#"); ok && fragment != "" && r.entryAt(id) == nil {
		if id = base; name == "" {
			name = fragment
		}
	}
	rec, err := r.locate(id)
	if err != nil {
		return nil, err
	}
	doc := r.document(rec)
	if name == "" {
		name = doc.sectionOf(rec.section)
	}
	out := &fetched{ID: rec.id, Title: doc.title, URL: rec.address, Metadata: fetchMetadata{Kind: rec.kind, Section: name}}
	if rec.kind == kindEntry && name == "" {
		out.Metadata.Versions = r.versions(rec.id)
	}
	rows := r.rows(rec)
	switch in.text("format") {
	case formatBibTeX:
		out.Text = strings.Join(catalog.Convert(r.citations(rec, doc), catalog.Citation.BibTeX), "")
		return out, nil
	case formatCSL:
		out.Record = csl(r.citations(rec, doc))
		return out, nil
	case formatJSON: // of the whole
		out.Metadata.Section = ""
		return out, r.addJSON(out, rec)
	}
	part, err := doc.chosen(rec.id, name, in.text("match"), rows)
	if err != nil {
		return nil, err
	}
	query := queryID("fetch", id, name, in.text("match"))
	from, err := r.offset(in.text("cursor"), query, part.size())
	if err != nil {
		return nil, err
	}
	if _, limited := in["max_tokens"]; !limited && part.size() < budget*5/4 {
		budget += budget / 2 // a short rest is not worth another call
	}
	continues := part.size() > budget-len(encode(out))-70
	if continues || rows != nil {
		out.Metadata.Download = r.downloads(rec, rows != nil)
	}
	room := budget - len(encode(out)) - 70
	if continues && name == "" {
		room -= budget/8 + 40 // for the names of sections
	}
	var next int
	if out.Text, next = part.page(from, max(80, room)); next > 0 {
		out.NextCursor = r.cursor(query, next)
		if name == "" {
			out.Metadata.addSections(part.sectionsFrom(next), rows != nil, budget/8)
		}
	}
	return out, nil
}

// chosen returns the part of a document that a call asks for, of a dataset also its rows: a section, what matches words, or
// all.
func (doc *document) chosen(id, section, match string, rows []byte) (*document, error) {
	part := doc
	words := strings.Fields(strings.ToLower(match))
	switch {
	case rows != nil && (section == "rows" || section == "" && len(words) > 0):
		part = new(document)
		for line := range strings.Lines(string(rows)) {
			part.blocks = append(part.blocks, block{section: "rows", text: line})
		}
	case section != "":
		part = &document{title: doc.title, sections: doc.sections}
		names := []string{section} // whose heading may have a comma
		if doc.part(section) == nil {
			names = strings.Split(section, ",")
		}
		for _, name := range names {
			one := doc.part(name)
			if one == nil {
				return nil, inputError(fmt.Sprintf("%s has no section %s%s. Its sections are: %s.",
					id, quote(name), didYouMean(name, doc.sections), cmp.Or(strings.Join(doc.sections, ", "), "none")))
			}
			part.blocks = append(part.blocks, one.blocks...)
		}
	}
	matching := part.matching(words)
	if len(words) > 0 && matching == nil && (section == "" || rows != nil) { // else the section was asked for
		return nil, inputError(fmt.Sprintf("Nothing in %s has %s. Leave out match, or search.", id, quote(match)))
	}
	return cmp.Or(matching, part), nil
}

// addJSON adds the record in JSON, as it is published.
func (r *resources) addJSON(out *fetched, rec record) error {
	out.Record = json.RawMessage("null")
	if e, ok := r.catalog.Entry(rec.id); ok {
		out.Record = entryJSON(r.catalog, e)
	} else if f, ok := r.documents.Resource(strings.TrimSuffix(rec.resource, ".md")); ok && json.Valid(f.Body) {
		out.Record = f.Body
	}
	if downloads := strings.Join(r.downloads(rec, r.rows(rec) != nil), " or "); len(out.Record)*5/4 > maxAnswer {
		return inputError(fmt.Sprintf("%s has %d bytes as JSON, more than an answer. Download it from %s, or fetch sections of its text.",
			rec.id, len(out.Record), downloads))
	}
	return nil
}

// downloads returns the addresses of the whole record: of the rows of a dataset, or else of its document.
func (r *resources) downloads(rec record, rows bool) []string {
	if slug, ok := strings.CutPrefix(rec.id, "dataset:"); ok && rows {
		return r.rowFiles(slug)
	}
	if f, ok := r.documents.Resource(rec.resource); ok {
		return []string{r.catalog.Site().URL(f.Path)}
	}
	return nil
}

// rowFiles returns the addresses of the rows of a dataset.
func (r *resources) rowFiles(slug string) (list []string) {
	for _, ext := range []string{"jsonl", "csv"} {
		if _, ok := r.documents.File(catalog.DatasetFilePath(slug, ext)); ok {
			list = append(list, r.catalog.Site().URL(catalog.DatasetFilePath(slug, ext)))
		}
	}
	return list
}

// matching returns the blocks with most of the words, or nil if none has any. Of a block of lines, it keeps the lines.
func (doc *document) matching(words []string) *document {
	most := 0
	for _, b := range doc.blocks {
		most = max(most, countWords(b.section+" "+b.text, words))
	}
	if most == 0 {
		return nil
	}
	part := &document{title: doc.title, sections: doc.sections, isText: doc.isText}
	for _, b := range doc.blocks {
		if countWords(b.section+" "+b.text, words) < most {
			continue
		}
		lines := strings.SplitAfter(b.text, "\n")
		kept := slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return countWords(line, words) < most })
		if len(kept) > 0 && len(lines) > 3 {
			b.text = "- " + b.section + ":\n" + strings.Join(kept, "")
		}
		part.blocks = append(part.blocks, b)
	}
	if len(part.blocks) <= 3 { // else their words would be too long
		part.blocks = catalog.Convert(part.blocks, block.quoted)
	}
	return part
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

// rows returns the rows of a dataset as its JSON Lines file, or nil.
func (r *resources) rows(rec record) []byte {
	if slug, ok := strings.CutPrefix(rec.id, "dataset:"); ok {
		if f, ok := r.documents.File(catalog.DatasetFilePath(slug, "jsonl")); ok {
			return f.Body
		}
	}
	return nil
}
