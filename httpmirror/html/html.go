// Package html renders the records of a catalog as pages for people.
//
// A *.templ file has the markup of some pages and the types of what they show; templ generates Go from it. The Go file beside
// it fills these types from the catalog. frame.templ is what all pages have in common. Whoever changes a *.templ file runs go generate.
package html

//go:generate go tool templ generate

import (
	"bytes"
	"context"
	"fmt"
)

// Write writes a page to b.
func (p *Pages) Write(b *bytes.Buffer, pg Page) error {
	if err := frame(p, pg).Render(context.Background(), b); err != nil {
		return fmt.Errorf("render %s: %w", pg.Path, err)
	}
	return nil
}
