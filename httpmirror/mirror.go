// Package httpmirror renders a catalog as the files of the site, serves them and writes them to a folder.
//
// Every published address is a file whose bytes are a function of the catalog. kinds_*.go declares the kinds of
// document, kind.go the parts of a declaration. A file is rendered by renderer.render alone: when somebody asks for it
// (Mirror.ServeHTTP), for an export (Export), for a check (Check) and for its hash in the manifest.
//
// There is one cache, of the files that were asked for lately. Names are found in the index of the catalog.
package httpmirror

import (
	"bytes"
	"cmp"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/sync/singleflight"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/httpmirror/metadata"
	"go.almanac.example/index"
	"go.almanac.example/internal/problem"
)

// Options are everything that the files depend on besides the catalog.
type Options struct {
	Version   string       // of the program, as the OpenAPI document has it; "" means "dev"
	Contact   string       // URI for security reports (RFC 9116); "" publishes no security.txt
	Log       *slog.Logger // nil discards
	CacheSize int64        // in bytes; 0 means DefaultCacheSize
	Reports   bool         // pages have a form that posts reports of errors to the trust checklist
	// of the catalog; nil: the mirror makes one of names when somebody searches, and never closes it
	Index *index.Index
}

// complete returns the options with their defaults. It refuses values that cannot be published.
func (o Options) complete() (Options, error) {
	o.Version = cmp.Or(o.Version, "dev")
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.CacheSize = cmp.Or(o.CacheSize, DefaultCacheSize())
	return o, metadata.CheckContact(o.Contact)
}

// manifestTimeout is how long a request waits for a file. Only the manifest takes long, which Prepare renders before
// somebody asks.
var manifestTimeout = 15 * time.Second

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
	// strongDate is the date by which preconditions and If-Range may tell versions apart (RFC 9110, section 8.8.2.2): the
	// zero time, which lets none of them pass, if modified is a day, within which files may have changed again.
	strongDate time.Time
	// unchangedSince is the moment after which a client that has a file has it as it is. Files dated to the day may
	// have changed at any time of that day, so that a client must have asked after its end; a client with an entity tag
	// never depends on this.
	unchangedSince time.Time
	modifiedValue  []string // Last-Modified until then
	unchangedValue []string // and afterwards, so that a client that sends it back is spared the bytes
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
	}
	m.unchangedSince, m.strongDate = m.modified, m.modified
	if c.ModifiedByDay() {
		m.unchangedSince, m.strongDate = m.modified.AddDate(0, 0, 1), time.Time{}
	}
	m.policyValue = []string{contentSecurityPolicy(c.Site())}
	m.modifiedValue, m.unchangedValue = []string{m.modified.Format(http.TimeFormat)}, []string{m.unchangedSince.Format(http.TimeFormat)}
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

// File returns the file at a path, of a document that its kind lists.
func (m *Mirror) File(path string) (*file.File, bool) {
	t, err := m.renderer.task(path)
	if err != nil || !t.listed {
		return nil, false
	}
	f, err := m.render(t)
	return f, err == nil
}

// Prepare renders the files for which the first request would wait: the manifest, which takes seconds because it lists
// all others, llms-full.txt, and the resources that the tool server lists with their sizes.
func (m *Mirror) Prepare() {
	for _, r := range m.Resources() {
		if r.IDs == nil {
			m.Resource(r.URITemplate)
			m.Resource(r.URITemplate + ".md")
		}
	}
	m.File(catalog.LLMsFullPath)
	m.File(catalog.ManifestPath)
}

// find returns the file at a path. Documents that no list names, such as days without changes, are not cached, because
// every day has one.
func (m *Mirror) find(path string) (*file.File, error) {
	if f := m.cache.lookup(cacheKey{path, file.Identity}); f != nil {
		return f, nil
	}
	t, err := m.renderer.task(path)
	switch {
	case err != nil:
		return nil, err
	case !t.listed:
		return m.renderer.render(t)
	}
	return m.render(t)
}

// render returns the file of a listed document, from the cache or rendered for it.
func (m *Mirror) render(t task) (*file.File, error) {
	return m.cache.get(cacheKey{t.path, file.Identity}, func() (*file.File, error) { return m.renderer.render(t) })
}

// encode returns a file in a coding, from the cache or compressed for it.
func (m *Mirror) encode(f *file.File, c file.Coding) (*file.File, error) {
	if c == file.Identity || len(f.Body) < file.MinCoded {
		return f, nil
	}
	return m.cache.get(cacheKey{f.Path, c}, func() (*file.File, error) { return f.Encode(c), nil })
}

// A cache has the files of one site that were asked for lately, up to a number of bytes. It saves rendering a page
// (some 100 µs) and compressing it (up to 1 ms) for each request. It is safe for concurrent use.
type cache struct {
	limit     int64         // in bytes
	timeout   time.Duration // how long a request waits for a file that is being rendered
	rendering singleflight.Group

	mu    sync.Mutex
	files *simplelru.LRU[cacheKey, *file.File]
	size  int64 // in bytes
}

// A cacheKey names a file in one coding.
type cacheKey struct {
	path   string
	coding file.Coding
}

// DefaultCacheSize returns the size of a cache in bytes: a part of the memory limit of the process (GOMEMLIMIT).
func DefaultCacheSize() int64 {
	const share, most = 8, 256 << 20
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		return min(limit/share, most)
	}
	return most
}

func newCache(limit int64, timeout time.Duration) *cache {
	c := &cache{limit: limit, timeout: timeout}
	// the size is positive
	c.files, _ = simplelru.NewLRU(math.MaxInt, func(_ cacheKey, f *file.File) { c.size -= cost(f) })
	return c
}

// cost returns about how many bytes a file takes.
func cost(f *file.File) int64 {
	const overhead = 2 << 10
	return int64(len(f.Body)) + overhead
}

// lookup returns a file, or nil.
func (c *cache) lookup(k cacheKey) *file.File {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, _ := c.files.Get(k)
	return f
}

// get returns a file, which render makes if it is absent: once for all who ask at the same time. Errors are not stored.
// A file that takes longer to render than timeout is refused as overloaded, and is there later.
func (c *cache) get(k cacheKey, render func() (*file.File, error)) (*file.File, error) {
	if f := c.lookup(k); f != nil {
		return f, nil
	}
	rendered := c.rendering.DoChan(fmt.Sprint(k), func() (any, error) {
		if f := c.lookup(k); f != nil { // added since
			return f, nil
		}
		f, err := render()
		if err == nil {
			if cap(f.Body) > len(f.Body) {
				f.Body = bytes.Clone(f.Body) // without the spare capacity of a buffer
			}
			c.add(k, f)
		}
		return f, err
	})
	timer := time.NewTimer(c.timeout)
	defer timer.Stop()
	select {
	case r := <-rendered:
		return r.Val.(*file.File), r.Err
	case <-timer.C:
		return nil, &problem.Problem{Code: problem.Overloaded, RetryAfter: c.timeout,
			Detail: "This file is still being computed. Wait as long as Retry-After says, then try again."}
	}
}

// add stores an absent file and evicts others until all fit. A file that is larger than the cache is not stored.
func (c *cache) add(k cacheKey, f *file.File) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cost(f) > c.limit {
		return
	}
	c.files.Add(k, f)
	for c.size += cost(f); c.size > c.limit; {
		c.files.RemoveOldest()
	}
}
