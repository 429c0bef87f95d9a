package tools

import (
	"fmt"
	"regexp"
	"slices"

	"almanac/catalog"
)

var tagPattern = regexp.MustCompile(`^[a-z0-9-]{1,40}$`)

// slugForm states the pattern of a slug in words.
func slugForm(most int) string {
	return fmt.Sprintf("at most %d lower-case letters, digits and hyphens", most)
}

const (
	standardLimit = 10
	maxLimit      = 50
)

func limitParam() param {
	return param{name: "limit", kind: number, min: 1, max: maxLimit, standard: standardLimit, example: "20"}
}

func cursorParam() param {
	return param{name: "cursor", example: `"<next_cursor of the previous page>"`,
		about: "next_cursor of the previous page."}
}

// filterParams are the arguments that select library entries.
func (es *entries) filterParams() []param {
	return []param{
		{name: "category", allowed: es.categories, example: `"payments"`},
		{name: "tag", pattern: tagPattern, form: slugForm(40), near: es.tagNames, min: 1, max: 40, example: `"lightning"`, about: "Only this tag; list_tags lists all."},
		{name: "type", allowed: catalog.EntryTypes, example: `"spec"`},
		{name: "published_from", kind: date, example: `"2026-01-01"`, about: "On this day or later; entries of unknown date are left out."},
		{name: "published_to", kind: date, example: `"2026-12-31"`, about: "On this day or earlier."},
	}
}

// A filter selects entries. Its zero value selects all.
type filter struct {
	category, tag, typ string
	from, to           catalog.Date
}

// filter reads the arguments of filterParams.
func (es *entries) filter(in arguments) (filter, error) {
	f := filter{
		category: in.text("category"), tag: in.text("tag"), typ: in.text("type"),
		from: catalog.Date(in.text("published_from")), to: catalog.Date(in.text("published_to")),
	}
	if f.tag != "" && es.byTag[f.tag] == nil {
		return f, unknownTag(es, f.tag)
	}
	if f.from != "" && f.to != "" && f.from > f.to {
		return f, inputError(fmt.Sprintf("published_from %s is later than published_to %s. Swap them. Example: {\"published_from\":%q,\"published_to\":%q}",
			f.from, f.to, f.to, f.from))
	}
	return f, nil
}

func unknownTag(es *entries, tag string) error {
	return inputError(fmt.Sprintf("No entry has the tag %s%s. list_tags lists every tag.", quote(tag), es.tagNames.DidYouMean(tag, maxNear)))
}

// queryID identifies the selection in cursors.
func (f filter) queryID(tool string) uint32 {
	return queryID(tool, f.category, f.tag, f.typ, string(f.from), string(f.to))
}

// choose returns the entries that pass, in the published order.
func (es *entries) choose(f filter) []*item {
	from := es.all
	if f.category != "" {
		from = es.byCategory[f.category]
	}
	if f.tag != "" && (f.category == "" || len(es.byTag[f.tag]) < len(from)) {
		from = es.byTag[f.tag]
	}
	if f.typ == "" && f.from == "" && f.to == "" && (f.category == "" || f.tag == "") {
		return from
	}
	var chosen []*item
	for _, it := range from {
		if f.passes(it.Entry) {
			chosen = append(chosen, it)
		}
	}
	return chosen
}

func (f filter) passes(e *catalog.Entry) bool {
	day := e.Published()
	return (f.category == "" || e.Category == f.category) &&
		(f.tag == "" || slices.Contains(e.Tags, f.tag)) &&
		(f.typ == "" || e.Type == f.typ) &&
		(f.from == "" || day >= f.from) &&
		(f.to == "" || day != "" && day <= f.to)
}
