package load

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"almanac/catalog"
)

func lintEntries(l *faultList, entries []located[*catalog.Entry], t *targets) {
	if len(entries) == 0 && len(t.entries) == 0 {
		l.add("library", "has no entry; write one: library/CATEGORY/ID.json")
	}
	ids, urls := make(map[string]string), make(map[string]string) // to the path of the first file that has it
	for _, e := range entries {
		at := linter{l, e.path, ""}
		at.entry(e.record, t)
		if folder := path.Base(path.Dir(e.path)); e.record.Category != folder {
			at.add("category", "is %q and the file lies in %q; move the file or correct the category", e.record.Category, folder)
		} else if t.categories != nil && !t.categories[folder] {
			at.add("category", "%q is not in %s; add it there or move the file", folder, categoriesFile)
		}
		if other, ok := ids[e.record.ID]; ok {
			at.add("id", "%q is also the id of %s; ids are unique across the library", e.record.ID, other)
		}
		ids[e.record.ID] = e.path
		key := normalURL(e.record.URL)
		if other, ok := urls[key]; ok {
			at.add("url", "%s is also the address of %s; one source has one entry", e.record.URL, other)
		}
		urls[key] = e.path
	}
}

// normalURL returns the form in which two addresses of one source are equal. Paths differ by their case.
func normalURL(u string) string {
	_, rest, _ := strings.Cut(u, "://")
	host, path, _ := strings.Cut(rest, "/")
	return strings.TrimPrefix(strings.ToLower(host), "www.") + "/" + strings.TrimSuffix(path, "/")
}

func (at linter) entry(e *catalog.Entry, t *targets) {
	at.id(e.ID, fileID(at.path))
	at.text("title", e.Title, maxTitle)
	at.text("publisher", e.Publisher, maxTitle)
	at.text("summary", e.Summary, maxSummary)
	at.list("authors", e.Authors)
	at.list("tags", e.Tags)
	if len(e.Tags) == 0 {
		at.add("tags", "is empty; use at least one tag of %s", tagsFile)
	}
	at.tags(e.Tags, t)
	at.optionalDate("date_published", e.DatePublished)
	at.date("verified_at", e.VerifiedAt)
	at.date("last_checked", e.LastChecked)
	if e.Published() > e.VerifiedAt {
		at.add("verified_at", "%s is before the source was published, on %s; correct one of them",
			e.VerifiedAt, e.Published())
	}
	at.url("url", e.URL)
	if e.ArchiveURL != nil {
		at.url("archive_url", *e.ArchiveURL)
	}
	at.oneOf("type", e.Type, t.types)
	if s := e.HTTPStatus; s != 0 && (s < 100 || s > 599) {
		at.add("http_status", "%d is not an HTTP status; use the status observed, or 0 if the link has not been requested", s)
	}
	if e.Featured && t.categories != nil && !t.featured[e.Category] {
		at.add("featured", "is for entries of a featured category, and %q is not featured in %s; remove it", e.Category, categoriesFile)
	}
}

func lintCategories(l *faultList, categories []catalog.CategoryRecord) {
	seen := make(set)
	for i, k := range categories {
		at := linter{l, categoriesFile, fmt.Sprintf("[%d].", i)}
		at.slug("id", k.ID)
		at.text("label", k.Label, maxTitle)
		if seen[k.ID] {
			at.add("id", "%q occurs twice; remove one", k.ID)
		}
		seen[k.ID] = true
	}
}

// lintTags checks the vocabulary. Whether a tag is used can be judged only when every entry could be read.
func lintTags(l *faultList, tags []catalog.TagRecord, t *targets, allEntries bool) {
	for i, k := range tags {
		at := linter{l, tagsFile, fmt.Sprintf("[%d].", i)}
		at.slug("id", k.ID)
		at.text("label", k.Label, maxTitle)
		if i > 0 && k.ID <= tags[i-1].ID {
			at.add("id", "%q does not come after %q; keep the tags sorted, each once", k.ID, tags[i-1].ID)
		}
		if allEntries && !t.tags[k.ID] {
			at.add("id", "no entry carries the tag %q; use it or remove it from the vocabulary", k.ID)
		}
	}
}

// The bounds of the questions of a record.
const (
	maxQuestions = 20
	maxQuestion  = 120 // characters
)

func lintQuestions(l *faultList, records []located[*catalog.QuestionRecord], t *targets) {
	of := map[string]set{"library": t.entries, "protocol": t.protocols, "article": t.articles, "dataset": t.datasets}
	for _, q := range records {
		at, record := linter{l, q.path, ""}, q.record
		folder := path.Base(path.Dir(q.path))
		kind, id := record.Kind()
		switch {
		case kind != folder || id != fileID(q.path):
			at.add("record", "is %q and the file is questions/%s/%s.json; make them agree",
				record.Record, folder, fileID(q.path))
		case of[kind] == nil:
			at.add("record", "%q is not of a kind that answers questions; use a library entry, a protocol, an article or a dataset", record.Record)
		case !of[kind][id]:
			at.add("record", "there is no %s %q%s; correct it, or remove the file", kind, id, of[kind].didYouMean(id))
		}
		at.list("questions", record.Questions)
		switch n := len(record.Questions); {
		case n == 0:
			at.add("questions", "is empty; write one, or remove the file")
		case n > maxQuestions:
			at.add("questions", "has %d questions; keep the best %d", n, maxQuestions)
		}
		for i, question := range record.Questions {
			if n := len([]rune(question)); n > maxQuestion {
				at.add(fmt.Sprintf("questions[%d]", i), "has %d characters; shorten it to %d", n, maxQuestion)
			}
		}
	}
}

