package catalog

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"almanac/nearest"
)

// slugPattern is the form of ids, slugs and tags: they stand in addresses without escaping.
var slugPattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

const (
	maxSlug    = 80
	maxTitle   = 200
	maxSummary = 400
)

// slug gives the slug form of a name.
func slug(name string) string { return strings.ReplaceAll(strings.ToLower(name), " ", "-") }

// lint looks at every record and adds what is wrong. It also derives the datasets' rows, which
// can fail.
func (c *Catalog) lint(l *faultList, src *source) {
	vocabulary := c.lintVocabulary(l, src)
	c.lintEntries(l, src, vocabulary)
	lintProtocols(l, src.protocols)
	c.lintArticles(l, src.articles, vocabulary)
	c.lintDatasets(l, src.datasets)
	c.lintBots(l, src.bots)
	if !src.broken[supportPath] {
		lintSupport(l, src.support, c.Site())
	}
	if !src.broken[trustPath] {
		lintTrust(l, src.trust)
	}
	if !src.broken[LinkReportFile] {
		lintLinkReport(l, src.links)
	}
}

// lintVocabulary looks at the categories and the tags, and gives the tags; nil when nobody can know them.
func (c *Catalog) lintVocabulary(l *faultList, src *source) map[string]bool {
	seen := make(map[string]bool)
	for i, k := range src.categories {
		at := linter{l, categoriesFile, fmt.Sprintf("[%d].", i)}
		at.slug("id", k.ID)
		at.text("label", k.Label, maxTitle)
		if seen[k.ID] {
			at.add("id", "%q stands twice; remove one", k.ID)
		}
		seen[k.ID] = true
	}
	if src.broken[tagsFile] {
		return nil
	}
	vocabulary := make(map[string]bool)
	for i, t := range src.tags {
		at := linter{l, tagsFile, fmt.Sprintf("[%d].", i)}
		at.slug("id", t.ID)
		at.text("label", t.Label, maxTitle)
		if i > 0 && t.ID <= src.tags[i-1].ID {
			at.add("id", "%q does not come after %q; keep the tags sorted, each once", t.ID, src.tags[i-1].ID)
		}
		vocabulary[t.ID] = true
		if len(c.byTag[t.ID]) == 0 && !src.broken[categoriesFile] {
			at.add("id", "%q is carried by no entry; remove it from the vocabulary or use it", t.ID)
		}
	}
	return vocabulary
}

