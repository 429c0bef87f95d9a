package find

import (
	"path"
	"slices"
	"strings"
)

const (
	maxNear    = 3   // records that an address may have meant
	maxAddress = 200 // bytes of an address that anything is near to
)

// Near returns the records whose pages somebody who wrote another address may have meant: those with nearly its last name, in
// the same section first, and then those that are called by its words.
func (f *Finder) Near(address string) (near []*Record) {
	if len(address) > maxAddress {
		return nil
	}
	address = strings.ToLower(strings.TrimRight(strings.TrimSuffix(address, "/index.html"), "/"))
	section, name := path.Split(address)
	name = strings.TrimSuffix(name, path.Ext(name))
	add := func(rec *Record) {
		if len(near) < maxNear && !slices.ContainsFunc(near, func(n *Record) bool { return n.Path == rec.Path }) {
			near = append(near, rec)
		}
	}
	for _, slug := range f.slugs.Words(name, maxNear) {
		var all []*Record
		from, _ := slices.BinarySearchFunc(f.bySlug, slug, func(i uint32, slug string) int { return strings.Compare(f.records.slug(int(i)), slug) })
		for _, i := range f.bySlug[from:] {
			if f.records.slug(int(i)) != slug {
				break
			}
			all = append(all, f.records.at(int(i)))
		}
		for _, inSection := range []bool{true, false} {
			for _, rec := range all {
				if strings.HasPrefix(rec.Path, section) == inSection {
					add(rec)
				}
			}
		}
	}
	found, _ := f.Find(strings.NewReplacer("-", " ", "_", " ", ".", " ").Replace(name))
	for _, r := range found {
		add(r.Record)
	}
	return near
}
