package catalog

import "strings"

// A QuestionRecord holds questions that a record answers, in the words of those who ask. Search finds the record by them.
type QuestionRecord struct {
	Record    string   `json:"record"` // id as in the change feed: "lnd", "protocol:l402"
	Questions []string `json:"questions"`
}

// The kinds of records that answer questions, as their ids begin in the change feed; those of library entries begin with
// none.
const (
	kindLibrary  = "library"
	kindProtocol = "protocol"
	kindArticle  = "article"
	kindDataset  = "dataset"
)

// Kind returns the kind of the record and its id among those of its kind.
func (q *QuestionRecord) Kind() (kind, id string) {
	kind, id, ok := strings.Cut(q.Record, ":")
	if !ok {
		return kindLibrary, kind
	}
	return kind, id
}
