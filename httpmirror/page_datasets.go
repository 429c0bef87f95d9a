package httpmirror

import (
	"fmt"
	"html/template"
	"path"
	"strings"

	"almanac/catalog"
)

// previewRows is how many rows of a dataset its page shows.
const previewRows = 8

// A datasetPage is what the page of a dataset shows.
type datasetPage struct {
	*catalog.DatasetCard
	Files   []download
	Preview [][]cell
	Readme  template.HTML
}

// A download is a data file with its name.
type download struct {
	catalog.CardFile
	Path, Name, Form string
}

// A cell is a value of the preview.
type cell struct {
	Text string
	Link bool
	None bool // null, or an empty list
}

// datasets renders the list of datasets and the page of each.
func (p *pages) datasets() error {
	var verified span
	for _, d := range p.cat.Datasets() {
		verified.add(d.VerifiedAt)
	}
	err := p.add("datasets", page{
		Title:       "Datasets",
		Description: "Tables derived from the checked facts and the library, as JSON Lines and CSV, with cards and Croissant metadata.",
		Lede:        "Tables computed from the same records as the pages, so they cannot drift from them. Take them whole: JSON Lines, CSV, and a card that says what each column means.",
		Path:        catalog.DatasetsPath,
		Twins:       []twin{jsonTwin(catalog.DatasetsJSONPath)},
		Verified:    verified,
	}, p.cat.Datasets())
	if err != nil {
		return err
	}
	for _, d := range p.cat.Datasets() {
		if err := p.dataset(d); err != nil {
			return err
		}
	}
	return nil
}

func (p *pages) dataset(d *catalog.Dataset) error {
	card := p.cat.DatasetCard(d)
	readme, err := renderMarkdown(d.Readme, "readme-", 3)
	if err != nil {
		return fmt.Errorf("render the README of %s: %w", d.ID, err)
	}
	data := datasetPage{DatasetCard: card, Readme: readme.html}
	for i, f := range d.Files {
		form := "CSV"
		if strings.HasSuffix(f.Path, ".jsonl") {
			form = "JSON Lines"
		}
		data.Files = append(data.Files, download{card.Files[i], f.Path, path.Base(f.Path), form})
	}
	for _, row := range d.Rows[:min(previewRows, len(d.Rows))] {
		cells := make([]cell, len(row))
		for i, v := range row {
			cells[i] = cellOf(v, d.Columns[i])
		}
		data.Preview = append(data.Preview, cells)
	}
	return p.add("dataset", page{
		Title:       d.Title,
		Lede:        d.Summary,
		Description: d.Summary,
		Path:        catalog.DatasetPath(d.ID),
		Crumbs:      []crumb{{"Datasets", catalog.DatasetsPath}},
		Facts:       []string{countOf(card.RowCount, "row", "rows"), countOf(len(card.Columns), "column", "columns")},
		Twins: []twin{{"Card", "application/json", catalog.DatasetCardPath(d.ID), false}, {"README", "text/markdown", catalog.DatasetReadmePath(d.ID), false},
			{"Croissant", "application/ld+json", catalog.DatasetCroissantPath(d.ID), false}},
		Verified: oneDay(d.VerifiedAt),
		LD:       []any{datasetLD(p.site, card)},
	}, data)
}

// cellOf writes a value of a row for people.
func cellOf(v any, c catalog.Column) cell {
	switch v := v.(type) {
	case nil:
		return cell{None: true}
	case []string:
		return cell{Text: strings.Join(v, ", "), None: len(v) == 0}
	case string:
		return cell{Text: v, Link: strings.HasPrefix(v, "https://") || strings.HasPrefix(v, "http://"), None: v == ""}
	default:
		return cell{Text: fmt.Sprint(v)}
	}
}
