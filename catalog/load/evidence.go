package load

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.almanac.example/catalog"
)

// maxQuoteWords bounds the words of a quote: it shows a statement and does not replace the source.
const maxQuoteWords = 25

// movingPattern is an address within a repository on GitHub that follows a branch or a tag.
var movingPattern = regexp.MustCompile(`^https://github\.com/[^/]+/[^/]+/(blob|tree|raw)/`)

// lintEvidence judges the evidence for entries and facts: it is for members that exist, says which copy was read, and
// has a reading that holds.
func lintEvidence(src *source, t *targets) {
	for _, record := range src.Evidence {
		at := src.lintFile(src.paths[record], record)
		if name := fileID(at.path); catalog.HistoryPathID(record.Record) != name {
			at.add("record", "is %q and the file is named %q; make them agree, with a dot for the colon", record.Record, name)
		}
		kind, id := catalog.HistoryRecord(record.Record)
		if kind != "library" && kind != "protocol" {
			at.add("record", "%q is not of a kind that has evidence here; use a library entry or a protocol", record.Record)
		} else {
			at.subject("record", kind, id, t.records[kind])
		}
		known := citableMembers(src, kind, id)
		for i, m := range record.Members {
			at.prefix = fmt.Sprintf("members[%d].", i)
			if t.records[kind][id] && !known[m.Member] {
				at.add("member", "the record has no %q%s; correct it, or remove the evidence", m.Member, known.didYouMean(m.Member))
			}
			at.readings(m.Readings)
		}
		at.prefix = ""
		at.unique("members[%d].member", catalog.Convert(record.Members, func(m catalog.MemberEvidence) string { return m.Member }))
	}
}

// readings checks the readings of a member.
func (at linter) readings(readings []catalog.SourceReading) {
	if len(readings) == 0 || !readings[0].Holds {
		at.add("readings", "has no reading that holds in the first place; put first what the record follows")
	}
	for i, r := range readings {
		name := fmt.Sprintf("readings[%d].", i)
		if r.Holds && i > 0 && !readings[i-1].Holds {
			at.add(name+"holds", "a reading that holds comes after one that does not; put it before")
		}
		at.reading(name, r)
	}
}

// reading checks the length of a quote, and which copy was read, and where.
func (at linter) reading(name string, r catalog.SourceReading) {
	if n := len(strings.Fields(r.Quote)); n > maxQuoteWords {
		at.add(name+"quote", "has %d words; shorten it to %d", n, maxQuoteWords)
	}
	pinned := r.Commit() != ""
	inRepository := r.Copy == catalog.CopyRepository || r.Copy == catalog.CopyFile
	switch {
	case inRepository && !pinned:
		at.add(name+"url", "names no commit; write the address with the 40 digits of the commit that was read")
	case !pinned && movingPattern.MatchString(r.URL):
		at.add(name+"url", "follows a branch or a tag; write the address with the 40 digits of a commit")
	}
	if r.Copy == catalog.CopyRepository && r.CopyDate == nil {
		at.add(name+"copy_date", "is null; write the day of the commit, or if nobody knows it, the copy %q", catalog.CopyFile)
	}
	if r.CopyDate != nil && *r.CopyDate > r.ReadAt {
		at.add(name+"copy_date", "%s is after the day of the reading, %s; correct one of the two", *r.CopyDate, r.ReadAt)
	}
}

// citableMembers returns the members of a record that can have evidence: the facts, with those of earlier versions, or
// an entry's statements about its source.
func citableMembers(src *source, kind, id string) set {
	members := make(set)
	switch kind {
	case "protocol":
		for _, f := range (&catalog.FactSet{Example: &catalog.Fact[string]{}}).Facts() {
			members[f.Name] = true
		}
		for _, v := range versionsOf(src, id) {
			for _, f := range v.Fields() {
				members[f.Name] = true
			}
		}
	case "library":
		return setOf([]string{"title", "publisher", "authors", "date_published", "url", "type", "summary"})
	}
	return members
}

