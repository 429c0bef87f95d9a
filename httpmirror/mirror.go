// Package httpmirror renders a catalog as the files of the site.
//
// The one idea: every published address is a file whose bytes are a pure function of the catalog.
// The same render serves from memory (Build, Mirror.ServeHTTP) and writes to disk (Export), so
// what a static host serves and what this program serves are the same bytes.
package httpmirror

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
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

// A File is one published address with its bytes. It does not change once it is built.
type File struct {
	Path       string // of the address; one that ends in a slash is a page
	Type       string // media type
	Body       []byte
	Alternates []Alternate // the same content in other forms
	Sum        [sha256.Size]byte

	served served // what serving it needs
}

// An Alternate is another form of the content of a file: a page's twin in JSON or Markdown.
type Alternate struct {
	Type string // media type without parameters
	Path string
}

func sumOf(body []byte) [sha256.Size]byte { return sha256.Sum256(body) }

// SHA256 gives the hash of the file's bytes in hexadecimal.
func (f *File) SHA256() string { return hex.EncodeToString(f.Sum[:]) }

// ETag gives the strong validator of the file's bytes.
func (f *File) ETag() string { return `"` + f.tag() + `"` }

// tag is enough of the hash that two versions of a file never share it.
func (f *File) tag() string { return base64.RawURLEncoding.EncodeToString(f.Sum[:15]) }

// A Mirror is every file of a site, ready to serve. It is immutable: share it freely.
type Mirror struct {
	files         map[string]*File
	paths         []string // sorted
	modified      time.Time
	modifiedValue []string
	cat           *catalog.Catalog
	dayPage       func(*catalog.ChangeList) ([]byte, error)
	problems      catalog.ProblemWriter
}

var _ http.Handler = (*Mirror)(nil)

// Build renders every file of the catalog's site.
func Build(c *catalog.Catalog, o Options) (*Mirror, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	m := &Mirror{
		files:    make(map[string]*File),
		modified: c.Options().GeneratedAt.UTC().Truncate(time.Second),
		cat:      c,
		problems: catalog.ProblemWriter{Site: c.Site(), Log: o.Log},
	}
	m.modifiedValue = []string{m.modified.Format(http.TimeFormat)}
	var mu sync.Mutex
	b := newBuilder(c, o, func(f *File) error {
		f.Body = bytes.Clone(f.Body)
		f.prepare()
		mu.Lock()
		defer mu.Unlock()
		m.files[f.Path] = f
		return nil
	})
	if err := b.run(); err != nil {
		return nil, fmt.Errorf("render the mirror: %w", err)
	}
	m.dayPage = b.dayPage
	m.paths = slices.Sorted(maps.Keys(m.files))
	return m, nil
}

// Files gives every file, sorted by path.
func (m *Mirror) Files() iter.Seq[*File] {
	return func(yield func(*File) bool) {
		for _, p := range m.paths {
			if !yield(m.files[p]) {
				return
			}
		}
	}
}

// File finds a file by its path.
func (m *Mirror) File(path string) (*File, bool) { f, ok := m.files[path]; return f, ok }

// isPage tells a path that a static host keeps as a folder with an index.html.
func isPage(path string) bool { return strings.HasSuffix(path, "/") }
