package catalog

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
