// Package httpmirror renders a catalog as the files of the site, serves them and writes them to a folder.
//
// Every published address is a file whose bytes are a function of the catalog. The same renderer serves from memory
// (Build, Mirror.ServeHTTP) and writes to disk (Export), so what a static host serves and what this program serves are
// the same bytes. What kinds of documents there are is declared in kinds_*.go; kind.go says what a declaration has.
package httpmirror

import (
	"bytes"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/httpmirror/metadata"
	"almanac/problem"
)

// Options are what the files depend on besides the catalog.
type Options struct {
	Version string       // of the program, as the OpenAPI document has it; "" means "dev"
	Contact string       // URI for security reports (RFC 9116); "" publishes no security.txt
	Log     *slog.Logger // nil discards
}

// complete returns the options with the defaults filled in, and reports what cannot be published.
func (o Options) complete() (Options, error) {
	if o.Version == "" {
		o.Version = "dev"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o, metadata.CheckContact(o.Contact)
}

// A Mirror is every file of a site, ready to serve. It never changes: use it from any number of goroutines.
type Mirror struct {
	files         map[string]*file.File
	paths         []string // sorted
	modified      time.Time
	byDay         bool // modified is the beginning of a day, within which files may have changed again
	modifiedValue []string
	cat           *catalog.Catalog
	options       Options
	renderer      *renderer
	problems      problem.Writer
}

var _ http.Handler = (*Mirror)(nil)

// Build renders every file of the catalog's site.
func Build(c *catalog.Catalog, o Options) (*Mirror, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	return build(c, o, kinds(c, o))
}

// build renders every file of some kinds of documents.
func build(c *catalog.Catalog, o Options, kinds []*kind) (*Mirror, error) {
	m := &Mirror{
		files:    make(map[string]*file.File),
		modified: c.Modified().Truncate(time.Second),
		cat:      c,
		options:  o,
		renderer: newRenderer(c, o, kinds),
		problems: problem.Writer{Base: c.Site().ProblemBase(), Log: o.Log},
	}
	m.byDay = c.ModifiedByDay()
	m.modifiedValue = []string{m.modified.Format(http.TimeFormat)}
	var mu sync.Mutex
	sink := file.NewSink(func(f *file.File) error {
		f.Body = bytes.Clone(f.Body)
		f.Prepare()
		mu.Lock()
		defer mu.Unlock()
		m.files[f.Path] = f
		return nil
	})
	if err := m.renderer.run(sink); err != nil {
		return nil, fmt.Errorf("render the mirror: %w", err)
	}
	m.paths = slices.Sorted(maps.Keys(m.files))
	return m, nil
}

// Files returns every file, sorted by path.
func (m *Mirror) Files() iter.Seq[*file.File] {
	return func(yield func(*file.File) bool) {
		for _, p := range m.paths {
			if !yield(m.files[p]) {
				return
			}
		}
	}
}

// File returns the file at a path.
func (m *Mirror) File(path string) (*file.File, bool) { f, ok := m.files[path]; return f, ok }

// find returns the file at a path. A document of an id that its kind does not list is rendered for the answer.
func (m *Mirror) find(path string) (*file.File, error) {
	if f, ok := m.files[path]; ok {
		return f, nil
	}
	for _, k := range m.renderer.kinds {
		if k.unlisted == nil {
			continue
		}
		for _, f := range k.forms {
			id, ok := match(f.path, path)
			if !ok || strings.Contains(id, "/") {
				continue
			}
			if err := k.unlisted(id); err != nil {
				return nil, err
			}
			return m.renderer.file(task{k, f, id})
		}
	}
	return nil, problem.Errorf(problem.NotFound, "Nothing is published at this address. %s lists every file.", m.cat.Site().URL(catalog.ManifestPath))
}
