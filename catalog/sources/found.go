package sources

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"almanac/catalog/links"
)

// A found is what a round found at an address: what it answered, and what of what was looked for is there.
type found struct {
	links.Observation
	SHA256 string            `json:"sha256,omitempty"` // of the body
	Quotes []string          `json:"quotes,omitempty"` // that its text has
	Newer  map[string]string `json:"newer,omitempty"`  // of a list of versions: the newest that is newer than another
	Unread string            `json:"unread,omitempty"` // why its text could not be read
}

// An ask is what is looked for at an address.
type ask struct {
	quotes   []string
	versions []versions
}

// look looks in a page for what was asked.
func look(p links.Page, a *ask) found {
	f := found{Observation: p.Observation}
	if len(p.Body) == 0 {
		return f
	}
	sum := sha256.Sum256(p.Body)
	f.SHA256 = hex.EncodeToString(sum[:])
	for _, v := range a.versions {
		if newest := v.newest(p.Body, v.current); newest != "" {
			if f.Newer == nil {
				f.Newer = make(map[string]string)
			}
			f.Newer[v.current] = newest
		}
	}
	if len(a.quotes) == 0 {
		return f
	}
	words, err := text(p.Type, p.Body)
	if err != nil {
		f.Unread = err.Error()
		return f
	}
	for _, q := range a.quotes {
		if says(words, q) && !slices.Contains(f.Quotes, q) {
			f.Quotes = append(f.Quotes, q)
		}
	}
	if p.Long && len(f.Quotes) < len(a.quotes) {
		f.Unread = "is longer than is read"
	}
	return f
}
