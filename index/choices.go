package index

import (
	"slices"

	"almanac/catalog"
)

// choicesDataset is the dataset of what to know when choosing a protocol. Its rows about a protocol that is a
// document itself are found as passages of that document: together they have most words of most queries.
const choicesDataset = "protocol-choices"

// choices are the rows of the dataset that are about protocols, by the id of the protocol.
type choices struct {
	rows  map[string][]Passage
	moved map[string]bool   // the addresses of rows that are passages of their protocol
	about map[string]string // by address of a row: what it is about, which is what the others are found by
}

func newChoices(c *catalog.Catalog) *choices {
	ch := &choices{make(map[string][]Passage), make(map[string]bool), make(map[string]string)}
	for _, d := range c.Datasets() {
		if d.ID != choicesDataset {
			continue
		}
		column := func(name string) int {
			return slices.IndexFunc(d.Columns, func(col catalog.Column) bool { return col.Name == name })
		}
		protocol, name, field := column("protocol"), column("protocol_name"), column("field")
		if protocol < 0 || name < 0 || field < 0 {
			continue
		}
		rows := slices.Collect(d.Rows())
		for i, p := range rowPassages(c.Site(), d) {
			id, _ := rows[i][protocol].(string)
			p.Title, _ = rows[i][field].(string)
			ch.rows[id] = append(ch.rows[id], p)
			called, _ := rows[i][name].(string)
			ch.about[p.URL] = called + " " + p.Title
		}
	}
	return ch
}

// move returns the rows about a protocol, which are then passages of its document.
func (ch *choices) move(protocol string) []Passage {
	for _, p := range ch.rows[protocol] {
		ch.moved[p.URL] = true
	}
	return ch.rows[protocol]
}

// words returns the words by which a row of a dataset is found.
func (ch *choices) words(row Passage) string {
	if about, ok := ch.about[row.URL]; ok {
		return about
	}
	return row.Text
}

// without returns the passages that are not moved.
func (ch *choices) without(list []Passage) []Passage {
	return slices.DeleteFunc(list, func(p Passage) bool { return ch.moved[p.URL] })
}
