package tools

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"go.almanac.example/catalog"
	"go.almanac.example/index/find"
)

// data is a catalogue, encoded for answers.
type data struct {
	catalog   *catalog.Catalog
	ids       []string // of the library, sorted
	tags      []string
	protocols *protocols
	examples  examples
	now       func() time.Time

	allChanges func() []change
}

func newData(c *catalog.Catalog, now func() time.Time) *data {
	d := &data{catalog: c, protocols: newProtocols(c), now: now}
	d.ids = catalog.Convert(c.Entries(), func(e *catalog.Entry) string { return e.ID })
	slices.Sort(d.ids)
	d.tags = catalog.Convert(c.Tags(), func(t catalog.Tag) string { return t.ID })
	d.examples = newExamples(d)
	d.allChanges = sync.OnceValue(d.readChanges)
	return d
}

// examples are those of the catalogue, and some values of its fields.
type examples struct {
	catalog.Examples
	category, typ, tag, publisher string
}

func newExamples(d *data) examples {
	ex := examples{Examples: d.catalog.Examples(), category: catalog.Sample(d.catalog.CategoryIDs(), "payments"),
		tag: catalog.Sample(d.tags, "lightning")}
	types := catalog.Convert(d.catalog.InCategory(ex.category), func(e *catalog.Entry) string { return e.Type })
	ex.typ = catalog.Sample(types, "spec")
	if e, ok := d.catalog.Entry(ex.Entry); ok {
		ex.publisher = e.Publisher
	}
	return ex
}

// hasProtocols reports whether there are tools, prompts and kinds of records about protocols.
func (d *data) hasProtocols() bool { return len(d.protocols.ids) > 0 }

// textIf returns a text where it applies, and "" elsewhere.
func textIf[T ~string](applies bool, text T) T {
	if !applies {
		return ""
	}
	return text
}

// kinds returns kinds of records, without those of protocols if the catalogue has none.
func (d *data) kinds(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(kind string) bool {
		return slices.Contains([]string{kindProtocol, "profile", "flow"}, kind) && !d.hasProtocols()
	})
}

// edition finds the version at the end of an id.
var edition = regexp.MustCompile(`-(v?\d{1,2}|\d{1,2}(-\d{1,2})+|20\d\d(-\d\d){0,2})$`)

// versions returns the ids of the other editions of an entry, which differ in the version at their end.
func (d *data) versions(id string) (others []string) {
	stem := edition.ReplaceAllString(id, "")
	for _, other := range d.ids {
		if other != id && strings.HasPrefix(other, stem) && edition.ReplaceAllString(other, "") == stem {
			others = append(others, other)
		}
	}
	return others
}

// quoted returns a text as an example in JSON.
func quoted(s string) string { return string(encode(s)) }

// today is the current UTC day.
func (d *data) today() catalog.Date { return catalog.DateOf(d.now()) }

// latest is the newest day with changes.
func (d *data) latest() catalog.Date { return cmp.Or(d.catalog.HistoryDay(), d.today()) }

// A conciseEntry is an entry as an item of a list. It has the day of reading, so that what is cited from a list can be
// cited with it; one of a long list has neither that nor address and summary.
type conciseEntry struct {
	ID         string       `json:"id"`
	Title      string       `json:"title"`
	URL        string       `json:"url,omitempty"`
	Summary    string       `json:"summary,omitempty"`
	Type       string       `json:"type,omitempty"`           // absent where one is asked for
	Published  catalog.Date `json:"date_published,omitempty"` // absent when it is unknown
	VerifiedAt catalog.Date `json:"verified_at,omitempty"`
	Publisher  string       `json:"publisher"`
}

func concise(e *catalog.Entry, long, oneType bool) conciseEntry {
	out := conciseEntry{ID: e.ID, Title: e.Title, Type: e.Type, Published: e.Published(), Publisher: e.Publisher}
	if !long {
		out.URL, out.Summary, out.VerifiedAt = e.URL, find.Line(e.Summary), e.VerifiedAt
	}
	if oneType {
		out.Type = ""
	}
	return out
}

// entryJSON returns all fields of an entry and the statements about it.
func entryJSON(c *catalog.Catalog, e *catalog.Entry) json.RawMessage {
	return encode(struct {
		*catalog.Entry
		Statements []catalog.ClassedStatement `json:"statements,omitempty"`
	}{e, c.ClassedStatements(e)})
}
