package catalog

import (
	"maps"
	"slices"
	"strings"
)

// An EvidenceDocument is the evidence for a record and its changes. A record may have only one of them. Library entries have
// theirs in their own documents.
type EvidenceDocument struct {
	Head
	HistoryTarget
	RecordEvidence
}

// A RecordEvidence is the evidence for a record and its changes, newest first.
type RecordEvidence struct {
	Evidence []ClassedMemberEvidence `json:"evidence"`
	History  []RecordEvent           `json:"history"`
}

// ClassedMemberEvidence is the evidence for one member of a record as documents show it.
type ClassedMemberEvidence struct {
	Member   string           `json:"member"`
	Readings []ClassedReading `json:"readings"`
}

// EvidenceIDs returns the records that have evidence, as their addresses have them, sorted; see HistoryPathID.
func (c *Catalog) EvidenceIDs() []string { return slices.Sorted(maps.Keys(c.evidence)) }

// Evidence returns the evidence for a record, which is given as its addresses have it.
func (c *Catalog) Evidence(pathID string) (*EvidenceRecord, bool) {
	e, ok := c.evidence[pathID]
	return e, ok
}

// Readings returns the readings for a member of a record, which is given as the history names it; none without evidence.
func (c *Catalog) Readings(record, member string) []SourceReading {
	e, ok := c.evidence[HistoryPathID(record)]
	if !ok {
		return nil
	}
	m, _ := e.Member(member)
	return m.Readings
}

// EvidenceDocument returns the evidence for a record, which is given as its addresses have it.
func (c *Catalog) EvidenceDocument(pathID string) *EvidenceDocument {
	day, _ := c.EvidenceDay(pathID)
	return &EvidenceDocument{c.head("evidence", day), c.Record(HistoryPathRecord(pathID)), c.recordEvidence(pathID)}
}

func (c *Catalog) recordEvidence(pathID string) RecordEvidence {
	r := RecordEvidence{Evidence: []ClassedMemberEvidence{}}
	if e, ok := c.evidence[pathID]; ok {
		r.Evidence = c.ClassedEvidence(e)
	}
	r.History = Convert(c.history.byRecord[HistoryPathRecord(pathID)], func(e *DatedEvent) RecordEvent { return RecordEvent{e.Day, e.Change, e.Members} })
	return r
}

// EvidenceDay returns the newest day of the evidence and the history of a record, which is given as its addresses have it; ok is
// false if it has neither.
func (c *Catalog) EvidenceDay(pathID string) (day Date, ok bool) {
	if c.HasHistory(pathID) {
		day = c.history.revised(HistoryPathRecord(pathID))
	}
	if e, ok := c.evidence[pathID]; ok {
		day = max(day, e.ReadAt())
	}
	return day, day != ""
}

// EvidencePageIDs returns the records that have evidence or a history, as their addresses have them, sorted.
func (c *Catalog) EvidencePageIDs() []string {
	ids := slices.Concat(c.EvidenceIDs(), c.HistoryRecordIDs())
	slices.Sort(ids)
	return slices.Compact(ids)
}

// EvidenceDocumentIDs returns those of EvidencePageIDs that are no library entries.
func (c *Catalog) EvidenceDocumentIDs() []string {
	return slices.DeleteFunc(c.EvidencePageIDs(), func(id string) bool { return !strings.Contains(id, ".") })
}

// ClassedEvidence returns the members of an evidence record with the class of each reading.
func (c *Catalog) ClassedEvidence(e *EvidenceRecord) []ClassedMemberEvidence {
	source := c.sourceAddresses(e.Record)
	return Convert(e.Members, func(m MemberEvidence) ClassedMemberEvidence {
		return ClassedMemberEvidence{m.Member, c.classed(source(m.Member), m.Readings)}
	})
}

func (c *Catalog) classed(address string, readings []SourceReading) []ClassedReading {
	return Convert(readings, func(r SourceReading) ClassedReading {
		return ClassedReading{r, c.records.Sites.Class(address, r)}
	})
}

// sourceAddresses returns the addresses of the sources of a record's members: those of the facts, or of the entry.
func (c *Catalog) sourceAddresses(record string) func(member string) string {
	kind, id := HistoryRecord(record)
	if e, ok := c.Entry(id); ok && kind == kindLibrary {
		return func(string) string { return e.URL }
	}
	var fields []ProfileField
	if p, ok := c.Protocol(id); ok && kind == kindProtocol {
		fields = p.Facts()
		for _, v := range c.Versions(id) {
			fields = append(fields, v.Fields()...)
		}
	}
	return func(member string) string {
		f, _ := find(fields, func(f ProfileField) bool { return f.Name == member })
		return f.Source
	}
}

// EntryReading returns the best reading of an entry's summary; ok is false when the entry has none.
func (c *Catalog) EntryReading(e *Entry) (ClassedReading, bool) {
	return c.bestReading(e.ID, "summary", e.URL)
}

