package catalog

import (
	"cmp"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Load reads the curated files below the root of fsys and builds the catalog. It is strict, and
// reports everything that is wrong at once: the error is then of type Faults.
func Load(fsys fs.FS, o Options) (*Catalog, error) {
	if err := o.Site.Check(); err != nil {
		return nil, err
	}
	if o.Offer == (Offer{}) {
		o.Offer = DefaultOffer
	}
	r := newReader(fsys)
	c := &Catalog{opts: o}
	src := r.readAll()
	c.assemble(src)
	c.lint(&r.faults, src)
	if err := r.faults.err(); err != nil {
		return nil, err
	}
	return c, nil
}

// source is the curated data as it stands in the files, path by path.
type source struct {
	categories []categoryRecord
	tags       []tagRecord
	entries    []located[*Entry]
	protocols  []located[*Protocol]
	articles   []located[*Article]
	datasets   []located[*Dataset]
	bots       []located[*Bot]
	support    supportFile
	trust      trustFile
	links      *LinkReport
	broken     map[string]bool // files that could not be made out; what depends on them is not judged
}

// located is a record with the path of its file.
type located[T any] struct {
	path   string
	record T
}

// A categoryRecord is an item of categories.json; their order is the published one.
type categoryRecord struct {
	ID       string `json:"id"`
	Label    string `json:"label"`
	Featured bool   `json:"featured"`
}

// A tagRecord is an item of tags.json, the closed vocabulary.
type tagRecord struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

const (
	categoriesFile = "categories.json"
	tagsFile       = "tags.json"
	supportPath    = "support.json"
	trustPath      = "trust.json"
)

// reader reads files and remembers which it has read, so that what is left over is a fault.
type reader struct {
	fsys   fs.FS
	mu     sync.Mutex // of what follows
	faults faultList
	left   map[string]bool // files not read yet
	broken map[string]bool // files that could not be made out
}

func newReader(fsys fs.FS) *reader {
	r := &reader{fsys: fsys, left: make(map[string]bool), broken: make(map[string]bool)}
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			r.faults.add(p, "cannot be read: %v", err)
			return nil
		}
		switch {
		case p != "." && strings.HasPrefix(d.Name(), "."):
			// A curator's repository, an editor's copy, a file that is being written: no slip in a name.
			if d.IsDir() {
				return fs.SkipDir
			}
		case !d.IsDir() && !isAside(p):
			r.left[p] = true
		}
		return nil
	})
	if err != nil {
		r.faults.add(".", "cannot be walked: %v", err)
	}
	return r
}

// isAside tells the files that may lie beside the data: the manual and the Go file that embeds it.
func isAside(p string) bool {
	return p == "README.md" || (!strings.Contains(p, "/") && strings.HasSuffix(p, ".go"))
}

func (r *reader) readAll() *source {
	src := &source{broken: r.broken}
	src.categories, _ = readFile[[]categoryRecord](r, categoriesFile)
	src.tags, _ = readFile[[]tagRecord](r, tagsFile)
	src.support, _ = readFile[supportFile](r, supportPath)
	src.trust, _ = readFile[trustFile](r, trustPath)
	src.links = r.readLinkReport()
	src.entries = readRecords[Entry](r, "library/*/*.json")
	src.protocols = readRecords[Protocol](r, "protocols/*.json")
	src.bots = readRecords[Bot](r, "bots/*.json")
	src.articles = readRecords[Article](r, "articles/*/article.json")
	for _, a := range src.articles {
		a.record.Body = r.readText(path.Join(path.Dir(a.path), "article.md"))
	}
	src.datasets = readRecords[Dataset](r, "datasets/*/card.json")
	for _, d := range src.datasets {
		d.record.Readme = r.readText(path.Join(path.Dir(d.path), "README.md"))
	}
	for p := range r.left {
		r.faults.add(p, "is no file of the catalogue; remove it, or see README.md for where records go")
	}
	return src
}

// readRecords reads every file that matches pattern, each one record.
func readRecords[T any](r *reader, pattern string) []located[*T] {
	paths, err := fs.Glob(r.fsys, pattern)
	if err != nil {
		r.faults.add(pattern, "cannot be listed: %v", err)
	}
	slices.Sort(paths)
	list := make([]located[*T], len(paths))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(len(paths), runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(paths); i = int(next.Add(1)) - 1 {
				if v, ok := readFile[T](r, paths[i]); ok {
					list[i] = located[*T]{paths[i], &v}
				}
			}
		})
	}
	wg.Wait()
	return slices.DeleteFunc(list, func(l located[*T]) bool { return l.record == nil })
}

