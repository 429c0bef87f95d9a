package markdown

import (
	"almanac/catalog"
	"almanac/httpmirror/phrase"
)

// Evidence renders what was read for a record.
func (r *Renderer) Evidence(w *Writer, doc *catalog.EvidenceDocument) {
	id := catalog.HistoryPathID(doc.Record)
	r.title(w, "Evidence: "+doc.Title, "What was read for "+doc.Record+": where, in which copy, and the words that show each statement. What the record follows comes first.",
		catalog.EvidencePath(id), catalog.EvidenceJSONPath(id))
	w.Item("Generated at", doc.GeneratedAt)
	w.Item("The record", Address(doc.HTMLURL))
	for _, m := range doc.Members {
		w.Printf("\n## %s\n\n", Text(m.Member))
		for _, s := range m.Readings {
			sourceReading(w, s)
		}
	}
}

// sourceReading writes what a source says, and in which copy that was read.
func sourceReading(w *Writer, s catalog.ClassedReading) {
	holds := "holds"
	if !s.Holds {
		holds = "does not hold for this record"
	}
	w.Item(Code(s.Quote), holds)
	w.Printf("  - source: %s\n  - copy: %s\n", Address(s.URL), Text(phrase.CopyRead(s.SourceReading)))
	w.Printf("  - class: %s\n", Text(phrase.ReadingClass(s)))
	if s.SHA256 != nil {
		w.Printf("  - sha256: %s\n", *s.SHA256)
	}
	if s.Note != nil {
		w.Printf("  - note: %s\n", Text(*s.Note))
	}
}

// factEvidence writes where the evidence for a fact stands, and what other texts say against it.
func (r *Renderer) factEvidence(w *Writer, p *catalog.Protocol, name string) {
	id := catalog.HistoryPathID("protocol:" + p.ID)
	e, ok := r.cat.Evidence(id)
	if !ok {
		return
	}
	m, ok := e.Member(name)
	if !ok {
		return
	}
	w.Printf("  - evidence: %s\n", Address(r.site.URL(catalog.EvidencePath(id))+"#"+name))
	for _, s := range m.Readings {
		if s.Holds {
			continue
		}
		w.Printf("  - another text says: %s", Code(s.Quote))
		if s.Note != nil {
			w.Printf(" (%s)", Text(*s.Note))
		}
		w.Printf("\n")
	}
}
