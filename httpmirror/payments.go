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
	next.cat, next.files = c, maps.Clone(m.files)
	next.renderer = newRenderer(c, m.options, m.renderer.kinds)
	for _, t := range next.renderer.tasks(func(f *form) bool { return f.live }) {
		f, err := next.renderer.file(t)
		if err != nil {
			return nil, err
		}
		next.files[f.Path] = f
	}
	list := make([]file.Listing, 0, len(m.paths)-1)
	for _, p := range m.paths {
		if p != catalog.ManifestPath {
			list = append(list, file.ListingOf(next.files[p]))
		}
	}
	body, err := next.renderer.manifestOf(list)
	if err != nil {
		return nil, err
	}
	manifest := file.New(catalog.ManifestPath, file.JSON, body)
	manifest.Prepare()
	next.files[catalog.ManifestPath] = manifest
	return &next, nil
}
