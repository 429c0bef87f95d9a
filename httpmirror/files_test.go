package httpmirror

import (
	"iter"
	"slices"
	"strings"
	"time"

	"go.almanac.example/httpmirror/file"
	"go.almanac.example/internal/problem"
)

// A machine that has other things to do takes longer for the manifest than a request waits.
func init() { manifestTimeout = time.Hour }

// Files returns every file, sorted by path, as it is served, however long it takes to render.
func (m *Mirror) Files() iter.Seq[*file.File] { return m.filesExcept() }

// filesExcept returns every file whose path begins with none of some prefixes.
func (m *Mirror) filesExcept(prefixes ...string) iter.Seq[*file.File] {
	return func(yield func(*file.File) bool) {
		for path := range m.paths() {
			if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(path, p) }) {
				continue
			}
			f, err := m.find(path)
			for err != nil && problem.FromError(err).Code == problem.Overloaded {
				f, err = m.find(path)
			}
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
		for _, t := range m.renderer.tasks(func(*form) bool { return true }) {
			if !yield(t.path) {
				return
			}
		}
	}
}
