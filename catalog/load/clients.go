package load

import (
	"fmt"
	"slices"

	"almanac/catalog"
)

// lintClients judges the measured clients and the shapes with which they were measured.
func lintClients(src *source, t *targets) {
	known := make(set)
	at := src.lintFile(shapeFile, src.Shapes)
	for i, s := range src.Shapes {
		at.prefix = fmt.Sprintf("[%d].", i)
		at.oneOf("transport", s.Transport, []string{"http", "mcp", "a2a"})
		for j, id := range s.Protocols {
			if !t.records["protocol"][id] && !t.records["profile"][id] {
				at.add(fmt.Sprintf("protocols[%d]", j), "%q is no protocol of the catalogue; correct it", id)
			}
		}
		if known[s.ID] {
			at.add("id", "%q occurs twice; remove one", s.ID)
		}
		known[s.ID] = true
	}
	at = src.lintFile(clientFile, src.Clients)
	for i, k := range src.Clients {
		at.prefix = fmt.Sprintf("[%d].", i)
		if slices.ContainsFunc(src.Clients[:i], func(o *catalog.Client) bool { return o.ID >= k.ID }) {
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
	}
	for i, d := range k.Deviations {
		member := fmt.Sprintf("deviations[%d].shapes", i)
		at.refer(member, d.Shapes, shapes, "shape")
		for _, id := range d.Shapes {
			if result := k.Cell(id).Result; result == "pays" || result == catalog.NotMeasured {
				at.add(member, "with %q the result is %q, which is no deviation; remove it", id, result)
			}
		}
	}
}