// readFile reads a file of one value. Several may be read at once.
func readFile[T any](r *reader, p string) (v T, ok bool) {
	faults := r.faults.fresh()
	data, err := fs.ReadFile(r.fsys, p)
	if err != nil {
		faults.add(p, "cannot be read: %v", err)
	} else {
		v, ok = decodeStrict[T](faults, p, data)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.left, p)
	r.broken[p] = !ok
	r.faults.join(faults)
	return v, ok
}

// readText reads a Markdown file.
func (r *reader) readText(p string) string {
	delete(r.left, p)
	data, err := fs.ReadFile(r.fsys, p)
	switch at := invalidUTF8(data); {
	case err != nil:
		r.faults.add(p, "cannot be read: %v", err)
	case at >= 0:
		r.faults.add(p, "line %d is not valid UTF-8; save the file as UTF-8", lineOf(data, at+1))
	case strings.Contains(string(data), "\r"):
		r.faults.add(p, "has carriage returns; save it with line feeds only")
	case !strings.HasSuffix(string(data), "\n"):
		r.faults.add(p, "does not end with a newline; add one")
	}
	return string(data)
}

// assemble orders the records and builds what is derived from them. It runs on faulty data
// too, whose faults lint then tells.
func (c *Catalog) assemble(src *source) {
	c.byID, c.byURL = make(map[string]*Entry), make(map[string]*Entry)
	c.lists, c.byTag = make(map[string][]*Entry), make(map[string][]*Entry)
	for _, e := range src.entries {
		c.lists[e.record.Category] = append(c.lists[e.record.Category], e.record)
		c.byID[e.record.ID], c.byURL[e.record.URL] = e.record, e.record
	}
	for _, k := range src.categories {
		sortEntries(c.lists[k.ID])
		c.entries = append(c.entries, c.lists[k.ID]...)
		if c.lists[k.ID] == nil {
			c.lists[k.ID] = []*Entry{}
		}
		c.categories = append(c.categories, c.category(k))
	}
	for _, e := range c.entries {
		for _, t := range e.Tags {
			c.byTag[t] = append(c.byTag[t], e)
		}
	}
	for _, t := range src.tags {
		if n := len(c.byTag[t.ID]); n > 0 {
			c.tags = append(c.tags, c.tag(t, n))
		}
	}
	for _, p := range src.protocols {
		c.protocols = append(c.protocols, p.record)
	}
	slices.SortFunc(c.protocols, func(a, b *Protocol) int {
		return slices.Index(ProtocolIDs, a.ID) - slices.Index(ProtocolIDs, b.ID)
	})
	c.support, c.trust, c.links = src.support, src.trust, src.links
	c.assembleTexts(src)
	c.buildChanges()
}

// assembleTexts also puts the addresses of this installation into the texts, so that what they tell
// readers to type works where it is read.
func (c *Catalog) assembleTexts(src *source) {
	fill := strings.NewReplacer("{base_url}", c.Site().Base, "{api_url}", c.Site().API, "{mcp_url}", c.Site().MCP)
	for _, a := range src.articles {
		a.record.Body = fill.Replace(a.record.Body)
		c.articles = append(c.articles, a.record)
	}
	slices.SortFunc(c.articles, func(a, b *Article) int {
		return cmp.Or(cmp.Compare(published(b.DatePublished), published(a.DatePublished)), cmp.Compare(a.ID, b.ID))
	})
	for _, b := range src.bots {
		c.bots = append(c.bots, b.record)
	}
	for _, d := range src.datasets {
		d.record.Readme = fill.Replace(d.record.Readme)
		c.datasets = append(c.datasets, d.record)
	}
}

func (c *Catalog) category(k categoryRecord) Category {
	s := c.Site()
	return Category{
		ID: k.ID, Label: k.Label, Featured: k.Featured, Count: len(c.lists[k.ID]),
		JSONURL: s.URL(CategoryJSONPath(k.ID)), MarkdownURL: s.URL(CategoryMarkdownPath(k.ID)), HTMLURL: s.URL(CategoryPath(k.ID)),
	}
}

func (c *Catalog) tag(t tagRecord, count int) Tag {
	s := c.Site()
	return Tag{
		ID: t.ID, Label: t.Label, Count: count,
		JSONURL: s.URL(TagJSONPath(t.ID)), MarkdownURL: s.URL(TagMarkdownPath(t.ID)), HTMLURL: s.URL(TagPath(t.ID)),
	}
}
