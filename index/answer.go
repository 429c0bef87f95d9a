package index

import (
	"slices"

	"go.almanac.example/catalog"
)

// Passages returns the passages of a record, by its id as in the change feed: those that Search finds, of a protocol
// with those of its earlier versions. It returns none for a record that does not exist or answers no question.
func Passages(c *catalog.Catalog, record string) []Passage {
	kind, id := catalog.HistoryRecord(record)
	switch kind {
	case KindLibrary:
		if e, ok := c.Entry(id); ok {
			return entryPassages(c.Site(), e, c.Statements(id))
		}
	case KindArticle:
		if a, ok := c.Article(id); ok {
			return articlePassages(c.Site(), a)
		}
	case KindDataset:
		if d, ok := c.Dataset(id); ok {
			return datasetPassages(c, d)
		}
	case KindProtocol:
		if !slices.Contains(c.ProtocolPageIDs(), id) {
			return nil
		}
		list := protocolPassages(c, id)
		for _, r := range versionRecords(c, id) {
			list = append(list, r.passages...)
		}
		return list
	}
	return nil
}

// Answers returns the questions of the passages of a record, each once with the address of the passage that answers it.
// A row of a dataset has no place on a page.
func Answers(c *catalog.Catalog, record string) (list []catalog.Link) {
	for _, p := range Passages(c, record) {
		q := c.PassageQuestion(record, p.Text)
		if q != "" && p.Kind != PassageRow && !slices.ContainsFunc(list, func(l catalog.Link) bool { return l.Name == q }) {
			list = append(list, catalog.Link{Name: q, URL: p.URL})
		}
	}
	return list
}
