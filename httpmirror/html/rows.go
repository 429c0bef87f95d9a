package html

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"almanac/catalog"
)

// rows keeps each entry as it stands in lists, since half a dozen pages show it.
type rows struct {
	mu      sync.Mutex
	entries map[*catalog.Entry]string
}

func (r *rows) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries = nil
}

// of returns the rows of entries as one piece of markup.
func (r *rows) of(entries []*catalog.Entry) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.entries == nil {
		r.entries = make(map[*catalog.Entry]string)
	}
	size := 0
	for _, e := range entries {
		if _, ok := r.entries[e]; !ok {
			var b strings.Builder
			if err := row(e).Render(context.Background(), &b); err != nil {
				return "", fmt.Errorf("render the row of %s: %w", e.ID, err)
			}
			r.entries[e] = b.String()
		}
		size += len(r.entries[e])
	}
	var b strings.Builder
	b.Grow(size)
	for _, e := range entries {
		b.WriteString(r.entries[e])
	}
	return b.String(), nil
}
