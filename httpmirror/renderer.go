package httpmirror

import (
	"bytes"
	"fmt"
	"sync"

	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/httpmirror/html"
	"almanac/httpmirror/markdown"
	"almanac/httpmirror/metadata"
	"almanac/httpmirror/related"
	"almanac/wirejson"
)

// newRenderer returns a renderer of the documents of some kinds.
func newRenderer(c *catalog.Catalog, o Options, kinds []*kind) *renderer {
	absent := absentPaths(c, o)
	r := &renderer{
		cat:      c,
		kinds:    kinds,
		markdown: markdown.New(c, absent),
		metadata: metadata.New(c, metadata.Options{Version: o.Version, Contact: o.Contact}),
		entries:  &entryEncoder{cat: c},
		related:  sync.OnceValue(func() *related.Records { return related.New(c) }),
	}
	r.finder = sync.OnceValues(r.newFinder)
	var sections []html.Link
	for _, k := range kinds {
		if f, ok := k.form(file.HTML); ok && k.navigation != "" {
			sections = append(sections, html.Link{Label: k.navigation, Path: f.path})
		}
	}
	r.html = html.New(c, html.Options{Sections: sections, Absent: absent})
	return r
}

// absentPaths returns the paths of the site that this installation does not publish.
func absentPaths(c *catalog.Catalog, o Options) []string {
	var paths []string
	if c.Payments() == catalog.PaymentsOff {
		paths = append(paths, catalog.L402Path, catalog.L402JSONPath)
	}
	if o.Contact == "" {
		paths = append(paths, catalog.SecurityPath)
	}
	return paths
}

// release frees what the renderer keeps between files. It can still be used.
func (r *renderer) release() {
	r.entries.release()
	r.markdown.Release()
	r.html.Release()
	r.days.Clear()
	c := r.cat
	r.related = sync.OnceValue(func() *related.Records { return related.New(c) })
}

// A task is a document in one form that is to be rendered.
type task struct {
	kind *kind
	form *form
	id   string
}

// run renders every file into a sink: the manifest last, because it lists the others.
func (r *renderer) run(sink *file.Sink) error {
	for p := range passes {
		tasks := r.tasks(func(f *form) bool { return f.pass == p })
		if err := file.Parallel(len(tasks), func(i int) error { return r.add(sink, tasks[i]) }); err != nil {
			return err
		}
		if p == passJSON {
			r.entries.release()
		}
		if p == passMarkdown {
			r.markdown.Release()
		}
	}
	r.release()
	return r.manifest(sink)
}

// tasks returns every document in the forms that include accepts.
func (r *renderer) tasks(include func(*form) bool) []task {
	var tasks []task
	for _, k := range r.kinds {
		for i := range k.forms {
			if !include(&k.forms[i]) {
				continue
			}
			for _, id := range k.list(r.cat) {
				tasks = append(tasks, task{k, &k.forms[i], id})
			}
		}
	}
	return tasks
}

var writers = sync.Pool{New: func() any { return new(markdown.Writer) }}

// add renders a file into a sink.
func (r *renderer) add(sink *file.Sink, t task) error {
	w := writers.Get().(*markdown.Writer)
	defer writers.Put(w)
	w.Reset()
	alternates, err := t.kind.write(r, w, t.form, t.id)
	if err != nil {
		return err
	}
	return sink.Add(t.form.at(t.id), t.form.mediaType, w.Bytes(), alternates...)
}

// file renders one file for keeping.
func (r *renderer) file(t task) (*file.File, error) {
	var w markdown.Writer
	alternates, err := t.kind.write(r, &w, t.form, t.id)
	if err != nil {
		return nil, err
	}
	f := file.New(t.form.at(t.id), t.form.mediaType, bytes.Clone(w.Bytes()), alternates...)
	f.Prepare()
	return f, nil
}

// manifest adds the list of the files in a sink.
func (r *renderer) manifest(sink *file.Sink) error {
	body, err := r.manifestOf(sink.Listings())
	if err != nil {
		return err
	}
	return sink.Add(catalog.ManifestPath, file.JSON, body)
}

func (r *renderer) manifestOf(list []file.Listing) ([]byte, error) {
	body, err := wirejson.Indent(&file.Manifest{
		SchemaVersion: catalog.SchemaVersion, GeneratedAt: r.cat.GeneratedAt(), Count: len(list), Files: list,
	})
	if err != nil {
		return nil, fmt.Errorf("render the manifest: %w", err)
	}
	return body, nil
}
