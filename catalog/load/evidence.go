package load

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"almanac/catalog"
)

// maxQuoteWords bounds the words of a quote: it shows a statement and does not replace the source.
const maxQuoteWords = 25

var (
	// commitPattern is the commit in an address that is pinned to one.
	commitPattern = regexp.MustCompile(`/[0-9a-f]{40}([/?#]|$)`)
	// movingPattern is an address within a repository on GitHub that follows a branch or a tag.
	movingPattern = regexp.MustCompile(`^https://github\.com/[^/]+/[^/]+/(blob|tree|raw)/`)
	hashPattern   = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// lintEvidence judges the evidence for entries and facts: it is for members that exist, says which copy was read, and has a
// reading that holds.
func lintEvidence(l *faultList, records []located[*catalog.EvidenceRecord], t *targets) {
	for _, e := range records {
		at, record := linter{l, e.path, ""}, e.record
		if catalog.HistoryPathID(record.Record) != fileID(e.path) {
			at.add("record", "is %q and the file is named %q; make them agree, with a dot for the colon", record.Record, fileID(e.path))
		}
		kind, id := catalog.HistoryRecord(record.Record)
		of := map[string]set{"library": t.entries, "protocol": t.protocols}[kind]
		switch {
		case of == nil:
			at.add("record", "%q is not of a kind that has evidence here; use a library entry or a protocol", record.Record)
		case !of[id]:
			at.add("record", "there is no %s %q%s; correct it, or remove the file", kind, id, of.didYouMean(id))
		}
		if len(record.Members) == 0 {
			at.add("members", "is empty; write one, or remove the file")
		}
		known := citableMembers(kind)
		for i, m := range record.Members {
			at.prefix = fmt.Sprintf("members[%d].", i)
			if of[id] && !known[m.Member] {
				at.add("member", "the record has no %q%s; correct it, or remove the evidence", m.Member, known.didYouMean(m.Member))
			}
			if slices.ContainsFunc(record.Members[:i], func(o catalog.MemberEvidence) bool { return o.Member == m.Member }) {
				at.add("member", "%q occurs twice; put the readings together", m.Member)
			}
			at.readings(m.Readings)
		}
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
		at.copyOf(name, r)
		at.date(name+"read_at", r.ReadAt)
		at.text(name+"quote", r.Quote, maxParagraph)
		if n := len(strings.Fields(r.Quote)); n > maxQuoteWords {
			at.add(name+"quote", "has %d words; shorten it to %d", n, maxQuoteWords)
		}
		if r.Note != nil {
			at.text(name+"note", *r.Note, maxSummary)
		}
	}
}

// copyOf checks which copy was read, and where.
func (at linter) copyOf(name string, r catalog.SourceReading) {
	at.url(name+"url", r.URL)
	at.oneOf(name+"copy", r.Copy, catalog.CopyKinds)
	pinned := commitPattern.MatchString(r.URL)
	inRepository := r.Copy == catalog.CopyRepository || r.Copy == catalog.CopyFile
	switch {
	case inRepository && !pinned:
		at.add(name+"url", "names no commit; write the address with the 40 digits of the commit that was read")
	case !pinned && movingPattern.MatchString(r.URL):
		at.add(name+"url", "follows a branch or a tag; write the address with the 40 digits of a commit")
	}
	at.optionalDate(name+"copy_date", r.CopyDate)
	if r.CopyDate != nil && *r.CopyDate > r.ReadAt {
		at.add(name+"copy_date", "%s is after the day of the reading, %s; correct one of the two", *r.CopyDate, r.ReadAt)
	}
	if r.SHA256 != nil && !hashPattern.MatchString(*r.SHA256) {
		at.add(name+"sha256", "%q is not a SHA-256; write 64 lower-case hexadecimal digits", *r.SHA256)
	}
}

// citableMembers returns the members of a record of some kind that can have evidence: the facts, or what an entry says of its
// source.
func citableMembers(kind string) set {
	members := make(set)
	switch kind {
	case "protocol":
		for _, f := range (&catalog.Protocol{Example: &catalog.Fact[string]{}}).Facts() {
			members[f.Name] = true
		}
	case "library":
		for _, name := range []string{"title", "publisher", "authors", "date_published", "url", "type", "summary"} {
			members[name] = true
		}
	}
	return members
}
