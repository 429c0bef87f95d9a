package catalog

import "iter"

// questionRows lists the questions in the published order of their records.
func questionRows(c *Catalog) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		add := func(record, kind, title, path string) bool {
			for _, q := range c.questions[record] {
				if !yield([]any{q, record, kind, title, c.Site().URL(path)}) {
					return false
				}
			}
			return true
		}
		for _, e := range c.entries {
			if !add(e.ID, kindLibrary, e.Title, EntryPath(e.ID)) {
				return
			}
		}
		for _, p := range c.protocols {
			if !add(kindProtocol+":"+p.ID, kindProtocol, p.Name, ProtocolPath(p.ID)) {
				return
			}
		}
		for _, a := range c.articles {
			if !add(kindArticle+":"+a.ID, kindArticle, a.Title, ArticlePath(a.ID)) {
				return
			}
		}
		for _, d := range c.datasets {
			if !add(kindDataset+":"+d.ID, kindDataset, d.Title, DatasetPath(d.ID)) {
				return
			}
		}
	}
}
