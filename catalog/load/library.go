package load

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"go.almanac.example/catalog"
)

func lintEntries(src *source, t *targets) {
	if len(t.records["library"]) == 0 {
		src.faults.add("library", "has no entry; write one: library/CATEGORY/ID.json")
	}
	ids, urls := make(map[string]string), make(map[string]string) // to the path of the first file that has it
	for _, e := range src.Entries {
		at := src.lintRecord(e, "id", e.ID)
		at.entry(e, src.Identity.EntryTypes(), t)
		if folder := path.Base(path.Dir(at.path)); e.Category != folder {
			at.add("category", "is %q and the file lies in %q; move the file or correct the category", e.Category, folder)
		} else if _, known := t.featured[folder]; t.featured != nil && !known {
			at.add("category", "%q is not in %s; add it there or move the file", folder, categoriesFile)
		}
		if other, ok := ids[e.ID]; ok {
			at.add("id", "%q is also the id of %s; ids are unique across the library", e.ID, other)
		}
		ids[e.ID] = at.path
		key := normalURL(e.URL)
		if other, ok := urls[key]; ok {
			at.add("url", "%s is also the address of %s; one source has one entry", e.URL, other)
		}
		urls[key] = at.path
	}
}

// normalURL returns the form in which two addresses of one source are equal. Paths differ by their case.
func normalURL(u string) string {
	_, rest, _ := strings.Cut(u, "://")
	host, path, _ := strings.Cut(rest, "/")
	return strings.TrimPrefix(strings.ToLower(host), "www.") + "/" + strings.TrimSuffix(path, "/")
}

func (at linter) entry(e *catalog.Entry, types []string, t *targets) {
	if len(e.Tags) == 0 {
		at.add("tags", "is empty; use at least one tag of %s", tagsFile)
	}
	at.tags(e.Tags, t)
	if e.Published() > e.VerifiedAt {
		at.add("verified_at", "%s is before the source was published, on %s; correct one of them", e.VerifiedAt, e.Published())
	}
	at.oneOf("type", e.Type, types)
	if s := e.HTTPStatus; s != 0 && (s < 100 || s > 599) {
		at.add("http_status", "%d is not an HTTP status; use the status observed, or 0 if the link has not been requested", s)
	}
	if e.Featured && t.featured != nil && !t.featured[e.Category] {
		at.add("featured", "is for entries of a featured category, and %q is not featured in %s; remove it", e.Category, categoriesFile)
	}
}

func lintCategories(src *source, _ *targets) {
	at := src.lintFile(categoriesFile, src.Categories)
	at.unique("[%d].id", catalog.Convert(src.Categories, func(k catalog.CategoryRecord) string { return k.ID }))
}

// lintTags checks the vocabulary. Whether a tag is used can be judged only when every entry could be read.
func lintTags(src *source, t *targets) {
	at, allEntries := src.lintFile(tagsFile, src.Tags), len(src.brokenIDs(entryFiles)) == 0
	ids := catalog.Convert(src.Tags, func(k catalog.TagRecord) string { return k.ID })
	at.ascending("[%d].id", ids)
	for i, id := range ids {
		if allEntries && !t.records["tag"][id] {
			at.add(fmt.Sprintf("[%d].id", i), "no entry carries the tag %q; use it or remove it from the vocabulary", id)
		}
	}
}

// The bounds of a statement.
const (
	minStatement = 40    // characters
	maxExample   = 4_000 // bytes
)

// takenAnchors are the anchors that the page of an entry has of its own.
var takenAnchors = []string{"main", "questions", "statements"}