func (c *Catalog) lintEntries(l *faultList, src *source, vocabulary map[string]bool) {
	ids, urls := make(map[string]string), make(map[string]string)
	for _, e := range src.entries {
		at := linter{l, e.path, ""}
		at.entry(e.record, vocabulary)
		if folder := path.Base(path.Dir(e.path)); e.record.Category != folder {
			at.add("category", "is %q and the file lies in %q; move the file or correct the category", e.record.Category, folder)
		} else if !src.broken[categoriesFile] && !slices.ContainsFunc(src.categories, func(k categoryRecord) bool { return k.ID == folder }) {
			at.add("category", "%q is not in %s", folder, categoriesFile)
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

// normalURL gives the form in which two addresses of one source are equal. Paths differ by their case.
func normalURL(u string) string {
	_, rest, _ := strings.Cut(u, "://")
	host, path, _ := strings.Cut(rest, "/")
	return strings.TrimPrefix(strings.ToLower(host), "www.") + "/" + strings.TrimSuffix(path, "/")
}

// A linter adds the faults of one record.
type linter struct {
	faults *faultList
	path   string
	prefix string // of the field names, within a list
}

func (at linter) add(field, format string, args ...any) {
	at.faults.add(at.path, "%s", at.prefix+field+": "+fmt.Sprintf(format, args...))
}

func (at linter) entry(e *Entry, vocabulary map[string]bool) {
	at.id(e.ID, strings.TrimSuffix(path.Base(at.path), ".json"))
	at.text("title", e.Title, maxTitle)
	at.text("publisher", e.Publisher, maxTitle)
	at.text("summary", e.Summary, maxSummary)
	at.list("authors", e.Authors)
	at.list("tags", e.Tags)
	if len(e.Tags) == 0 {
		at.add("tags", "is empty; give at least one tag of %s", tagsFile)
	}
	at.tags(e.Tags, vocabulary)
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
	if !slices.Contains(EntryTypes, e.Type) {
		at.add("type", "%q is unknown; use one of %s", e.Type, strings.Join(EntryTypes, ", "))
	}
	at.status("http_status", e.HTTPStatus)
	if e.Featured && e.Category != featuredCategory {
		at.add("featured", "is for entries of %q only; remove it", featuredCategory)
	}
}

// featuredCategory is the one category whose entries may be featured (SPEC.md, "Library entry").
const featuredCategory = "bitcoin-lightning"

func (at linter) status(field string, s int) {
	if s != 0 && (s < 100 || s > 599) {
		at.add(field, "%d is no HTTP status; use the status observed, or 0 for not yet checked", s)
	}
}

func (at linter) id(id, name string) {
	at.slug("id", id)
	if id != name {
		at.add("id", "is %q and the file is named %q; they must be equal", id, name)
	}
}

func (at linter) slug(field, s string) {
	if !slugPattern.MatchString(s) || len(s) > maxSlug {
		at.add(field, "%q is no slug; use lower-case letters, digits and single hyphens, %d at most", s, maxSlug)
	}
}

func (at linter) text(field, s string, limit int) {
	switch n := len([]rune(s)); {
	case strings.TrimSpace(s) == "":
		at.add(field, "is empty; write it")
	case s != strings.TrimSpace(s):
		at.add(field, "begins or ends with a space; remove it")
	case n > limit:
		at.add(field, "has %d characters; keep it to %d", n, limit)
	}
	at.visible(field, s)
}

// visible refuses control characters and invisible ones, which can hide text from a person
// that an agent reads.
func (at linter) visible(field, s string) {
	for _, r := range s {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar {
			at.add(field, "holds the invisible character %U; remove it", r)
			return
		}
	}
}

// visibleLines is visible for texts of several lines, in which code may have tabs.
func (at linter) visibleLines(field, s string) {
	at.visible(field, strings.NewReplacer("\n", "", "\t", "").Replace(s))
}

func (at linter) list(field string, items []string) {
	if items == nil {
		at.add(field, "is missing; write [] for none")
	}
	for i, s := range items {
		name := fmt.Sprintf("%s[%d]", field, i)
		at.text(name, s, maxTitle)
		if strings.Contains(s, ListSeparator) {
			at.add(name, "holds %q, which separates the items in CSV; write it otherwise", ListSeparator)
		}
		if slices.Contains(items[:i], s) {
			at.add(name, "%q stands twice; remove one", s)
		}
	}
}

func (at linter) tags(tags []string, vocabulary map[string]bool) {
	if vocabulary == nil {
		return
	}
	for i, t := range tags {
		if !vocabulary[t] {
			at.add(fmt.Sprintf("tags[%d]", i), "%q is not in %s; use a tag of the vocabulary%s", t, tagsFile, nearest.DidYouMean(t, sortedKeys(vocabulary), 1))
		}
	}
}

func (at linter) date(field string, d Date) {
	if _, err := ParseDate(string(d)); err != nil {
		at.add(field, "%v", err)
	}
}

func (at linter) optionalDate(field string, d *Date) {
	if d != nil {
		at.date(field, *d)
	}
}

func (at linter) timestamp(field, s string) {
	if t, err := time.Parse(time.RFC3339, s); err != nil || t.UTC().Format(time.RFC3339) != s {
		at.add(field, "%q is no UTC timestamp; write it as 2026-11-21T09:30:00Z", s)
	}
}

func (at linter) url(field, s string) {
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || u.User != nil {
		at.add(field, "%q is no address; write https://host/path", s)
	}
	at.visible(field, s)
}
