package catalog

// A LinkDocument is the published form of the last round of the link checker. Its entries are the findings about addresses
// that records still cite.
type LinkDocument struct {
	Envelope
	CheckedAt *string       `json:"checked_at"` // nil before the first round
	Links     int           `json:"links"`
	Answered  int           `json:"answered"`
	Count     int           `json:"count"`
	Entries   []LinkFinding `json:"entries"`
}

// LinksChecked reports whether a round of the link checker has ended in this installation.
func (c *Catalog) LinksChecked() bool { return c.links != nil }

// LinkDocument returns the document about the last round of the link checker.
func (c *Catalog) LinkDocument() *LinkDocument {
	d := &LinkDocument{Envelope: c.envelope(c.LinksDay()), Entries: []LinkFinding{}}
	if c.links == nil {
		return d
	}
	d.CheckedAt, d.Links, d.Answered = &c.links.CheckedAt, c.links.Links, c.links.Answered
	cited := make(map[Address]bool)
	for _, a := range c.Addresses() {
		cited[a] = true
	}
	for _, f := range c.links.Findings {
		if cited[Address{f.ID, f.URL}] {
			d.Entries = append(d.Entries, f)
		}
	}
	d.Count = len(d.Entries)
	return d
}
