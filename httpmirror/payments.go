package httpmirror

import "almanac/catalog"

// WithPayments returns the mirror of the same catalog while the paid interface is in another state. The two share every file whose
// bytes do not depend on the state: when a node stops answering, or answers again, support.json, which offers the paid interface only
// while it can sell, and the manifest are rendered anew, and nothing else is. An installation that begins or ceases to sell at all has
// other files, and shares none.
func (m *Mirror) WithPayments(state catalog.Payments) *Mirror {
	if state == m.cat.Payments() {
		return m
	}
	c := m.cat.WithPayments(state)
	if state == catalog.PaymentsOff || m.cat.Payments() == catalog.PaymentsOff {
		return build(c, m.options, kinds(c, m.options))
	}
	next := *m
	next.cat, next.renderer = c, newRenderer(c, m.options, m.renderer.kinds, 0)
	next.renderer.finder = m.renderer.finder // records are called the same
	return &next
}
