package laws

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// A box of the drawing is the packages of one layer below one directory.
type box struct {
	layer    int
	dir      string // the first part of the packages' names
	packages []string
	imports  []*box
	x, width int
}

// layerNames are the words beside the layers of the drawing, from the bottom up.
var layerNames = []string{"ground", "parts", "tools", "endpoint", "service", "commands"}

const (
	drawingWidth = 960
	drawingLeft  = 116 // of the boxes; the layer's name is on their left
	boxGap       = 12
	bandGap      = 32
	lineHeight   = 18
	columnRows   = 10 // package names below each other in a box
)

// boxes returns the boxes of the drawing in the order of layers, placed from left to right, with the imports that no
// other import implies.
func boxes(imports map[string][]string) (list []*box) {
	byPackage := make(map[string]*box)
	for _, l := range layers {
		dir, _, _ := strings.Cut(l.name, "/")
		i := slices.IndexFunc(list, func(b *box) bool { return b.layer == l.number && b.dir == dir })
		if i < 0 {
			i, list = len(list), append(list, &box{layer: l.number, dir: dir})
		}
		list[i].packages = append(list[i].packages, l.name)
		byPackage[l.name] = list[i]
	}
	for name, b := range byPackage {
		for _, imp := range imports[name] {
			if to := byPackage[strings.TrimPrefix(imp, "almanac/")]; to != nil && to != b && !slices.Contains(b.imports, to) {
				b.imports = append(b.imports, to)
			}
		}
	}
	for _, n := range []int{1, 0, 2, 3, 4, 5} {
		row := slices.DeleteFunc(slices.Clone(list), func(b *box) bool { return b.layer != n })
		if n == 0 {
			slices.SortStableFunc(row, func(a, b *box) int { return middleOfUsers(a, list) - middleOfUsers(b, list) })
		}
		placeRow(row)
	}
	drawn := make(map[*box][]*box)
	for _, b := range list {
		for _, to := range b.imports {
			implied := func(by *box) bool { return slices.Contains(by.imports, to) && !slices.Contains(to.imports, by) }
			if to.layer < b.layer && !slices.ContainsFunc(b.imports, implied) {
				drawn[b] = append(drawn[b], to)
			}
		}
		slices.SortFunc(drawn[b], func(a, b *box) int { return slices.Index(list, a) - slices.Index(list, b) })
	}
	for _, b := range list {
		b.imports = drawn[b]
	}
	return list
}

// middleOfUsers returns the mean middle of the parts that import a box of the ground.
func middleOfUsers(b *box, list []*box) int {
	sum, n := 0, 0
	for _, user := range list {
		if user.layer == 1 && slices.Contains(user.imports, b) {
			sum, n = sum+user.x+user.width/2, n+1
		}
	}
	return sum / max(1, n)
}

// placeRow sets the places of the boxes of a layer. The lowest two layers fill the width; a box above them spans the
// parts that it imports.
func placeRow(row []*box) {
	if row[0].layer > 1 {
		for _, b := range row {
			b.x = drawingWidth
			right := 0
			for _, to := range b.imports {
				if to.layer > 0 && to.layer < b.layer {
					b.x, right = min(b.x, to.x), max(right, to.x+to.width)
				}
			}
			b.width = right - b.x
		}
		return
	}
	columns := 0
	for _, b := range row {
		columns += b.columns()
	}
	x := drawingLeft
	for _, b := range row {
		b.x = x
		b.width = (drawingWidth-boxGap-drawingLeft)*b.columns()/columns - boxGap
		x += b.width + boxGap
	}
}

// columns returns the columns of package names in a box.
func (b *box) columns() int { return (len(b.packages) + columnRows - 1) / columnRows }

