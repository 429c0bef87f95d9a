package tools

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.almanac.example/catalog"
	"go.almanac.example/index"
)

// A query asks for what happens on days by the first alone, by the second with days, and for what is due by the third.
var (
	asksForDays  = regexp.MustCompile(`(?i)\b(news|happened|what(’s|'s|s| is) new|recent(ly)?|since last|former(ly)?|previous(ly)?|deadlines?|upcoming|expires? soon)\b`)
	asksWithDays = regexp.MustCompile(`(?i)\b(change[sd]?|was|released?|releases|published|announced|since|expires?|appl(y|ies)|force|due|laws?|rules?)\b`)
	asksAhead    = regexp.MustCompile(`(?i)\b(deadlines?|upcoming|expires?|appl(y|ies)|force|due|laws?|rules?)\b`)
)

// daysAsked finds the days of a query, with the word before them.
var daysAsked = regexp.MustCompile(`(?i)\b(since|from|after|until|till|by|before|in|on|during|of|for) (?:the )?(?:end of )?((?:\d{1,2} )?` +
	`(?:january|february|march|april|may|june|july|august|september|october|november|december)(?: \d{1,2})?(?:,? 20\d\d)?|20\d\d(?:-\d\d){0,2})\b`)

// dayForms are the forms in which days, months and years are read: the published one, and others that mean one span only.
var dayForms = []struct {
	form                string
	years, months, days int // that it spans
}{
	{time.DateOnly, 0, 0, 1}, {time.RFC3339, 0, 0, 1}, {"2006-01-02T15:04:05", 0, 0, 1}, {time.DateTime, 0, 0, 1}, {"2006-1-2", 0, 0, 1},
	{"2006/1/2", 0, 0, 1}, {"2 January 2006", 0, 0, 1}, {"January 2 2006", 0, 0, 1}, {"2006-01", 0, 1, 0}, {"January 2006", 0, 1, 0},
	{"2006", 1, 0, 0}, {"January", 0, 1, 0},
}

// span returns the first and the last day that a text means; a month alone is of the year 0.
func span(text string) (first, last time.Time, ok bool) {
	for _, f := range dayForms {
		if t, err := time.Parse(f.form, strings.ReplaceAll(text, ",", "")); err == nil {
			return t, t.AddDate(f.years, f.months, f.days-1), true
		}
	}
	return first, last, false
}

// daysIn returns the first and the last day that a query names, "" for none. A month without a year is the next, or the last.
func (d *data) daysIn(query string, ahead bool) (since, until catalog.Date) {
	asked := daysAsked.FindStringSubmatch(query)
	if asked == nil {
		return "", ""
	}
	first, last, ok := span(asked[2])
	if !ok {
		return "", ""
	}
	if first.Year() == 0 {
		year := d.now().Year()
		switch month := d.now().Month(); {
		case ahead && first.Month() < month:
			year++
		case !ahead && first.Month() > month:
			year--
		}
		first = first.AddDate(year, 0, 0)
		last = first.AddDate(0, 1, -1)
	}
	since, until = catalog.DateOf(first), catalog.DateOf(last)
	switch strings.ToLower(asked[1]) {
	case "since", "from", "after":
		until = ""
	case "before":
		until = catalog.DateOf(first.AddDate(0, 0, -1))
		since = textIf(ahead, d.today())
	case "until", "till", "by":
		since = textIf(ahead, d.today())
	}
	return since, until
}

// given returns the arguments of a call that a search names, without those that have no value.
func given(args ...member) string {
	return string(encode(members(slices.DeleteFunc(args, func(m member) bool {
		return slices.Contains([]string{"null", `""`, "[]", "0", "false"}, string(encode(m.value)))
	}))))
}

// lists returns a sentence with the call of list_changes that answers a query for what happened, or is due, and the first changes of
// one protocol or tag, or the call of list_entries for a query for sources; "" for another query.
func (d *data) lists(query string, protocols []string) (call string, changes []string) {
	if call = d.listsEntries(query); call != "" {
		return call, nil
	}
	ahead := asksAhead.MatchString(query)
	since, until := d.daysIn(query, ahead)
	byDays := asksForDays.MatchString(query) || since+until != "" && asksWithDays.MatchString(query)
	if !byDays && (len(protocols) != 1 || !asksForVersions.MatchString(query) || ofOthers.MatchString(query)) {
		return "", nil
	}
	named := protocols
	if named == nil && !ahead {
		named = d.tagsIn(query)
	}
	args, change := []member{{"since", since}, {"until", until}}, reported[:5]
	switch {
	case !byDays:
		change = []string{changeRelease}
		args = append(args, member{"change", change})
	case ahead:
		change, since = []string{changeCalendar}, cmp.Or(since, d.today())
		args = []member{{"since", since}, {"until", until}, {"change", change}, {"limit", maxLimit}}
	}
	call = "list_changes answers this, by days: "
	if len(named) == 1 {
		args = append(args, member{"record", named[0]})
		chosen, _ := d.changes(changeFilter{since: since, until: cmp.Or(until, d.today()), record: named[0], change: change})
		changes = digest(chosen)
		call = textIf(chosen == nil, "Nothing new of "+named[0]+" is here. ") + call
	}
	return call + given(args...), changes[:min(maxDigest, len(changes))]
}

