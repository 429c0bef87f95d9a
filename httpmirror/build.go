package httpmirror

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"almanac/catalog"
)

// A builder renders the files of a catalog and hands each to put. It keeps no bodies, so that an
// export of any size holds only the files it is writing. Bodies share memory: put copies what it
// keeps.
type builder struct {
	cat  *catalog.Catalog
	site catalog.Site
	o    Options

	put    func(*File) error // called by several goroutines
	mu     sync.Mutex
	listed map[string]listing

	sections map[*catalog.Entry][]byte // each entry in Markdown, while there is need of it

	// dayPage renders the page of a day of the change feed. It is set by the page kind and
	// serves days without changes, which are no files.
	dayPage func(*catalog.ChangeList) ([]byte, error)
}

// A listing is what the manifest tells of a file.
type listing struct {
	Path      string `json:"path"`
	Bytes     int    `json:"bytes"`
	SHA256    string `json:"sha256"`
	MediaType string `json:"media_type"`
}

func newBuilder(c *catalog.Catalog, o Options, put func(*File) error) *builder {
	return &builder{cat: c, site: c.Site(), o: o, put: put, listed: make(map[string]listing)}
}

// run renders every kind of file. What lists the others comes last.
func (b *builder) run() error {
	for _, kind := range []struct {
		name   string
		render func() error
	}{
		{"JSON documents", b.jsonFiles},
		{"Markdown files", b.markdownFiles},
		{"pages", b.htmlFiles},
		{"datasets", b.datasetFiles},
		{"feeds", b.feeds},
		{"discovery", b.discovery},
		{"DCAT catalogue", b.dcatCatalog},
		{"OpenAPI", b.openapi},
		{"sitemap", b.sitemap},
		{"manifest", b.manifest},
	} {
		if err := kind.render(); err != nil {
			return fmt.Errorf("%s: %w", kind.name, err)
		}
	}
	return nil
}

// add hands a file on. It may be called from several goroutines.
func (b *builder) add(path, mediaType string, body []byte, alternates ...Alternate) error {
	f := &File{Path: path, Type: mediaType, Body: body, Alternates: alternates, Sum: sumOf(body)}
	b.mu.Lock()
	_, twice := b.listed[path]
	b.listed[path] = listing{path, len(body), f.SHA256(), mediaType}
	b.mu.Unlock()
	if twice {
		return fmt.Errorf("two files have the path %s", path)
	}
	return b.put(f)
}

// parallel runs render for 0 … n-1 on every processor.
func parallel(n int, render func(i int) error) error {
	var g errgroup.Group
	var next atomic.Int64
	for range min(n, runtime.GOMAXPROCS(0)) {
		g.Go(func() error {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if err := render(i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// files gives what was added so far, sorted by path.
func (b *builder) files() []listing {
	list := make([]listing, 0, len(b.listed))
	for _, l := range b.listed {
		list = append(list, l)
	}
	slices.SortFunc(list, func(x, y listing) int { return cmp.Compare(x.Path, y.Path) })
	return list
}