// The bounds of a statement.
const (
	minStatement = 40 // characters
	maxStatement = 300
	maxExample   = 4_000 // bytes
)

// takenAnchors are the anchors that the page of an entry has of its own.
var takenAnchors = []string{"main", "questions", "statements"}

// lintStatements judges the statements about entries, each of which needs a reading at the entry's source.
// Those about an entry that could not be decoded are left alone.
func lintStatements(l *faultList, records []located[*catalog.StatementRecord], entries []located[*catalog.Entry],
	sites catalog.RepositoryRecord,
	broken set) {
	urls := make(map[string]string, len(entries))
	known := make(set, len(entries))
	for _, e := range entries {
		urls[e.record.ID], known[e.record.ID] = e.record.URL, true
	}
	undecoded := make(set)
	for p := range broken {
		if isEntry, _ := path.Match(entryFiles, p); isEntry {
			undecoded[fileID(p)] = true
		}
	}
	for _, s := range records {
		at, record := linter{l, s.path, ""}, s.record
		if undecoded[record.Record] {
			continue
		}
		if record.Record != fileID(s.path) {
			at.add("record", "is %q and the file is named %q; make them equal", record.Record, fileID(s.path))
		} else if !known[record.Record] {
			at.add("record", "there is no library entry %q%s; correct it, or remove the file",
				record.Record, known.didYouMean(record.Record))
		}
		if record.Statements == nil {
			at.add("statements", "is missing; write [] for none")
		}
		if n := len(record.Statements); n > catalog.MaxStatements {
			at.add("statements", "has %d; keep the best %d", n, catalog.MaxStatements)
		}
		for i, st := range record.Statements {
			at.prefix = fmt.Sprintf("statements[%d].", i)
			at.slug("id", st.ID)
			if slices.ContainsFunc(record.Statements[:i], func(o catalog.Statement) bool { return o.ID == st.ID }) {
				at.add("id", "%q occurs twice; ids are unique in a file", st.ID)
			}
			if slices.Contains(takenAnchors, st.ID) {
				at.add("id", "%q is an anchor that every page has; choose another", st.ID)
			}
			at.statement(st)
			at.readings(st.Readings)
			for j, r := range st.Readings {
				if url := urls[record.Record]; url != "" && sites.Class(url, r) == catalog.ClassThirdParty {
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
	at.oneOf("about", s.About, sortedKeys(catalog.StatementSubjects))
	at.text("text", s.Text, maxStatement)
	if n := len([]rune(s.Text)); n < minStatement {
		at.add("text", "has %d characters; write a sentence of %d or more that names what it is about", n, minStatement)
	}
	if strings.ContainsAny(s.Text, "`") || strings.Contains(s.Text, "**") || strings.Contains(s.Text, "](") {
		at.add("text", "has Markdown; write plain text")
	}
	if d := s.Calendar; d != nil {
		at.date("calendar.date", d.Date)
		at.oneOf("calendar.kind", d.Kind, sortedKeys(catalog.CalendarKinds))
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
	case strings.TrimSpace(s.Example.Text) == "" || len(s.Example.Text) > maxExample:
		at.add("example.text", "has %d bytes; write from 1 to %d", len(s.Example.Text), maxExample)
	default:
		at.text("example.media_type", s.Example.MediaType, maxTitle)
		at.visibleLines("example.text", s.Example.Text)
	}
}

// lintRepositories judges the list of sites that are published from repositories.
func lintRepositories(l *faultList, r catalog.RepositoryRecord) {
	for i, s := range r.Sites {
		at := linter{l, repositoriesFile, fmt.Sprintf("sites[%d].", i)}
		at.url("site", s.Site)
		at.url("repository", s.Repository)
		if i > 0 && (s.Site < r.Sites[i-1].Site || s.Site == r.Sites[i-1].Site && s.Repository <= r.Sites[i-1].Repository) {
			at.add("site", "%q does not come after %q; keep the sites sorted, each with a repository once",
				s.Site, r.Sites[i-1].Site)
		}
	}
}

// lintWithdrawn judges the list of the records that are withdrawn.
func lintWithdrawn(l *faultList, list []catalog.Withdrawal, published map[string]flatRecord) {
	for i, w := range list {
		at := linter{l, withdrawnFile, fmt.Sprintf("[%d].", i)}
		kind, id := catalog.HistoryRecord(w.Record)
		at.oneOf("record", kind, catalog.WithdrawnKinds)
		at.slug("record", id)
		if i > 0 && w.Record <= list[i-1].Record {
			at.add("record", "%q does not come after %q; keep the records sorted, each once", w.Record, list[i-1].Record)
		}
		if published[w.Record].path != withdrawnFile {
			at.add("record", "%q is published; remove its files, or this line", w.Record)
		}
		at.text("title", w.Title, maxTitle)
		at.date("day", w.Day)
		at.text("reason", w.Reason, maxSummary)
		if !strings.HasSuffix(w.Reason, ".") {
			at.add("reason", "does not end with a full stop; write a sentence")
		}
		if w.ReplacedBy != nil && (published[*w.ReplacedBy].path == "" || published[*w.ReplacedBy].path == withdrawnFile) {
			at.add("replaced_by", "there is no record %q; correct it, or write null", *w.ReplacedBy)
		}
	}
}
