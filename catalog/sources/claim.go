package sources

import "almanac/catalog"

// A Claim is what a record states, with the words of its source.
type Claim struct {
	Record string // as the history names it
	Fact   string // of a protocol; "" for an entry
	Quote  string // of the source; "" when there is none, so that only the address can be checked
	Source string // where the text of today is
	Pinned string // where the text that was read stays, such as at a commit; "" for nowhere
}

// Name returns the claim as reports name it.
func (c Claim) Name() string {
	if c.Fact == "" {
		return c.Record
	}
	return c.Record + " " + c.Fact
}

// Claims returns what the records of a catalogue state: each entry and each fact with its address. quoted are the claims of
// which there is evidence; they stand for those of the records.
func Claims(cat *catalog.Catalog, quoted []Claim) []Claim {
	evidence := make(map[string]Claim)
	for _, c := range quoted {
		evidence[c.Name()] = c
	}
	var list []Claim
	add := func(c Claim) {
		if q, ok := evidence[c.Name()]; ok {
			if q.Source == "" {
				q.Source = c.Source
			}
			c = q
		}
		list = append(list, c)
	}
	for _, e := range cat.Entries() {
		add(Claim{Record: e.ID, Source: e.URL})
	}
	for _, p := range cat.Protocols().Protocols {
		for _, f := range p.Facts() {
			if f.Value != nil {
				add(Claim{Record: "protocol:" + p.ID, Fact: f.Name, Source: f.Source})
			}
		}
	}
	return list
}
