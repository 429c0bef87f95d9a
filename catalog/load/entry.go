package load

import (
	"path"
	"strings"

	"almanac/catalog"
)

func lintEntries(l *faultList, entries []located[*catalog.Entry], t *targets) {
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

// featuredCategory is the one category whose entries may be featured.
const featuredCategory = "bitcoin-lightning"

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
		at.add("verified_at", "%s is before the source was published, on %s; correct one of them", e.VerifiedAt, e.Published())
	}
	at.url("url", e.URL)
	if e.ArchiveURL != nil {
		at.url("archive_url", *e.ArchiveURL)
	}
	at.oneOf("type", e.Type, catalog.EntryTypes)
	if s := e.HTTPStatus; s != 0 && (s < 100 || s > 599) {
		at.add("http_status", "%d is not an HTTP status; use the status observed, or 0 if the link has not been requested", s)
	}
	if e.Featured && e.Category != featuredCategory {
		at.add("featured", "is for entries of %q only; remove it", featuredCategory)
	}
}
