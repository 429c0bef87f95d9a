package load

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"almanac/catalog"
	"almanac/nearest"
)

// The longest texts, in characters.
const (
	maxSlug      = 80
	maxTitle     = 200
	maxSummary   = 400
	maxParagraph = 2000
)

// A linter adds the faults of one file: it judges values and computes nothing. Each record type has its lint beside the
// reading of it, in a file of its own.
type linter struct {
	faults *faultList
	path   string
	prefix string // of the names of members, within a list
}

func (at linter) add(member, format string, args ...any) {
	at.faults.add(at.path, "%s", at.prefix+member+": "+fmt.Sprintf(format, args...))
}

// id checks the id of a record, which is also the name of its file.
func (at linter) id(id, name string) {
	at.slug("id", id)
	if id != name {
		at.add("id", "is %q and the file is named %q; make them equal", id, name)
	}
}

// slugPattern is the form of ids, slugs and tags, which occur in addresses without escaping.
var slugPattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func (at linter) slug(member, s string) {
	if !slugPattern.MatchString(s) || len(s) > maxSlug {
		at.add(member, "%q is not a valid slug: use lower-case letters, digits and single hyphens, at most %d characters", s, maxSlug)
	}
}

func (at linter) text(member, s string, limit int) {
	switch n := utf8.RuneCountInString(s); {
	case strings.TrimSpace(s) == "":
		at.add(member, "is empty; write it")
	case s != strings.TrimSpace(s):
		at.add(member, "begins or ends with a space; remove it")
	case n > limit:
		at.add(member, "has %d characters; shorten it to %d", n, limit)
	}
	at.visible(member, s)
}

func (at linter) optionalText(member string, s *string) {
	if s != nil {
		at.text(member, *s, maxTitle)
	}
}

// paragraphs checks a list of texts that must not be empty.
func (at linter) paragraphs(member string, list []string) {
	if len(list) == 0 {
		at.add(member, "is empty; write it")
	}
	for i, s := range list {
		at.text(fmt.Sprintf("%s[%d]", member, i), s, maxParagraph)
	}
}

// visible refuses control characters and invisible ones, with which a text can hide a message to an agent from people.
func (at linter) visible(member, s string) {
	for _, r := range s {
		if unicode.IsControl(r) || r > unicode.MaxASCII && unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar {
			at.add(member, "contains the invisible character %U; remove it", r)
			return
		}
	}
}

// visibleLines is visible for texts of several lines, in which code may have tabs.
func (at linter) visibleLines(member, s string) {
	at.visible(member, strings.NewReplacer("\n", "", "\t", "").Replace(s))
}

// list checks a list of short texts, each of which occurs once.
func (at linter) list(member string, items []string) {
	if items == nil {
		at.add(member, "is missing; write [] for none")
	}
	for i, s := range items {
		name := fmt.Sprintf("%s[%d]", member, i)
		at.text(name, s, maxTitle)
		if strings.Contains(s, catalog.ListSeparator) {
			at.add(name, "contains %q, which separates the items in CSV; replace it", catalog.ListSeparator)
		}
		if slices.Contains(items[:i], s) {
			at.add(name, "%q occurs twice; remove one", s)
		}
	}
}

// oneOf checks a value of a closed list.
func (at linter) oneOf(member, s string, allowed []string) {
	if !slices.Contains(allowed, s) {
		at.add(member, "%q is unknown; use one of %s", s, strings.Join(allowed, ", "))
	}
}

func (at linter) date(member string, d catalog.Date) {
	if _, err := catalog.ParseDate(string(d)); err != nil {
		at.add(member, "%v", err)
	}
}

func (at linter) optionalDate(member string, d *catalog.Date) {
	if d != nil {
		at.date(member, *d)
	}
}

func (at linter) timestamp(member, s string) {
	if t, err := time.Parse(time.RFC3339, s); err != nil || t.UTC().Format(time.RFC3339) != s {
		at.add(member, "%q is not a UTC timestamp; write it as 2026-11-21T09:30:00Z", s)
	}
}

func (at linter) url(member, s string) {
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || u.User != nil {
		at.add(member, "%q is not an address; write https://host/path", s)
	}
	at.visible(member, s)
}

// A Fault is something wrong with one of the curated files.
type Fault struct {
	Path    string // of the file, relative to the root of the data
	Message string // the fault and its remedy
}

// Faults are everything that is wrong with the curated files. As an error they have a line each.
type Faults []Fault

// Error returns one line for each fault: the path, then the message.
func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.Path + ": " + f.Message
	}
	return strings.Join(lines, "\n")
}

// JoinFaults returns the faults of several checks as one error, or nil. An error that is no Faults is returned alone.
func JoinFaults(errs ...error) error {
	var all faultList
	for _, err := range errs {
		var faults Faults
		if errors.As(err, &faults) {
			all.list = append(all.list, faults...)
		} else if err != nil {
			return err
		}
	}
	return all.err()
}

// A faultList collects faults.
type faultList struct {
	list    Faults
	rewrite map[string][]byte // when not nil: the canonical form of files that lack it, which is then not a fault
}

// fresh returns an empty list of the same kind as l.
func (l *faultList) fresh() *faultList {
	if l.rewrite == nil {
		return new(faultList)
	}
	return &faultList{rewrite: make(map[string][]byte)}
}

// merge adds the faults and rewrites of another list.
func (l *faultList) merge(other *faultList) {
	l.list = append(l.list, other.list...)
	maps.Copy(l.rewrite, other.rewrite)
}

func (l *faultList) add(path, format string, args ...any) {
	l.list = append(l.list, Fault{path, fmt.Sprintf(format, args...)})
}

// err returns the faults sorted by path, in the order found within one file, or nil.
func (l *faultList) err() error {
	if len(l.list) == 0 {
		return nil
	}
	slices.SortStableFunc(l.list, func(a, b Fault) int { return cmp.Compare(a.Path, b.Path) })
	return l.list
}

func sortedKeys[M ~map[string]V, V any](m M) []string { return slices.Sorted(maps.Keys(m)) }

// A set is a set of ids.
type set map[string]bool

// didYouMean returns the id of the set that is nearest to one that is not in it, as the end of a clause, or "".
func (s set) didYouMean(id string) string { return nearest.DidYouMean(id, sortedKeys(s), 1) }

func idsOf[T any](records []T, id func(T) string) set {
	ids := make(set, len(records))
	for _, r := range records {
		ids[id(r)] = true
	}
	return ids
}
