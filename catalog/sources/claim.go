package sources

import (
	"regexp"

	"almanac/catalog"
)

// A Claim is what a record states, with the words of a source.
type Claim struct {
	Record string // as the history names it
	Member string // a fact of a protocol, or what of an entry the words are about; "" for an entry as a whole
	Quote  string // of the source; "" when there is none, so that only the address can be checked
	Source string // where the text of today is
	Pinned string // where the text that was read stays, such as at a commit; "" for nowhere
	Own    bool   // Source is the address that the record itself cites
}

// Name returns the claim as reports name it.
func (c Claim) Name() string {
	if c.Member == "" {
		return c.Record
	}
	return c.Record + " " + c.Member
}

// Claims returns what the records of a catalogue state: each entry and each fact with its address, and with every quote of the
// evidence for it. evidence returns the readings on which a record rests; see Evidence.
func Claims(cat *catalog.Catalog, evidence func(record string) []Reading) []Claim {
	var list []Claim
	add := func(record, member, source string, readings []Reading) {
		own := false
		for _, r := range readings {
			if member != "" && r.Member != member {
				continue
			}
			c := Claim{Record: record, Member: member, Quote: r.Quote, Source: today(r.URL), Own: today(r.URL) == today(source)}
			if r.URL != c.Source {
				c.Pinned = r.URL
			}
			own = own || c.Own
			list = append(list, c)
		}
		if !own {
			list = append(list, Claim{Record: record, Member: member, Source: today(source), Own: true})
		}
	}
	for _, e := range cat.Entries() {
		add(e.ID, "", e.URL, evidence(e.ID))
	}
	for _, p := range cat.Protocols().Protocols {
		record := "protocol:" + p.ID
		for _, f := range p.Facts() {
			if f.Value != nil {
				add(record, f.Name, f.Source, evidence(record))
			}
		}
	}
	return list
}

var atCommit = regexp.MustCompile(`^(https://github\.com/[^/]+/[^/]+/(?:blob|tree)/)[0-9a-f]{40}(/|$)`)

// today returns where the text of today is: for a file at a commit, the same file where the repository is now.
func today(address string) string { return atCommit.ReplaceAllString(address, "${1}HEAD${2}") }