// lintStatements judges the statements about entries, each of which needs a reading at the entry's source.
func lintStatements(src *source, t *targets) {
	urls := make(map[string]string, len(src.Entries))
	for _, e := range src.Entries {
		urls[e.ID] = e.URL
	}
	for _, record := range src.Statements {
		at := src.lintRecord(record, "record", record.Record)
		at.subject("record", "library entry", record.Record, t.records["library"])
		if n := len(record.Statements); n > catalog.MaxStatements {
			at.add("statements", "has %d; keep the best %d", n, catalog.MaxStatements)
		}
		class := make(map[string]catalog.SourceClass) // by the address of a reading: most readings of a record share one
		at.unique("statements[%d].id", catalog.Convert(record.Statements, func(s catalog.Statement) string { return s.ID }))
		for i, st := range record.Statements {
			at.prefix = fmt.Sprintf("statements[%d].", i)
			if slices.Contains(takenAnchors, st.ID) {
				at.add("id", "%q is an anchor that every page has; choose another", st.ID)
			}
			at.statement(st)
			at.readings(st.Readings)
			for j, r := range st.Readings {
				url := urls[record.Record]
				if class[r.URL] == "" {
					class[r.URL] = src.Sites.Class(url, r)
				}
				if url != "" && class[r.URL] == catalog.ClassThirdParty {
					at.add(fmt.Sprintf("readings[%d].url", j),
						"%s is neither at %s nor in its repository at a commit; read the source, "+
							"or declare in %s the repository from which it is published", r.URL, url, repositoriesFile)
				}
			}
		}
	}
}

// statement checks the text of a statement and its example.
func (at linter) statement(s catalog.Statement) {
	if n := len([]rune(s.Text)); n < minStatement {
		at.add("text", "has %d characters; write a sentence of %d or more that names what it is about", n, minStatement)
	}
	if strings.ContainsAny(s.Text, "`") || strings.Contains(s.Text, "**") || strings.Contains(s.Text, "](") {
		at.add("text", "has Markdown; write plain text")
	}
	if d := s.Calendar; d != nil {
		if !catalog.NamesDate(s.Text, d.Date) {
			at.add("text", "does not name the day of the calendar, %s; write it, as in: on 2 August 2026", d.Date)
		}
		if !slices.ContainsFunc(s.Readings, func(r catalog.SourceReading) bool {
			return r.Holds && catalog.NamesDate(r.Quote, d.Date)
		}) {
			at.add("calendar.date", "no quote names %s; quote the source's words with the day, or remove the date", d.Date)
		}
	}
	switch {
	case s.Example == nil && s.About == catalog.ExampleSubject:
		at.add("example", "is missing; a statement about an example has one")
	case s.Example == nil:
	case s.About != catalog.ExampleSubject:
		at.add("about", "is %q; a statement with an example is about %q", s.About, catalog.ExampleSubject)
	case len(s.Example.Text) > maxExample:
		at.add("example.text", "has %d bytes; write %d at most", len(s.Example.Text), maxExample)
	}
}

// lintRepositories judges the lists of what is published where.
func lintRepositories(src *source, _ *targets) {
	at := src.lintFile(repositoriesFile, src.Sites)
	at.ascending("sites[%d].site", catalog.Convert(src.Sites.Sites, func(s catalog.SiteRepository) string { return s.Site + " " + s.Repository }))
	at.ascending("about[%d]", src.Sites.About)
	at.ascending("secondary[%d]", src.Sites.Secondary)
}

// lintWithdrawn judges the list of the records that are withdrawn.
func lintWithdrawn(src *source, _ *targets) {
	if len(src.Withdrawn) == 0 {
		return
	}
	published := flatten(src)
	at := src.lintFile(withdrawnFile, src.Withdrawn)
	at.ascending("[%d].record", catalog.Convert(src.Withdrawn, func(w catalog.Withdrawal) string { return w.Record }))
	for i, w := range src.Withdrawn {
		at.prefix = fmt.Sprintf("[%d].", i)
		kind, id := catalog.HistoryRecord(w.Record)
		at.oneOf("record", kind, catalog.WithdrawnKinds)
		at.slug("record", id)
		if published[w.Record].path != withdrawnFile {
			at.add("record", "%q is published; remove its files, or this line", w.Record)
		}
		if !strings.HasSuffix(w.Reason, ".") {
			at.add("reason", "does not end with a full stop; write a sentence")
		}
		if w.ReplacedBy != nil && (published[*w.ReplacedBy].path == "" || published[*w.ReplacedBy].path == withdrawnFile) {
			at.add("replaced_by", "there is no record %q; correct it, or write null", *w.ReplacedBy)
		}
	}
}
