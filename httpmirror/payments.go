package httpmirror

import (
	"maps"

	"almanac/catalog"
	"almanac/httpmirror/file"
)

// WithPayments returns the mirror of the same catalog while the paid interface is in another state. It shares every file
// whose bytes do not depend on the state: when a node stops answering, or answers again, support.json, which offers the
// paid interface only while it can sell, and the manifest are rendered anew, and nothing else is. An installation that
// begins or ceases to sell at all is built anew.
func (m *Mirror) WithPayments(state catalog.Payments) (*Mirror, error) {
	if state == m.cat.Payments() {
		return m, nil
	}
	c := m.cat.WithPayments(state)
	if (state == catalog.PaymentsOff) != (m.cat.Payments() == catalog.PaymentsOff) {
		return Build(c, m.options)
	}
	next := *m
	next.cat, next.files, next.rendered = c, maps.Clone(m.files), m.rendered.withPayments()
	if next.files == nil {
		next.files = make(map[string]*file.File)
	}
	next.renderer = newRenderer(c, m.options, m.renderer.kinds, 0)
	p := next.renderer.plan()
	for _, n := range p.live() {
		f, err := next.renderer.file(p.task(n))
		if err != nil {
			return nil, err
		}
		next.files[f.Path] = f
	}
	if next.rendered != nil { // it lists the files when it is asked to
		return &next, nil
	}
	all := make([]file.Digest, p.len)
	for n, path := range p.sorted() {
		all[n] = next.files[path].Digest()
	}
	err := next.renderer.withManifest(p, all, func(f *file.File) error {
		next.files[f.Path] = forKeeping(f)
		return nil
	})
	return &next, err
}
