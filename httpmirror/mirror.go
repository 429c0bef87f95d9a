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
	"sync"
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

// WithPayments returns the mirror of the same catalog while the paid interface is in another state. The two share every
// file whose bytes do not depend on the state: when a node stops answering, or answers again, only support.json, which
// offers the paid interface while it can sell, and the manifest are rendered again. An installation that begins or
// ceases to sell at all has other files, and shares none.
func (m *Mirror) WithPayments(state catalog.Payments) *Mirror {
	if state == m.cat.Payments() {
		return m
	}
	c := m.cat.WithPayments(state)
	if state == catalog.PaymentsOff || m.cat.Payments() == catalog.PaymentsOff {
		return build(c, m.options, kinds(c, m.options))
	}
	next := *m
	next.cat, next.renderer = c, newRenderer(c, m.options, m.renderer.kinds)
	next.renderer.names = m.renderer.names // records have the same names
	return &next
}

// Payments returns the state of payments that the files describe.
func (m *Mirror) Payments() catalog.Payments { return m.cat.Payments() }

// File returns the file at a path.
func (m *Mirror) File(path string) (*file.File, bool) {
	f, err := m.listed(path)
	return f, err == nil && f != nil
}

// listed returns the file at a path, or nil.
func (m *Mirror) listed(path string) (*file.File, error) {
	if f := m.cache.lookup(cacheKey{path: path, coding: file.Identity}); f != nil {
		return f, nil
	}
	t, ok := m.renderer.task(path)
	if !ok {
		return nil, nil
	}
	return m.render(t)
}

// find returns the file at a path. It may be of a document that its kind does not list, such as a day without changes,
// which is not cached: there are as many as days.
func (m *Mirror) find(path string) (*file.File, error) {
	if f, err := m.listed(path); f != nil || err != nil {
		return f, err
	}
	t, err := m.renderer.unlistedTask(path)
	if err != nil {
		return nil, err
	}
	return m.renderer.render(t)
}

// render returns the file of a document, from the cache or rendered for it.
func (m *Mirror) render(t task) (*file.File, error) {
	k := cacheKey{path: t.path, coding: file.Identity}
	if t.form.live {
		k.payments = m.cat.Payments()
	}
	return m.cache.get(k, func() (*file.File, error) { return m.renderer.render(t) })
}

// encode returns a file in a coding, from the cache or compressed for it.
func (m *Mirror) encode(f *file.File, c file.Coding) *file.File {
	if c == file.Identity || len(f.Body) < file.MinCoded {
		return f
	}
	k := cacheKey{path: f.Path, coding: c, sum: f.Sum}
	coded := m.cache.lookup(k)
	if coded == nil {
		coded = f.Encode(c)
		m.cache.add(k, coded)
	}
	return coded
}

// names returns the index in which records are found by their names. Without Options.Index it is built when it is first
// asked for.
func (m *Mirror) names() (*index.Index, error) { return m.renderer.names.get() }

// A retained value is made when it is first asked for. A failure is not retained.
type retained[T any] struct {
	make func() (*T, error)

	mu    sync.Mutex
	value *T
}

func (r *retained[T]) get() (*T, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.value != nil {
		return r.value, nil
	}
	v, err := r.make()
	if err == nil {
		r.value = v
	}
	return v, err
}
