// Package httpmirror renders a catalog as the files of the site, serves them and writes them to a folder.
//
// Every published address is a file whose bytes are a function of the catalog. kinds_*.go declares the kinds of
// document, kind.go the parts of a declaration. A file is rendered by renderer.render alone: when somebody asks for it
// (Mirror.ServeHTTP), for an export (Export), for a check (Check) and for its hash in the manifest.
//
// There is one cache, of the files that were asked for lately; cache.go says how much it saves. Names are found in
// the index of the catalog.
package httpmirror

import (
	"log/slog"
	"net/http"
	"time"

	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/httpmirror/metadata"
	"almanac/index"
	"almanac/problem"
)

// Options are everything that the files depend on besides the catalog.
type Options struct {
	Version   string       // of the program, as the OpenAPI document has it; "" means "dev"
	Contact   string       // URI for security reports (RFC 9116); "" publishes no security.txt
	Log       *slog.Logger // nil discards
	CacheSize int64        // in bytes; 0 means DefaultCacheSize
	// of the catalog; nil: the mirror makes one of names when somebody searches, and never closes it
	Index *index.Index
}

// complete returns the options with their defaults. It refuses values that cannot be published.
func (o Options) complete() (Options, error) {
	if o.Version == "" {
		o.Version = "dev"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.CacheSize == 0 {
		o.CacheSize = DefaultCacheSize()
	}
	return o, metadata.CheckContact(o.Contact)
}

// manifestTimeout is how long a request waits for a file. Only the manifest of a large library takes longer.
var manifestTimeout = 10 * time.Second

// A Mirror is every file of a site. It never changes: use it from any number of goroutines.
//
// Files are rendered when they are first asked for, and cached. The cache makes no difference to the answers.
type Mirror struct {
	cat      *catalog.Catalog
	options  Options
	renderer *renderer
	cache    *cache
	problems problem.Writer
	modified time.Time
	byDay    bool // modified is the beginning of a day, within which files may have changed again
	// unchangedSince is the moment after which a client that has a file has it as it is. Files dated to the day may
	// have changed at any time of that day, so that a client must have asked after its end; a client with an entity tag
	// never depends on this.
	unchangedSince time.Time
	modifiedValue  []string
	policyValue    []string // Content-Security-Policy
}

// Build returns the site of a catalog. It renders nothing.
func Build(c *catalog.Catalog, o Options) (*Mirror, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	return build(c, o, kinds(c, o)), nil
}

// build returns the site of some kinds of documents. The options are complete.
func build(c *catalog.Catalog, o Options, kinds []*kind) *Mirror {
	m := &Mirror{
		cat:      c,
		options:  o,
		renderer: newRenderer(c, o, kinds),
		cache:    newCache(o.CacheSize, manifestTimeout),
		problems: problem.Writer{Base: c.Site().ProblemBase(), Log: o.Log},
		modified: c.Modified().Truncate(time.Second),
		byDay:    c.ModifiedByDay(),
	}
	m.unchangedSince = m.modified
	if m.byDay {
		m.unchangedSince = m.modified.AddDate(0, 0, 1)
	}
	m.policyValue = []string{contentSecurityPolicy(c.Site())}
	m.modifiedValue = []string{m.modified.Format(http.TimeFormat)}
	return m
}

// WithPayments returns the mirror of the same catalog while the paid interface is in another state.
func (m *Mirror) WithPayments(state catalog.Payments) *Mirror {
	if state == m.cat.Payments() {
		return m
	}
	c := m.cat.WithPayments(state)
	return build(c, m.options, kinds(c, m.options))
}

// Payments returns the state of payments that the files describe.
func (m *Mirror) Payments() catalog.Payments { return m.cat.Payments() }

// File returns the file at a path.
func (m *Mirror) File(path string) (*file.File, bool) {
	f, err := m.find(path)
	return f, err == nil
}

// find returns the file at a path, from the cache or rendered for it.
func (m *Mirror) find(path string) (*file.File, error) {
	k := cacheKey{path, file.Identity}
	if f := m.cache.lookup(k); f != nil {
		return f, nil
	}
	t, err := m.renderer.task(path)
	if err != nil {
		return nil, err
	}
	return m.cache.get(k, func() (*file.File, error) { return m.renderer.render(t) })
}

// encode returns a file in a coding, from the cache or compressed for it.
func (m *Mirror) encode(f *file.File, c file.Coding) (*file.File, error) {
	if c == file.Identity || len(f.Body) < file.MinCoded {
		return f, nil
	}
	return m.cache.get(cacheKey{f.Path, c}, func() (*file.File, error) { return f.Encode(c), nil })
}