// unreadSentence ends the summary of an entry whose source nobody read.
const unreadSentence = "Not read at the source."

// CheckReadings returns the claims of records about their sources beyond their evidence, and the items of list facts and
// the days of versions that no quote names, as Faults.
func CheckReadings(c *catalog.Catalog) error {
	var faults Faults
	checkReadings(&faults, c)
	checkItems(&faults, c)
	return faults.err()
}

func checkReadings(faults *Faults, c *catalog.Catalog) {
	for _, e := range c.Entries() {
		r, ok := c.EntryReading(e)
		third, says := r.Class == catalog.ClassThirdParty, strings.HasSuffix(e.Summary, unreadSentence)
		newest := c.NewestReading(e)
		at := linter{faults, EntryFile(e), ""}
		if !c.LinksChecked() && e.HTTPStatus != 0 {
			at.add("http_status", "is %d and no link check is on record; write 0, or run: almanac check -links", e.HTTPStatus)
		} else if s := c.ObservedStatus(e.URL); e.HTTPStatus != 0 && e.HTTPStatus != s {
			at.add("http_status", "is %d and %s has %d for the address; write that, or run: almanac check -links", e.HTTPStatus, LinkReportFile, s)
		}
		switch {
		case e.HTTPStatus == 0 && e.LastChecked != e.VerifiedAt:
			at.add("last_checked", "is %s, and no link check has seen a status; write the day of the reading, %s", e.LastChecked, e.VerifiedAt)
		case e.LastChecked > max(e.VerifiedAt, c.LinksDay()):
			at.add("last_checked", "%s is after the last link check, %s; write that day", e.LastChecked, c.LinksDay())
		}
		if e.DatePublished != nil && !isDated(c, e) {
			at.add("date_published", "no reading names %s; add one to evidence/%s.json, or write null", *e.DatePublished, e.ID)
		}
		switch {
		case !ok:
			at.add("summary", "has no reading; add evidence/%s.json with a reading that holds, or withdraw the entry", e.ID)
		case third && !says:
			at.add("summary", "rests on %s, which is a third party; read the source, or end the summary with: %s", r.URL, unreadSentence)
		case r.Class.OfSource() && says:
			at.add("summary", "says %q and its evidence has a reading of the source; remove the sentence", unreadSentence)
		case !third && e.VerifiedAt < r.ReadAt:
			at.add("verified_at", "%s is before the reading of the summary, %s; write that day", e.VerifiedAt, r.ReadAt)
		case !third && e.VerifiedAt > newest:
			at.add("verified_at", "%s is after the newest reading of the source, %s; read it again, or write that day", e.VerifiedAt, newest)
		}
	}
	for _, s := range factSets(c) {
		for _, f := range s.facts {
			if f.Value == nil {
				continue
			}
			at := linter{faults, s.file, ""}
			switch r, ok := c.FactReading(s.protocol, f); {
			case !ok:
				at.add(f.Name, "has no reading; add one to evidence/protocol.%s.json, or leave the fact out", s.protocol)
			case r.Class == catalog.ClassThirdParty:
				at.add(f.Name, "cites %s and rests on %s; read the cited source, or cite the one that was read", f.Source, r.URL)
			case f.VerifiedAt > r.ReadAt:
				at.add(f.Name+".verified_at", "%s is after the reading of %s; read the source again, or write that day", f.VerifiedAt, r.ReadAt)
			}
		}
	}
}

// isDated reports whether a reading that holds names the day on which the source of an entry was published, in any
// order of its parts, or is of the commit of that day.
func isDated(c *catalog.Catalog, e *catalog.Entry) bool {
	t := e.DatePublished.Time()
	named := regexp.MustCompile(fmt.Sprintf(`(?i)(^|\D)(%[1]d\W{0,2}%[2]s\W{0,2}%[3]s|%[3]s\W{0,2}%[2]s\W{0,2}%[1]d|%[2]s\W{0,2}%[3]s\W{0,2}%[1]d)($|\D)`,
		t.Year(), fmt.Sprintf(`(0?%d|%s|%.3[2]s\.?)`, t.Month(), t.Month()), fmt.Sprintf(`0?%d(st|nd|rd|th)?`, t.Day())))
	return slices.ContainsFunc(c.Readings(e.ID, "date_published"), func(r catalog.SourceReading) bool {
		return r.Holds && (named.MatchString(r.Quote+"\n"+catalog.OrEmpty(r.Note)) ||
			r.Commit() != "" && catalog.OrEmpty(r.CopyDate) == *e.DatePublished)
	})
}

