// Package httpmirror renders a catalog as the files of the site.
//
// The one idea: every published address is a file whose bytes are a pure function of the catalog.
// The same render serves from memory (Build, Mirror.ServeHTTP) and writes to disk (Export), so
// what a static host serves and what this program serves are the same bytes.
package httpmirror

import (
	"bytes"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/problem"
)

// Options are what the files depend on besides the catalog.
type Options struct {
	Version string       // of the program, told in the OpenAPI document; "" is "dev"
	Contact string       // URI for security reports (RFC 9116); "" publishes no security.txt
	Log     *slog.Logger // nil discards
}

// complete fills in the defaults and refuses what cannot be published.
func (o Options) complete() (Options, error) {
	if o.Version == "" {
		o.Version = "dev"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o, checkContact(o.Contact)
}

// A Mirror is every file of a site, ready to serve. It is immutable: share it freely.
type Mirror struct {
	files         map[string]*file.File
	paths         []string // sorted
	modified      time.Time
	modifiedValue []string
	cat           *catalog.Catalog
	dayPage       func(*catalog.ChangeList) ([]byte, error)
	problems      problem.Writer
}

var _ http.Handler = (*Mirror)(nil)

// Build renders every file of the catalog's site.
func Build(c *catalog.Catalog, o Options) (*Mirror, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	m := &Mirror{
		files:    make(map[string]*file.File),
		modified: c.Options().GeneratedAt.UTC().Truncate(time.Second),
		cat:      c,
		problems: problem.Writer{Base: c.Site().ProblemBase(), Log: o.Log},
	}
	m.modifiedValue = []string{m.modified.Format(http.TimeFormat)}
	var mu sync.Mutex
	b := newBuilder(c, o, file.NewSink(func(f *file.File) error {
		f.Body = bytes.Clone(f.Body)
		f.Prepare()
		mu.Lock()
		defer mu.Unlock()
		m.files[f.Path] = f
		return nil
	}))
	if err := b.run(); err != nil {
		return nil, fmt.Errorf("render the mirror: %w", err)
	}
	m.dayPage = b.dayPage
	m.paths = slices.Sorted(maps.Keys(m.files))
	return m, nil
}

// Files gives every file, sorted by path.
func (m *Mirror) Files() iter.Seq[*file.File] {
	return func(yield func(*file.File) bool) {
		for _, p := range m.paths {
			if !yield(m.files[p]) {
				return
			}
		}
	}
}

// File finds a file by its path.
func (m *Mirror) File(path string) (*file.File, bool) { f, ok := m.files[path]; return f, ok }
