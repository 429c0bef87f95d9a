package httpmirror

import (
	"iter"

	"almanac/catalog"
	"almanac/httpmirror/file"
)

// Files returns every file, sorted by path, as it is served.
func (m *Mirror) Files() iter.Seq[*file.File] {
	return func(yield func(*file.File) bool) {
		for path := range m.paths() {
			f, err := m.find(path)
			if err != nil {
				panic(err)
			}
			if !yield(f) {
				return
			}
		}
	}
}

// paths returns the path of every file, sorted.
func (m *Mirror) paths() iter.Seq[string] {
	return func(yield func(string) bool) {
		listed := false
		for _, path := range m.renderer.plan().sorted() {
			if !listed && path > catalog.ManifestPath {
				listed = true
				if !yield(catalog.ManifestPath) {
					return
				}
			}
			if !yield(path) {
				return
			}
		}
	}
}
