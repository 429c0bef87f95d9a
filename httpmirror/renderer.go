package httpmirror

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/httpmirror/html"
	"go.almanac.example/httpmirror/markdown"
	"go.almanac.example/httpmirror/metadata"
	"go.almanac.example/index"
	"go.almanac.example/internal/problem"
	"go.almanac.example/internal/wirejson"
)

// A renderer renders the files of a catalog. It is safe for concurrent use.
type renderer struct {
	cat      *catalog.Catalog
	kinds    []*kind
	html     *html.Pages
	markdown *markdown.Renderer
	metadata *metadata.Renderer
	names    func() (*index.Index, error) // in which records are found by their names
}

// newRenderer returns a renderer of the documents of some kinds.
func newRenderer(c *catalog.Catalog, o Options, kinds []*kind) *renderer {
	absent := absentPaths(c, o)
	r := &renderer{cat: c, kinds: kinds, markdown: markdown.New(c, absent)}
	r.metadata = metadata.New(c, o.Version, o.Contact)
	var mu sync.Mutex
	names := o.Index
	r.names = func() (_ *index.Index, err error) {
		mu.Lock()
		defer mu.Unlock()
		if names == nil { // a failure is not retained
			names, err = index.New(c, index.Options{})
		}
		return names, err
	}
	var sections []html.Link
	for _, k := range kinds {
		if f, ok := k.form(file.HTML); ok && k.navigation != "" && k.isOffered(c) {
			sections = append(sections, html.Link{Label: k.navigation, Path: f.path})
		}
	}
	r.html = html.New(c, sections, absent, o.Reports)
	return r
}

// rendererOf returns a renderer of all documents of an installation.
func rendererOf(c *catalog.Catalog, o Options) (*renderer, error) {
	o, err := o.complete()
	return newRenderer(c, o, kinds(c, o)), err
}

// absentPaths returns the paths of the site that this installation does not publish.
func absentPaths(c *catalog.Catalog, o Options) (paths []string) {
	for _, k := range slices.Concat(contentKinds, siteKinds) {
		for _, f := range k.forms {
			if !k.isPublished(c, o) {
				paths = append(paths, f.path)
			}
		}
	}
	return paths
}

// A task is a document in one form that is to be rendered.
type task struct {
	kind   *kind
	form   *form
	id     string
	path   string
	listed bool // by its kind
}

// task returns the document at a path. It may be one that its kind does not list, such as a day without changes.
func (r *renderer) task(path string) (task, error) {
	var unlisted task
	for _, k := range r.kinds {
		for i := range k.forms {
			id, ok := match(k.forms[i].path, path)
			switch t := (task{k, &k.forms[i], id, path, ok && k.publishes(r.cat, id)}); {
			case !ok:
			case t.listed:
				return t, nil
			case k.unlisted != nil:
				unlisted = t
			}
		}
	}
	if unlisted.kind != nil {
		return unlisted, unlisted.kind.unlisted(unlisted.id)
	}
	if w, ok := r.cat.WithdrawnAt(path); ok {
		return task{}, problem.Errorf(problem.Withdrawn, "%s", r.cat.WithdrawalText(w))
	}
	return task{}, problem.Errorf(problem.NotFound, "Nothing is published at this address. %s lists every file; MCP is at %s.",
		r.cat.Site().URL(catalog.ManifestPath), r.cat.Site().MCPURL())
}

