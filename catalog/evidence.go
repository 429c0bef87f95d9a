package catalog

import "slices"

// An EvidenceRecord is what was read for the statements of a record: for each member, the readings on which it rests and
// those that contradict it.
type EvidenceRecord struct {
	Record  string           `json:"record"` // as the history names it: "protocol:l402", "mqtt-5"
	Members []MemberEvidence `json:"members"`
}

// MemberEvidence is the evidence for one member of a record.
type MemberEvidence struct {
	Member   string          `json:"member"`   // "http_headers" of a protocol, "date_published" of an entry
	Readings []SourceReading `json:"readings"` // those that hold come first
}

// A SourceReading is what a source says, and in which copy that was read. The copy itself is not kept: its hash tells whether
// another copy is the same.
type SourceReading struct {
	Holds    bool    `json:"holds"`     // the record follows this reading
	URL      string  `json:"url"`       // permanent, where there is a permanent address
	Copy     string  `json:"copy"`      // one of CopyKinds
	CopyDate *Date   `json:"copy_date"` // the day of the copy: of the commit, or of the page
	ReadAt   Date    `json:"read_at"`
	Quote    string  `json:"quote"`
	SHA256   *string `json:"sha256"` // of the whole copy; nil when only parts of it were seen
	Note     *string `json:"note"`
}

// The kinds of copies that are read.
const (
	CopyRepository = "repository"  // a file of a repository at the commit in the address
	CopyFile       = "stored-file" // a file of a repository at a commit, read in parts in a store
	CopyPage       = "stored-page" // a stored copy of a web page
	CopyLive       = "live-page"   // the page as it answered on the day of the reading
)

// CopyKinds are the kinds of copies that are read.
var CopyKinds = []string{CopyRepository, CopyFile, CopyPage, CopyLive}

// Contradicted reports whether a source says something else than the record.
func (m MemberEvidence) Contradicted() bool {
	return slices.ContainsFunc(m.Readings, func(r SourceReading) bool { return !r.Holds })
}

// ReadAt returns the newest day of a reading.
func (e *EvidenceRecord) ReadAt() Date {
	var newest Date
	for _, m := range e.Members {
		for _, r := range m.Readings {
			newest = max(newest, r.ReadAt)
		}
	}
	return newest
}

// Member returns the evidence for a member.
func (e *EvidenceRecord) Member(name string) (MemberEvidence, bool) {
	for _, m := range e.Members {
		if m.Member == name {
			return m, true
		}
	}
	return MemberEvidence{}, false
}
