package load

import (
	"fmt"
	"strings"

	"almanac/catalog"
)

func lintArticles(l *faultList, articles []located[*catalog.Article], t *targets) {
	for _, a := range articles {
		at, record := linter{l, a.path, ""}, a.record
		at.id(record.ID, fileID(a.path))
		at.text("title", record.Title, maxTitle)
		at.text("summary", record.Summary, maxSummary)
		at.optionalDate("date_published", record.DatePublished)
		at.date("verified_at", record.VerifiedAt)
		at.list("tags", record.Tags)
		at.tags(record.Tags, t)
		at.refer("protocols", record.Protocols, t.protocols, "protocol")
		at.refer("entries", record.Entries, t.entries, "library entry")
		at.listed("entries", record.Entries, entryLink.linked(record.Body, t))
		at.listed("protocols", record.Protocols, protocolLink.linked(record.Body, t))
		linter{l, siblingFile(a.path, "article.md"), ""}.markdown(record.Body, t)
	}
}

// lintDatasets judges the datasets. Those named in spare are of records that the data have none of, so that they need no card.
func lintDatasets(l *faultList, datasets []located[*catalog.Dataset], t *targets, spare set) {
	derived := catalog.DatasetColumns()
	for _, d := range datasets {
		at, record := linter{l, d.path, ""}, d.record
		at.id(record.ID, fileID(d.path))
		at.text("title", record.Title, maxTitle)
		at.text("summary", record.Summary, maxSummary)
		at.text("note", record.Note, maxSummary)
		at.url("license", record.License)
		at.optionalDate("date_published", record.DatePublished)
		at.date("verified_at", record.VerifiedAt)
		at.list("keywords", record.Keywords)
		if columns, ok := derived[record.ID]; ok {
			at.columns(record.Columns, columns)
		} else {
			at.add("id", "no rows are derived for the dataset %q; the datasets are %s", record.ID, strings.Join(sortedKeys(derived), ", "))
		}
		linter{l, siblingFile(d.path, "README.md"), ""}.markdown(record.Readme, t)
	}
	for _, id := range sortedKeys(derived) {
		if !t.datasets[id] && !spare[id] {
			l.add("datasets/"+id+"/card.json", "is missing; write a card for the derived dataset %q", id)
		}
	}
}

// columns checks that a card describes the columns that its rows have.
func (at linter) columns(columns []catalog.Column, derived []string) {
	var names []string
	for i, c := range columns {
		names = append(names, c.Name)
		at.text(fmt.Sprintf("columns[%d].description", i), c.Description, maxSummary)
		at.oneOf(fmt.Sprintf("columns[%d].type", i), c.Type, catalog.ColumnTypes)
	}
	if described, actual := strings.Join(names, ", "), strings.Join(derived, ", "); described != actual {
		at.add("columns", "are %s; the derived rows have %s", described, actual)
	}
}