// tasks returns every document in every form, sorted by path, in the forms that include accepts.
func (r *renderer) tasks(include func(*form) bool) []task {
	var list []task
	for _, k := range r.kinds {
		ids := k.list(r.cat)
		for i := range k.forms {
			if include(&k.forms[i]) {
				for _, id := range ids {
					list = append(list, task{k, &k.forms[i], id, k.forms[i].pathOf(id), true})
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b task) int { return strings.Compare(a.path, b.path) })
	return list
}

// render renders a file. A panic of the code that renders it becomes an error, with its stack.
func (r *renderer) render(t task) (f *file.File, err error) {
	defer func() {
		if v := recover(); v != nil {
			f, err = nil, fmt.Errorf("render %s: panic: %v\n%s", t.path, v, debug.Stack())
		}
	}()
	var body []byte
	var alternates []file.Alternate
	if t.form.page == nil {
		body, err = t.form.render(r, t.id)
	} else {
		alternates = t.kind.alternates(r.cat, t.id)
		body, err = r.renderPage(t, alternates)
	}
	if err != nil {
		return nil, fmt.Errorf("render %s: %w", t.path, err)
	}
	f = file.New(t.path, t.form.mediaType, body)
	return f.Linked(catalog.Root(r.cat.Site().Base), alternates, t.form.schemaPath(), t.kind.link), nil
}

// page returns the page of a document. One without a title or a description of its own has those of its kind.
func (r *renderer) page(t task) html.Page {
	pg := t.form.page(r, t.id)
	pg.Title, pg.Description = cmp.Or(pg.Title, t.kind.title), cmp.Or(pg.Description, t.kind.description)
	return pg
}

// renderPage renders a page with its other forms.
func (r *renderer) renderPage(t task, alternates []file.Alternate) ([]byte, error) {
	k, pg := t.kind, r.page(t)
	pg.Path, pg.Alternates, pg.Picture = t.path, alternates, catalog.PicturePath("home")
	switch {
	case k.picture:
		pg.Picture = catalog.PicturePath(pictureID(pg.Path))
	case k.pictured != nil:
		pg.Picture = catalog.PicturePath(pictureID(k.pictured(r.cat, t.id)))
	}
	pg.Day = k.day(r.cat, t.id)
	if k.record != "" {
		record := expand(k.record, t.id)
		if r.cat.HasHistory(record) {
			pg.History = catalog.RecordHistoryPath(record)
		}
		if _, ok := r.cat.Evidence(record); ok {
			pg.Evidence = catalog.EvidencePath(record)
		}
	}
	return r.html.Render(pg)
}

// renderAll renders every file, from a number of goroutines, and calls use with each. The manifest comes last, because
// it lists the others.
func (r *renderer) renderAll(workers int, use func(*file.File) error) error {
	return r.renderTasks(r.tasks(func(f *form) bool { return f.path != catalog.ManifestPath }), workers, use)
}

func (r *renderer) renderTasks(tasks []task, workers int, use func(*file.File) error) error {
	listings := make([]file.Listing, len(tasks))
	var g errgroup.Group
	g.SetLimit(workers)
	for i, t := range tasks {
		if i > 0 && t.path == tasks[i-1].path {
			return fmt.Errorf("two files have the path %s", t.path)
		}
		g.Go(func() error {
			f, err := r.render(t)
			if err != nil {
				return err
			}
			listings[i] = f.Listing()
			return use(f)
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	doc := file.Manifest{SchemaVersion: catalog.SchemaVersion, GeneratedAt: r.cat.GeneratedAt(), Count: len(listings),
		Files: listings}
	body, err := wirejson.Indent(doc)
	if err != nil {
		return fmt.Errorf("render %s: %w", catalog.ManifestPath, err)
	}
	return use(file.New(catalog.ManifestPath, file.JSON, body))
}

// manifest returns the manifest. It renders every file on one processor, so that requests have the others.
func (r *renderer) manifest(string) (body []byte, err error) {
	err = r.renderAll(1, func(f *file.File) error {
		if f.Path == catalog.ManifestPath {
			body = f.Body
		}
		return nil
	})
	return body, err
}

// Check renders the files of the site of a catalog and returns the first that cannot be rendered. It leaves out the social
// pictures and the index of the free search, which show titles and texts of pages that it renders, and take a third of
// the time.
func Check(c *catalog.Catalog, o Options) error {
	r, err := rendererOf(c, o)
	if err != nil {
		return err
	}
	return r.check()
}

func (r *renderer) check() error {
	tasks := r.tasks(func(f *form) bool {
		return f.mediaType != file.PNG && f.path != catalog.FindJSONPath && f.path != catalog.ManifestPath
	})
	return r.renderTasks(tasks, runtime.GOMAXPROCS(0), func(*file.File) error { return nil })
}