// asksForVersions matches a query for the list of versions of a protocol, and ofOthers one that compares them, or means packages.
var (
	asksForVersions = regexp.MustCompile(`(?i)^(?:list|which|what|give|show|all|when)\b.*\b(?:versions|releases|revisions)\b`)
	ofOthers        = regexp.MustCompile(`(?i)\b(?:between|differ\w*|sdks?|packages?|clients?|librar\w+)\b`)
)

// tagsIn returns the tags that a query names.
func (d *data) tagsIn(query string) []string {
	query = plainWords(query)
	return slices.DeleteFunc(slices.Clone(d.tags), func(tag string) bool { return !strings.Contains(query, plainWords(tag)) })
}

// asksForList matches a query that wants sources listed or counted.
var asksForList = regexp.MustCompile(`(?i)\b(list|show|count|how many|newest|latest|everything|all)\b.*\b(spec\w*|sources?|entries|repos|repositories|papers|drafts|documentation|announcements|published)\b`)

// publisherAsked finds the publisher that a query names.
var publisherAsked = regexp.MustCompile(`\b(?:by|from) (?:the )?([A-Z][\w.-]+)`)

// listsEntries returns a sentence with the call of list_entries for a query that wants sources of a tag or a category listed or
// counted, "" for another query.
func (d *data) listsEntries(query string) string {
	if !asksForList.MatchString(query) {
		return ""
	}
	tags, sorts := d.tagsIn(query), d.typeParam()
	var category, publisher string
	var types []string
	if by := publisherAsked.FindStringSubmatch(query); by != nil && slices.ContainsFunc(d.catalog.Entries(), (&filter{publisher: strings.ToLower(by[1])}).passes) {
		publisher = by[1]
	}
	for word := range strings.FieldsSeq(plainWords(query)) {
		if name := sorts.allowedWord(word); name != "" {
			types = append(types, name)
		} else if len(tags) == 0 && slices.Contains(d.catalog.CategoryIDs(), word) {
			category = word
		}
	}
	since, until := d.daysIn(query, false)
	return textIf(len(tags)+len(types) > 0 || category+publisher != "", "list_entries counts and lists these: "+given(member{"category", category}, member{"tag", tags},
		member{"type", types}, member{"publisher", publisher}, member{"since", since}, member{"until", until}, member{"sort", index.SortNewest}))
}

// versionAsked finds the version that a query names after the name of a protocol, or as one.
var versionAsked = regexp.MustCompile(`(?i)\b(?:version|revision|release|v) ?(\d[\w.-]*)|\b[a-z]+\d* (\d+\.\d[\w.]*|20\d\d-\d\d-\d\d) ?(?:$|[?!,;])`)

// unknownVersion returns a query for a version of a protocol that nothing here has without the version, and a sentence that
// says which versions there are; "" for other queries.
func (ps *protocols) unknownVersion(query string, named []string, records []index.Answered) (rest, says string) {
	asked := versionAsked.FindStringSubmatchIndex(query)
	if asked == nil || len(named) != 1 {
		return "", ""
	}
	from, number, end := asked[0], asked[2], asked[3]
	if number < 0 {
		from, number, end = asked[4], asked[4], asked[5]
	}
	version, p := query[number:end], ps.find(named[0])
	for i := range records[:min(freeHits, len(records))] {
		text := records[i].Title + " " + records[i].Line
		for _, passage := range records[i].Passages {
			text += " " + passage.Text
		}
		words := strings.ReplaceAll(plainWords(text), " v", " ")
		if strings.Contains(words, plainWords(p.id)) && strings.Contains(words, plainWords(version)) {
			return "", ""
		}
	}
	return query[:from] + "protocol version" + query[end:], "Nothing here names version " + version + " of " + p.name + ". Its versions: " +
		strings.Join(ps.versionNames(p), ", ") + "."
}

// comparesFields returns a sentence with the call of get_protocol_facts that compares the protocols and fields that a query names.
func (ps *protocols) comparesFields(query string, named []string) string {
	words := plainWords(query)
	fields := slices.DeleteFunc(slices.Clone(ps.fields), func(name string) bool {
		return !strings.Contains(words, strings.TrimSuffix(strings.TrimRight(plainWords(name), " "), "s"))
	})
	return "get_protocol_facts with protocols compares these field by field: " +
		given(member{"protocols", named}, member{"fields", fields}, member{"evidence", asksForWords.MatchString(query)})
}

// comparesVersions returns a sentence with the call of get_protocol_facts that compares the earlier version that a query
// names with the newest, "" for another query.
func (ps *protocols) comparesVersions(query string, named []string) string {
	words := plainWords(query)
	for _, old := range ps.earlier {
		if slices.Contains(named, old.id) && strings.Contains(words, plainWords(old.version)) {
			return "get_protocol_facts says what changed since: " + ps.example(old.id, old.version)
		}
	}
	return ""
}