// bestReading returns the best reading of a member of a record, whose source has the address.
func (c *Catalog) bestReading(record, member, address string) (ClassedReading, bool) {
	return c.records.Sites.Best(address, c.Readings(record, member))
}

// NewestReading returns the newest day of a reading for an entry that is of no third party, or "".
func (c *Catalog) NewestReading(e *Entry) (newest Date) {
	record, ok := c.evidence[e.ID]
	if !ok {
		return ""
	}
	for _, m := range record.Members {
		for _, r := range m.Readings {
			if r.Holds && c.records.Sites.Class(e.URL, r) != ClassThirdParty {
				newest = max(newest, r.ReadAt)
			}
		}
	}
	return newest
}

// A ReadingCount says how many records rest on readings of a class.
type ReadingCount struct {
	Class      string `json:"class"` // a SourceClass, or UnreadClass
	Meaning    string `json:"meaning"`
	Entries    int    `json:"entries"`    // by the best reading of their summaries
	Facts      int    `json:"facts"`      // by their best readings
	Statements int    `json:"statements"` // by their best readings
}

// UnreadClass is the class of records without a reading.
const UnreadClass = "none"

// ReadingCounts returns how many entries, facts and statements rest on readings of each class.
func (c *Catalog) ReadingCounts() []ReadingCount { return c.readingCounts() }

func (c *Catalog) countReadings() []ReadingCount {
	counts := []ReadingCount{
		{Class: string(ClassSource), Meaning: "We read the source at its own address, or a copy of it."},
		{Class: string(ClassRepository), Meaning: "We read the repository of the source at a commit."},
		{Class: string(ClassSecondary), Meaning: "We read the source or a copy of it, and it tells of or reprints what others published: news, blogs, law firms."},
		{Class: string(ClassAbout), Meaning: "We read a page of its publisher or of a register about the source, or a draft of it, not the source itself."},
		{Class: string(ClassThirdParty), Meaning: "We read a text of others about the source, not the source itself."},
		{Class: UnreadClass, Meaning: "We have no reading on record."},
	}
	of := func(r ClassedReading, ok bool) *ReadingCount {
		if !ok {
			return &counts[len(counts)-1]
		}
		return &counts[slices.Index(SourceClasses, r.Class)]
	}
	for _, e := range c.records.Entries {
		of(c.EntryReading(e)).Entries++
		for _, s := range c.Statements(e.ID) {
			of(c.records.Sites.Best(e.URL, s.Readings)).Statements++
		}
	}
	for _, p := range c.records.Protocols {
		for _, f := range p.Facts() {
			if f.Value != nil {
				of(c.FactReading(p.ID, f)).Facts++
			}
		}
	}
	return counts
}

// FactReading returns the best reading of a fact about a protocol; ok is false when it has none.
func (c *Catalog) FactReading(protocol string, f ProfileField) (ClassedReading, bool) {
	return c.bestReading(kindProtocol+":"+protocol, f.Name, f.Source)
}

// Statements returns the statements about a library entry.
func (c *Catalog) Statements(entryID string) []Statement { return c.statements[entryID] }

// StatementIDs returns the ids of the entries that have statements, sorted.
func (c *Catalog) StatementIDs() []string { return slices.Sorted(maps.Keys(c.statements)) }

// A ClassedStatement is a statement as documents show it.
type ClassedStatement struct {
	ID       string           `json:"id"`
	URL      string           `json:"url"`
	About    string           `json:"about"`
	Text     string           `json:"text"`
	Example  *Example         `json:"example,omitempty"`
	Calendar *CalendarDate    `json:"calendar,omitempty"`
	Readings []ClassedReading `json:"readings"`
}

// ClassedStatements returns the statements about an entry with the class of each reading.
func (c *Catalog) ClassedStatements(e *Entry) []ClassedStatement {
	return Convert(c.Statements(e.ID), func(s Statement) ClassedStatement {
		return ClassedStatement{s.ID, c.Site().URL(StatementPath(e.ID, s.ID)), s.About, s.Text, s.Example, s.Calendar,
			c.classed(e.URL, s.Readings)}
	})
}

// StatementsDay returns the newest day on which a statement about an entry was read.
func (c *Catalog) StatementsDay(entryID string) Date {
	return newestOf(c.Statements(entryID), func(s Statement) Date {
		return newestOf(s.Readings, func(r SourceReading) Date { return r.ReadAt })
	})
}

// statementRows lists the statements in the published order of their entries.
func statementRows(c *Catalog) (rows [][]any) {
	for _, e := range c.records.Entries {
		for _, s := range c.Statements(e.ID) {
			r := s.Readings[0]
			rows = append(rows, []any{e.ID, s.ID, s.About, s.Text, r.URL, string(r.ReadAt), r.Quote})
		}
	}
	return rows
}
