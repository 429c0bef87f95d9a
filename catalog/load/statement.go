package load

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"almanac/catalog"
)

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
func lintStatements(l *faultList, records []located[*catalog.StatementRecord], entries []located[*catalog.Entry], sites catalog.RepositoryRecord,
	broken map[string]bool) {
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
			at.add("record", "there is no library entry %q%s; correct it, or remove the file", record.Record, known.didYouMean(record.Record))
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
					at.add(fmt.Sprintf("readings[%d].url", j), "%s is neither at %s nor in its repository at a commit; read the source, "+
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
			at.add("site", "%q does not come after %q; keep the sites sorted, each with a repository once", s.Site, r.Sites[i-1].Site)
		}
	}
}
