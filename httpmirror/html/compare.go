package html

import (
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/phrase"
)

// Compare returns the page on which the protocols stand side by side.
func (p *Pages) Compare() Page {
	var data comparePage
	var verified phrase.Span
	var readings [][]catalog.ProfileField
	for _, pr := range p.cat.Profiles() {
		readings = append(readings, pr.GroupedFields())
		column := comparedProtocol{ID: pr.ID, Short: shortName(pr.ID, pr.Name), Name: pr.Name, Path: catalog.ProtocolPath(pr.ID)}
		if f, ok := p.cat.Flow(pr.ID); ok {
			column.Flow = drawNarrow(f)
		}
		data.Protocols = append(data.Protocols, column)
		verified.Add(pr.VerifiedAt())
	}
	for i, field := range new(catalog.Profile).GroupedFields() {
		row := comparedRow{FieldName: field.FieldName}
		for _, fields := range readings {
			row.Cells = append(row.Cells, fields[i])
		}
		if n := len(data.Groups); n == 0 || data.Groups[n-1].Label != field.Group {
			data.Groups = append(data.Groups, comparedGroup{Label: field.Group})
		}
		g := &data.Groups[len(data.Groups)-1]
		g.Rows = append(g.Rows, row)
	}
	return Page{
		Title:       "Payment protocols side by side",
		Description: "Payment protocols for machines in one table: status, rail, where price and proof stand, refunds, accounts and transports, each value with its source.",
		Lede:        "What one needs to know to choose a payment protocol, in one table, and the messages of a payment beside each other.",
		Crumbs:      []Link{{Label: "Protocols", Path: catalog.ProtocolsPath}},
		Verified:    verified,
		content:     compareContent(data),
	}
}

// anchorOf returns the name of the place of a heading.
func anchorOf(label string) string { return strings.ReplaceAll(strings.ToLower(label), " ", "-") }

// shortName returns the abbreviation that a name has in brackets when that is the id, and otherwise the name without what stands
// in brackets.
func shortName(id, name string) string {
	short, rest, _ := strings.Cut(name, " (")
	if abbreviation := strings.TrimSuffix(rest, ")"); strings.EqualFold(abbreviation, id) {
		return abbreviation
	}
	return short
}
