// Package sources watches the sources of records: whether each still has the words that were quoted from it, and
// whether the section around those words is the one that was read.
//
// A quote that is still there proves little: a page can say "removed" around it. So a round compares the whole section
// with the text that was read, the file at its commit where there is one, else the text that an earlier round
// remembered (State). It asks through package links, at its pace, with its obedience to robots.txt and with its
// journal, from which an interrupted round resumes.
package sources

import (
	"fmt"
	"regexp"
	"strings"

	"go.almanac.example/catalog"
)

// A Claim is a statement of a record with the words of a source that show it.
type Claim struct {
	Record string       // as the history names it
	Member string       // such as "http_headers", "refund", "step 3", "statement application-dates"; "" for an entry as a whole
	Quote  string       // from the source; "" if only the address can be checked
	Source string       // address of the current text
	Pinned string       // address of the text that was read, such as at a commit; "" for none
	ReadAt catalog.Date // day of the reading; "" if there was none
	Own    bool         // Source is the address that the record itself cites
}

// Name returns the claim as reports name it.
func (c Claim) Name() string {
	if c.Member == "" {
		return c.Record
	}
	return c.Record + " " + c.Member
}

// key identifies the claim in a State. Another source or quote is another claim.
func (c Claim) key() string { return c.Name() + " " + c.Source + " " + c.Quote }

// Claims returns the claims of a catalogue: every quote of the evidence, of statements, profiles, events, disagreements
// and flows, and the address of each entry and fact that has no quote from it. The texts of earlier versions of protocols
// stay what they were: their quotes are looked for where they were read.
func Claims(cat *catalog.Catalog) []Claim {
	var list []Claim
	add := func(record, member, address, quote string, day catalog.Date, own string) bool {
		c := Claim{Record: record, Member: member, Quote: quote, Source: sourceOf(member, address), ReadAt: day}
		c.Own = own != "" && c.Source == sourceOf(member, own)
		if address != c.Source {
			c.Pinned = address
		}
		list = append(list, c)
		return c.Own
	}
	evidence := func(record, member, own string) {
		found := false
		if e, ok := cat.Evidence(catalog.HistoryPathID(record)); ok {
			for _, m := range e.Members {
				if member != "" && m.Member != member {
					continue
				}
				for _, r := range m.Readings {
					if r.Holds && add(record, m.Member, r.URL, r.Quote, r.ReadAt, own) {
						found = true
					}
				}
			}
		}
		if !found {
			add(record, member, sourceOf(member, own), "", "", own)
		}
	}
	for _, e := range cat.Entries() {
		evidence(e.ID, "", e.URL)
		for _, s := range cat.Statements(e.ID) {
			for _, r := range s.Readings {
				if r.Holds {
					add(e.ID, "statement "+s.ID, r.URL, r.Quote, r.ReadAt, "")
				}
			}
		}
	}
	for _, p := range cat.Protocols().Protocols {
		fields := p.Facts()
		for _, v := range cat.Versions(p.ID) {
			fields = append(fields, v.Fields()...)
		}
		for _, f := range fields {
			if f.Value != nil {
				evidence("protocol:"+p.ID, f.Name, f.Source)
			}
		}
	}
	for _, p := range cat.Profiles() {
		record := "profile:" + p.ID
		for _, f := range p.Fields() {
			if f.Value != nil {
				add(record, f.Name, f.Source, f.Quote, f.VerifiedAt, "")
			}
		}
		for _, e := range p.Events {
			add(record, "event "+e.Version, e.Source, e.Quote, e.VerifiedAt, "")
		}
		for i, d := range p.Disagreements {
			for _, e := range d.Evidence {
				add(record, fmt.Sprintf("disagreement %d", i+1), e.Source, e.Quote, e.VerifiedAt, "")
			}
		}
		if flow, ok := cat.Flow(p.ID); ok {
			for i, s := range flow.Steps {
				add("flow:"+p.ID, fmt.Sprintf("step %d", i+1), s.Source, s.Quote, s.VerifiedAt, "")
			}
		}
	}
	return list
}

// sourceOf returns the address at which the quote of a member is looked for: that of the current text, or of an earlier
// version the text that was read.
func sourceOf(member, address string) string {
	if strings.Contains(member, "@") {
		return address
	}
	return current(address)
}

var atCommit = regexp.MustCompile(`^(https://github\.com/[^/]+/[^/]+/(?:blob|tree)/)[0-9a-f]{40}(/|$)`)

// current returns the address of the current text: for a file at a commit, the same file at the head of the repository.
func current(address string) string { return atCommit.ReplaceAllString(address, "${1}HEAD${2}") }
