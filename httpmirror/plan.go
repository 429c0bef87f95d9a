package httpmirror

import (
	"cmp"
	"container/heap"
	"iter"
	"slices"
	"sort"
	"strings"
)

// A task is a document in one form that is to be rendered.
type task struct {
	kind *kind
	form *form
	id   string
}

// path returns the path of the file.
func (t task) path() string { return t.form.at(t.id) }

// task returns what is rendered at a path.
func (r *renderer) task(path string) (task, bool) {
	for _, k := range r.kinds {
		for i := range k.forms {
			if id, ok := match(k.forms[i].path, path); ok && k.publishes(r, id) {
				return task{k, &k.forms[i], id}, true
			}
		}
	}
	return task{}, false
}

// A plan is every file of a site except the manifest, before any is rendered. Files have numbers, in the order of the passes.
type plan struct {
	parts []planned
	len   int
}

// A planned part is the documents of a kind in one form.
type planned struct {
	kind  *kind
	form  *form
	ids   []string
	first int // number of the first file
}

// plan returns the plan of the documents of the renderer's kinds.
func (r *renderer) plan() *plan { return r.planOf(everyForm) }

// everyForm accepts every form.
func everyForm(*form) bool { return true }

// planOf returns the plan of the documents in the forms that include accepts.
func (r *renderer) planOf(include func(*form) bool) *plan {
	p := new(plan)
	for _, k := range r.kinds {
		ids := k.list(r.cat)
		for i := range k.forms {
			if k.forms[i].pass != passManifest && include(&k.forms[i]) {
				p.parts = append(p.parts, planned{kind: k, form: &k.forms[i], ids: ids})
			}
		}
	}
	slices.SortStableFunc(p.parts, func(a, b planned) int { return cmp.Compare(a.form.pass, b.form.pass) })
	for i := range p.parts {
		p.parts[i].first = p.len
		p.len += len(p.parts[i].ids)
	}
	return p
}

// task returns the file with a number.
func (p *plan) task(n int) task {
	i := sort.Search(len(p.parts), func(i int) bool { return p.parts[i].first > n }) - 1
	part := &p.parts[i]
	return task{part.kind, part.form, part.ids[n-part.first]}
}

// pass returns the numbers of the files of a pass: from first up to, but not including, end.
func (p *plan) pass(of pass) (first, end int) {
	after := func(of pass) int {
		i := sort.Search(len(p.parts), func(i int) bool { return p.parts[i].form.pass > of })
		if i == len(p.parts) {
			return p.len
		}
		return p.parts[i].first
	}
	return after(of - 1), after(of)
}

// live returns the numbers of the files that depend on the state of payments.
func (p *plan) live() (numbers []int) {
	for i := range p.parts {
		if p.parts[i].form.live {
			for n := range p.parts[i].ids {
				numbers = append(numbers, p.parts[i].first+n)
			}
		}
	}
	return numbers
}

// sorted yields the number and the path of every file, sorted by path.
func (p *plan) sorted() iter.Seq2[int, string] {
	return func(yield func(n int, path string) bool) {
		var next cursors
		for i := range p.parts {
			if len(p.parts[i].ids) > 0 {
				next = append(next, newCursor(&p.parts[i]))
			}
		}
		heap.Init(&next)
		for len(next) > 0 {
			c := next[0]
			if !yield(c.part.first+c.order[c.at], c.path) {
				return
			}
			if c.at++; c.at == len(c.order) {
				heap.Pop(&next)
				continue
			}
			c.path = c.part.form.at(c.part.ids[c.order[c.at]])
			heap.Fix(&next, 0)
		}
	}
}

// A cursor stands at a file of a part whose files are passed in the order of their paths.
type cursor struct {
	part  *planned
	order []int
	at    int
	path  string
}

func newCursor(part *planned) *cursor {
	_, _, after := expression(part.form.path)
	c := &cursor{part: part, order: make([]int, len(part.ids))}
	for i := range c.order {
		c.order[i] = i
	}
	slices.SortFunc(c.order, func(i, j int) int { return compareSuffixed(part.ids[i], part.ids[j], after) })
	c.path = part.form.at(part.ids[c.order[0]])
	return c
}

// compareSuffixed compares two ids, each with what stands behind it.
func compareSuffixed(a, b, after string) int {
	if n := min(len(a), len(b)); a[:n] != b[:n] {
		return strings.Compare(a[:n], b[:n])
	}
	return strings.Compare(a+after, b+after)
}

// cursors is a heap: the smallest path comes first.
type cursors []*cursor

func (c cursors) Len() int           { return len(c) }
func (c cursors) Less(i, j int) bool { return c[i].path < c[j].path }
func (c cursors) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }
func (c *cursors) Push(x any)        { *c = append(*c, x.(*cursor)) }
func (c *cursors) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}