// A factList is the facts of a protocol, or of an earlier version of one, with the file that states them.
type factList struct {
	protocol, file string
	facts          []catalog.ProfileField
}

// factSets returns the facts of every protocol and of its earlier versions.
func factSets(c *catalog.Catalog) (list []factList) {
	for _, p := range c.Protocols().Protocols {
		list = append(list, factList{p.ID, ProtocolFile(p.ID), p.Facts()})
		for _, v := range c.Versions(p.ID) {
			list = append(list, factList{p.ID, VersionsFile(p.ID), v.Fields()})
		}
	}
	return list
}

// checkItems adds the items of list facts, and the days of versions, that no quote names.
func checkItems(faults *Faults, c *catalog.Catalog) {
	for _, s := range factSets(c) {
		for _, f := range s.facts {
			names := itemNames(f.Value)
			if len(names) == 0 {
				continue
			}
			var quotes strings.Builder // and the addresses where they were read, a line each
			for _, r := range c.Readings("protocol:"+s.protocol, f.Name) {
				if r.Holds {
					quotes.WriteString(strings.ToLower("\n<" + r.URL + "/>\n" + r.Quote))
					if _, isDay := f.Value.(catalog.Date); isDay && r.CopyDate != nil {
						quotes.WriteString("\n" + string(*r.CopyDate)) // the day of the commit that published it
					}
				}
			}
			for i, any := range names {
				if !namesOne(quotes.String(), any) {
					at := linter{faults, "evidence/" + catalog.HistoryPathID("protocol:"+s.protocol) + ".json", ""}
					at.add(f.Name, "no quote names the item %d, %s; add a reading that quotes it", i+1, any[0])
				}
			}
		}
	}
}

// itemNames returns, for each item of a fact that is a list of things with names, the names that a quote may have.
func itemNames(value any) [][]string {
	switch list := value.(type) {
	case catalog.Date:
		day := list.Time()
		return [][]string{{string(list), day.Format("2006-1-2"), day.Format("2 January 2006"), day.Format("January 2, 2006")}}
	case []int:
		return catalog.Convert(list, func(status int) []string { return []string{strconv.Itoa(status)} })
	case []catalog.Header:
		return catalog.Convert(list, func(h catalog.Header) []string { return []string{h.Name} })
	case []catalog.Link:
		return catalog.Convert(list, func(l catalog.Link) []string { return []string{l.Name, l.URL} })
	case []catalog.Library:
		return catalog.Convert(list, func(l catalog.Library) []string {
			return []string{l.Name, catalog.OrEmpty(l.URL), path.Base(catalog.OrEmpty(l.URL)) + "/"}
		})
	case []catalog.Network:
		return catalog.Convert(list, func(n catalog.Network) []string {
			return []string{n.Name, catalog.OrEmpty(n.CAIP2), catalog.OrEmpty(n.Contract)}
		})
	}
	return nil
}

// namesOne reports whether a text in lower case has one of some names.
func namesOne(text string, names []string) bool {
	for _, n := range names {
		if strings.Contains(text, "\n<"+strings.ToLower(n)+"/") && strings.Contains(n, "://") {
			return true // its own pages were read
		}
		before, within, _ := strings.Cut(strings.TrimSuffix(strings.ToLower(n), ")"), " (") // "Eclair (node)": either names it
		for _, part := range append(strings.Split(within, ", "), before) {
			if part != "" && strings.Contains(text, part) {
				return true
			}
		}
	}
	return false
}
