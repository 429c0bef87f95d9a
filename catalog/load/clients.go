package load

import (
	"fmt"
	"regexp"
	"slices"

	"almanac/catalog"
)

// transcriptPattern is the form of a SHA-256.
var transcriptPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

// lintClients judges the measured clients and the shapes with which they were measured.
func lintClients(l *faultList, clients []*catalog.Client, shapes []*catalog.Shape, t *targets) {
	known := make(set)
	at := linter{l, shapeFile, ""}
	for i, s := range shapes {
		at.prefix = fmt.Sprintf("[%d].", i)
		at.slug("id", s.ID)
		at.text("title", s.Title, maxTitle)
		at.oneOf("transport", s.Transport, []string{"http", "mcp", "a2a"})
		for j, id := range s.Protocols {
			if !t.protocols[id] && !t.profiles[id] {
				at.add(fmt.Sprintf("protocols[%d]", j), "%q is no protocol of the catalogue; correct it", id)
			}
		}
		if known[s.ID] {
			at.add("id", "%q occurs twice; remove one", s.ID)
		}
		known[s.ID] = true
	}
	at.path = clientFile
	for i, k := range clients {
		at.prefix = fmt.Sprintf("[%d].", i)
		at.slug("id", k.ID)
		at.text("name", k.Name, maxTitle)
		at.text("version", k.Version, maxSlug)
		if k.URL != nil {
			at.url("url", *k.URL)
		}
		at.date("day", k.Day)
		if slices.ContainsFunc(clients[:i], func(o *catalog.Client) bool { return o.ID >= k.ID }) {
			at.add("id", "%q is not in order, or occurs twice; sort the clients by id", k.ID)
		}
		at.cells(k, known)
	}
}

// cells checks the cells of a client, and that its deviations name shapes.
func (at linter) cells(k *catalog.Client, shapes set) {
	for i, cell := range k.Cells {
		member := fmt.Sprintf("cells[%d].", i)
		if !shapes[cell.Shape] {
			at.add(member+"shape", "%q is no shape; correct it", cell.Shape)
		}
		at.oneOf(member+"result", cell.Result, catalog.ClientResults)
		at.visible(member+"reason", cell.Reason)
		if !transcriptPattern.MatchString(cell.Transcript) {
			at.add(member+"transcript", "%q is not a SHA-256 in hexadecimal", cell.Transcript)
		}
	}
	for i, d := range k.Deviations {
		at.text(fmt.Sprintf("deviations[%d].text", i), d.Text, maxSummary)
		member := fmt.Sprintf("deviations[%d].shapes", i)
		at.refer(member, d.Shapes, shapes, "shape")
		for _, id := range d.Shapes {
			if result := k.Cell(id).Result; result == "pays" || result == catalog.NotMeasured {
				at.add(member, "with %q the result is %q, which is no deviation; remove it", id, result)
			}
		}
	}
}
