package html

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"almanac/catalog"
)

// rowsOf returns entries as they stand in lists, as one piece of markup. Half a dozen pages show each.
func (p *Pages) rowsOf(entries []*catalog.Entry) (string, error) {
	var b strings.Builder
	for i, e := range entries {
		markup, err := p.rows.Of(e, func() ([]byte, error) {
			var b bytes.Buffer
			err := row(e).Render(context.Background(), &b)
			return bytes.Clone(b.Bytes()), err // without the spare capacity
		})
		if err != nil {
			return "", fmt.Errorf("render the row of %s: %w", e.ID, err)
		}
		if i == 0 {
			b.Grow(len(markup) * len(entries) * 5 / 4) // about
		}
		b.Write(markup)
	}
	return b.String(), nil
}
