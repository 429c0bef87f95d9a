package load

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/nearest"
)

// limits are the longest texts of each form, in characters.
var limits = map[string]int{"short": 64, "name": 80, "title": 200, "quote": 300, "summary": 400, "paragraph": 2000}

// A linter adds the faults of one file: it judges values and computes nothing. Each record type has its lint beside the
// reading of it, in a file of its own.
type linter struct {
	faults *Faults
	path   string
	prefix string // of the names of members, within a list
}

func (at linter) add(member, format string, args ...any) {
	at.faults.add(at.path, "%s", at.prefix+member+": "+fmt.Sprintf(format, args...))
}

// forms checks the members of a value by the tag form that their types give them, and days. A member without a form has
// that of the value which holds it; one that may be absent is checked when it is there.
func (at linter) forms(member, form string, v reflect.Value) {
	if v.Type() == reflect.TypeFor[catalog.Date]() {
		at.date(member, catalog.Date(v.String()))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			at.forms(member, form, v.Elem())
		}
	case reflect.String:
		at.form(member, form, v.String())
	case reflect.Int:
		if s := v.Int(); form == "status" && (s < 100 || s > 599) {
			at.add(member, "%d is not an HTTP status; correct it", s)
		}
	case reflect.Slice:
		switch {
		case v.IsNil():
			at.add(member, "is missing; write [] for none")
		case form == "list":
			at.list(member, v.Interface().([]string))
			return
		case form == "filled":
			if form = ""; v.Len() == 0 {
				at.add(member, "is empty; write one, or remove the file")
			}
		}
		for i := range v.Len() {
			at.forms(fmt.Sprintf("%s[%d]", member, i), form, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "-" || !f.IsExported() || options == "omitempty" && v.Field(i).IsZero() {
				continue
			}
			at.forms(strings.Trim(member+"."+name, "."), cmp.Or(f.Tag.Get("form"), form), v.Field(i))
		}
	}
}

// form checks a text by the name of its form.
func (at linter) form(member, form, s string) {
	switch form {
	case "", "-":
	case "slug":
		at.slug(member, s)
	case "url":
		at.url(member, s)
	case "timestamp":
		at.timestamp(member, s)
	case "lines":
		at.lines(member, s)
	case "visible":
		at.visible(member, s)
	default:
		if allowed, ok := choices[form]; ok {
			at.oneOf(member, s, allowed)
		} else if p, ok := patterns[form]; !ok {
			at.text(member, s, limits[form])
		} else if !p.MatchString(s) {
			at.add(member, "%q is %s", s, p.fault)
		}
	}
}

// choices are the forms that have a closed list of values.
var choices = map[string][]string{
	"about":     catalog.StatementSubjects,
	"actor":     catalog.FlowActors,
	"calendar":  catalog.CalendarKinds,
	"column":    catalog.ColumnTypes,
	"copy":      catalog.CopyKinds,
	"direction": {"request", "response", "both"},
	"link kind": sortedKeys(catalog.LinkFindingKinds),
	"protocol":  catalog.ProfileKinds,
	"result":    catalog.ClientResults,
	"transport": {"http", "mcp", "a2a"},
}

// A pattern is a form with the fault and the remedy of a text of another.
type pattern struct {
	*regexp.Regexp
	fault string
}

var patterns = map[string]pattern{
	"caip2":   {regexp.MustCompile(`^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$`), "not a CAIP-2 id; write namespace:reference, for example eip155:8453"},
	"hash":    {regexp.MustCompile(`^[0-9a-f]{64}$`), "not a SHA-256; write 64 lower-case hexadecimal digits"},
	"product": {regexp.MustCompile(`^[A-Za-z_-]+$`), "not a product token that robots.txt can name; use letters, hyphens and underscores"},                            // RFC 9309, section 2.2.1
	"version": {regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]{0,30}[A-Za-z0-9])?$`), "not a name of a version; write letters, digits, dots and hyphens, at most 32"}, // part of addresses
}

// slugPattern is the form of ids, slugs and tags, which occur in addresses without escaping.
var slugPattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

const maxSlug = 80

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

// visible refuses control characters and invisible ones, with which a text can hide a message to an agent from people.
func (at linter) visible(member, s string) {
	for _, r := range s {
		if unicode.IsControl(r) || r > unicode.MaxASCII && unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar {
			at.add(member, "contains the invisible character %U; remove it", r)
			return
		}
	}
}

// lines checks a text of several lines, in which code may have tabs.
func (at linter) lines(member, s string) {
	if strings.TrimSpace(s) == "" {
		at.add(member, "is empty; write it")
	}
	at.visible(member, strings.NewReplacer("\n", "", "\t", "").Replace(s))
}

// list checks a list of short texts, each of which occurs once.
func (at linter) list(member string, items []string) {
	for i, s := range items {
		name := fmt.Sprintf("%s[%d]", member, i)
		at.text(name, s, limits["title"])
		if strings.Contains(s, catalog.ListSeparator) {
			at.add(name, "contains %q, which separates the items in CSV; replace it", catalog.ListSeparator)
		}
	}
	at.unique(member+"[%d]", items)
}

// unique checks that each of some ids occurs once. member names the place of one, by its number.
func (at linter) unique(member string, ids []string) {
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			at.add(fmt.Sprintf(member, i), "%q occurs twice; remove one", id)
		}
	}
}

// ascending checks that each of some keys comes after the one before it. member names the place of one, by its number.
func (at linter) ascending(member string, keys []string) {
	for i, key := range keys[min(1, len(keys)):] {
		if key <= keys[i] {
			at.add(fmt.Sprintf(member, i+1), "%q does not come after %q; keep the list sorted, each once", key, keys[i])
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

	canonical []byte // of a file whose only fault is that it is not in canonical form
}

// Faults are everything that is wrong with the curated files. As an error they have a line each.
type Faults []Fault

// Error returns one line for each fault: the path, then the message.
func (fs Faults) Error() string {
	return strings.Join(catalog.Convert(fs, func(f Fault) string { return f.Path + ": " + f.Message }), "\n")
}

// err returns the faults sorted by path, in the order found within one file, or nil if there are none.
func (fs Faults) err() error {
	if len(fs) == 0 {
		return nil
	}
	slices.SortStableFunc(fs, func(a, b Fault) int { return cmp.Compare(a.Path, b.Path) })
	return fs
}

func (fs *Faults) add(path, format string, args ...any) {
	*fs = append(*fs, Fault{Path: path, Message: fmt.Sprintf(format, args...)})
}

func sortedKeys[M ~map[string]V, V any](m M) []string { return slices.Sorted(maps.Keys(m)) }

// A set is a set of ids.
type set map[string]bool

// didYouMean returns the id of the set that is nearest to one that is not in it, as the end of a clause, or "".
func (s set) didYouMean(id string) string { return nearest.DidYouMean(id, sortedKeys(s), 1) }

func idsOf[T any](records []T, id func(T) string) set { return setOf(catalog.Convert(records, id)) }

func setOf(ids []string) set {
	s := make(set, len(ids))
	for _, id := range ids {
		s[id] = true
	}
	return s
}
