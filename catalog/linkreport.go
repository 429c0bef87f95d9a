package catalog

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
)

// A LinkReport is what the link checker met on its last round. It is kept beside the records in
// links.json, because a record holds only statuses that were observed: of a link that gave no
// answer its record can say nothing new.
type LinkReport struct {
	CheckedAt string        `json:"checked_at"` // end of the round, ISO 8601 in UTC
	Links     int           `json:"links"`      // links of the round
	Answered  int           `json:"answered"`   // links that gave an HTTP status
	Findings  []LinkFinding `json:"findings"`   // what a curator should look at, by id
}

// A LinkFinding is one link that did not simply answer.
type LinkFinding struct {
	ID        string `json:"id"` // of the library entry
	URL       string `json:"url"`
	Kind      string `json:"kind"`       // one of LinkFindingKinds
	Status    int    `json:"status"`     // of the last answer; 0: there was none
	Detail    string `json:"detail"`     // in one line
	FinalURL  string `json:"final_url"`  // where redirects led; the url itself without any
	CheckedAt string `json:"checked_at"` // ISO 8601 in UTC
}

// LinkFindingKinds are the values of a finding's kind with their meaning for readers.
var LinkFindingKinds = map[string]string{
	"status":   "answers with an error status",
	"moved":    "has moved permanently",
	"redirect": "redirects without end or to nowhere",
	"tls":      "cannot be trusted: TLS fails",
	"dns":      "the host name is not found",
	"refused":  "the host refuses the connection",
	"reset":    "the connection breaks",
	"timeout":  "does not answer in time",
	"protocol": "does not speak HTTP properly",
	"robots":   "robots.txt asks us to stay away; not asked",
	"later":    "the host asked us to come later; not asked",
	"private":  "leads to an address that is not public; not asked",
}

// A LinkDocument is the published form of the last round of the link checker. Entries hold the
// findings about addresses that the library still lists.
type LinkDocument struct {
	SchemaVersion string        `json:"schema_version"`
	GeneratedAt   string        `json:"generated_at"`
	CheckedAt     *string       `json:"checked_at"` // null before the first round
	Links         int           `json:"links"`
	Answered      int           `json:"answered"`
	Count         int           `json:"count"`
	Entries       []LinkFinding `json:"entries"`
}

// LinkDocument builds the document about the last round of the link checker.
func (c *Catalog) LinkDocument() *LinkDocument {
	d := &LinkDocument{SchemaVersion: SchemaVersion, GeneratedAt: c.GeneratedAt(), Entries: []LinkFinding{}}
	if c.links == nil {
		return d
	}
	d.CheckedAt, d.Links, d.Answered = &c.links.CheckedAt, c.links.Links, c.links.Answered
	for _, f := range c.links.Findings {
		if e, ok := c.byID[f.ID]; ok && e.URL == f.URL {
			d.Entries = append(d.Entries, f)
		}
	}
	d.Count = len(d.Entries)
	return d
}

// LinkReportFile is where the report of the link checker lies among the curated files.
const LinkReportFile = "links.json"

// Encode gives the report as its file is kept.
func (r *LinkReport) Encode() []byte { return canonical(r) }

// EditEntry gives the bytes of a library entry's file after an edit. The file must be one that
// Load accepts.
func EditEntry(path string, data []byte, edit func(*Entry)) ([]byte, error) {
	var l faultList
	e, ok := decodeStrict[Entry](&l, path, data)
	if err := l.err(); err != nil || !ok {
		return nil, err
	}
	edit(&e)
	return canonical(e), nil
}

// EntryFile is the path of a library entry's file among the curated files.
func EntryFile(e *Entry) string { return "library/" + e.Category + "/" + e.ID + ".json" }

// readLinkReport reads the report when there is one.
func (r *reader) readLinkReport() *LinkReport {
	if _, err := fs.Stat(r.fsys, LinkReportFile); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	report, _ := readFile[LinkReport](r, LinkReportFile)
	return &report
}

func lintLinkReport(l *faultList, r *LinkReport) {
	if r == nil {
		return
	}
	at := linter{l, LinkReportFile, ""}
	at.timestamp("checked_at", r.CheckedAt)
	for i, f := range r.Findings {
		at.prefix = "findings[" + strings.TrimSpace(f.ID) + "]."
		at.slug("id", f.ID)
		at.url("url", f.URL)
		at.text("detail", f.Detail, maxSummary)
		at.timestamp("checked_at", f.CheckedAt)
		if f.Status < 0 || f.Status > 999 {
			at.add("status", "%d was never served; use the status of the last answer, or 0 for none", f.Status)
		}
		if _, ok := LinkFindingKinds[f.Kind]; !ok {
			at.add("kind", "%q is unknown; use one of %s", f.Kind, strings.Join(sortedKeys(LinkFindingKinds), ", "))
		}
		if slices.ContainsFunc(r.Findings[:i], func(g LinkFinding) bool { return g.ID == f.ID }) {
			at.add("id", "stands twice; remove one")
		}
	}
}
