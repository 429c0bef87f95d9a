package catalog

import (
	"maps"
	"slices"
)

// An EvidenceDocument is the evidence for a record, with the record's addresses.
type EvidenceDocument struct {
	Envelope
	Schema  string           `json:"$schema"`
	Record  string           `json:"record"`
	Kind    string           `json:"kind"`
	Title   string           `json:"title"`
	HTMLURL string           `json:"html_url"`
	JSONURL string           `json:"json_url"`
	Count   int              `json:"count"`
	Members []MemberEvidence `json:"members"`
}

// EvidenceIDs returns the records that have evidence, as their addresses have them, sorted; see HistoryPathID.
func (c *Catalog) EvidenceIDs() []string { return slices.Sorted(maps.Keys(c.evidence)) }

// Evidence returns the evidence for a record, which is given as its addresses have it.
func (c *Catalog) Evidence(pathID string) (*EvidenceRecord, bool) {
	e, ok := c.evidence[pathID]
	return e, ok
}

// EvidenceDocument returns the document of the evidence for a record, which is given as its addresses have it.
func (c *Catalog) EvidenceDocument(pathID string) (*EvidenceDocument, bool) {
	e, ok := c.evidence[pathID]
	if !ok {
		return nil, false
	}
	t := c.Record(e.Record)
	return &EvidenceDocument{
		Envelope: c.envelope(e.ReadAt()), Schema: c.Site().URL(SchemaPath("evidence")),
		Record: e.Record, Kind: t.Kind, Title: t.Title, HTMLURL: t.HTMLURL, JSONURL: t.JSONURL,
		Count: len(e.Members), Members: e.Members,
	}, true
}
