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

// Questions returns the questions that a record answers, by its id as in the change feed.
func (c *Catalog) Questions(record string) []string { return c.questions[record] }

// questionRows lists the questions in the published order of their records.
func questionRows(c *Catalog) [][]any {
	var rows [][]any
	add := func(record, kind, title, path string) {
		for _, q := range c.questions[record] {
			rows = append(rows, []any{q, record, kind, title, c.Site().URL(path)})
		}
	}
	for _, e := range c.entries {
		add(e.ID, kindLibrary, e.Title, EntryPath(e.ID))
	}
	for _, p := range c.protocols {
		add(kindProtocol+":"+p.ID, kindProtocol, p.Name, ProtocolPath(p.ID))
	}
	for _, a := range c.articles {
		add(kindArticle+":"+a.ID, kindArticle, a.Title, ArticlePath(a.ID))
	}
	for _, d := range c.datasets {
		add(kindDataset+":"+d.ID, kindDataset, d.Title, DatasetPath(d.ID))
	}
	return rows
}