// drawing returns docs/architecture.svg: the layers from the top, in each its boxes, and an arrow for each import that
// crosses no box.
func drawing(imports map[string][]string) string {
	list := boxes(imports)
	var bands, arrows strings.Builder
	tops, bottoms := make(map[int]int), make(map[int]int)
	y := boxGap
	for n := len(layerNames) - 1; n >= 0; n-- {
		rows := 0
		for _, b := range list {
			if b.layer == n {
				rows = max(rows, (len(b.packages)+b.columns()-1)/b.columns())
			}
		}
		height := rows*lineHeight + 20
		tops[n], bottoms[n] = y, y+height
		fmt.Fprintf(&bands, "  <rect class=\"band\" x=\"0\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", y-6, drawingWidth, height+12)
		fmt.Fprintf(&bands, "  <text class=\"layer\" x=\"14\" y=\"%d\">%d %s</text>\n", y+24, n, layerNames[n])
		for _, b := range list {
			if b.layer == n {
				b.draw(&bands, y, height)
			}
		}
		y += height + bandGap + 12
	}
	for _, from := range list {
		for _, to := range from.imports {
			if x := to.x + to.width/2; from.layer == to.layer+1 || from.seesDown(to, x, list) {
				start := max(from.x+8, min(x, from.x+from.width-8))
				fmt.Fprintf(&arrows, "  <path d=\"M%d %dL%d %d\"/>\n", start, bottoms[from.layer], x, tops[to.layer]-2)
			}
		}
	}
	return fmt.Sprintf(drawingFrame, drawingWidth, y-bandGap, bands.String()+arrows.String())
}

// seesDown reports whether a vertical line at x leads from b to a box without crossing another.
func (b *box) seesDown(to *box, x int, list []*box) bool {
	spans := func(o *box) bool { return o.x <= x && x <= o.x+o.width }
	return spans(b) && !slices.ContainsFunc(list, func(o *box) bool { return to.layer < o.layer && o.layer < b.layer && spans(o) })
}

// draw writes a box with the names of its packages: the first in full, those below it by their last part, indented.
func (b *box) draw(w *strings.Builder, y, height int) {
	fmt.Fprintf(w, "  <rect class=\"box\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"/>\n", b.x, y, b.width, height)
	slices.Sort(b.packages)
	rows := (len(b.packages) + b.columns() - 1) / b.columns()
	for i, name := range b.packages {
		label := name
		if slices.Contains(b.packages, path.Dir(name)) || i > 0 && strings.Count(name, "/") > 0 {
			label = strings.Repeat(" ", strings.Count(name, "/")) + "/" + path.Base(name)
		}
		x := b.x + 10 + i/rows*(b.width/b.columns())
		fmt.Fprintf(w, "  <text class=\"name\" x=\"%d\" y=\"%d\">%s</text>\n", x, y+24+i%rows*lineHeight, label)
	}
}

const drawingFrame = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[2]d" width="%[1]d" height="%[2]d" role="img" aria-labelledby="title desc">
  <!-- Generated: go test ./laws -run TestArchitectureTable -update -->
  <title id="title">The packages of almanac in layers</title>
  <desc id="desc">Six layers. Arrows are imports and lead down; an import that others imply is not drawn. The table in ARCHITECTURE.md lists every package.</desc>
  <style>
    text { font: 14px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1b1b18; }
    .name { font: 600 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre; }
    .layer { font-size: 12.5px; fill: #5b5b54; }
    .box { fill: #fcfbf7; stroke: #8a8a80; }
    .page { fill: #fff; }
    .band { fill: #f1efe7; }
    path { fill: none; stroke: #8a2a1e; stroke-width: 1.5; marker-end: url(#head); }
    #head path { fill: #8a2a1e; stroke: none; marker-end: none; }
    @media (prefers-color-scheme: dark) {
      text { fill: #ecebe4; }
      .layer { fill: #a9a99f; }
      .box { fill: #1b1b19; stroke: #6d6d65; }
      .page { fill: #0d1117; }
      .band { fill: #262623; }
      path { stroke: #f0917f; }
      #head path { fill: #f0917f; }
    }
  </style>
  <defs>
    <marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z"/></marker>
  </defs>
  <rect class="page" width="%[1]d" height="%[2]d"/>
%[3]s</svg>
`
