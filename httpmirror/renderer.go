package httpmirror

import (
	"bytes"
	"fmt"
	"iter"
	"runtime"
	"sync"

	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/httpmirror/html"
	"almanac/httpmirror/markdown"
	"almanac/httpmirror/metadata"
	"almanac/httpmirror/related"
)

// newRenderer returns a renderer of the documents of some kinds. Of what several documents show it keeps at most about keep bytes.
func newRenderer(c *catalog.Catalog, o Options, kinds []*kind, keep int64) *renderer {
	absent := absentPaths(c, o)
	r := &renderer{cat: c, kinds: kinds}
	for i := range r.memos {
		r.memos[i] = file.NewMemo(keep / int64(len(r.memos)))
	}
	r.entries = newEntryEncoder(c, r.memos[passJSON])
	r.markdown = markdown.New(c, absent, r.memos[passMarkdown])
	r.metadata = metadata.New(c, metadata.Options{Version: o.Version, Contact: o.Contact})
	r.related = related.New(c)
	r.finder = sync.OnceValues(r.newFinder)
	var sections []html.Link
	for _, k := range kinds {
		if f, ok := k.form(file.HTML); ok && k.navigation != "" && k.isOffered(c) {
			sections = append(sections, html.Link{Label: k.navigation, Path: f.path})
		}
	}
	r.html = html.New(c, html.Options{Sections: sections, Absent: absent}, r.memos[passPages])
	return r
}

// absentPaths returns the paths of the site that this installation does not publish.
func absentPaths(c *catalog.Catalog, o Options) (paths []string) {
	for _, k := range siteKinds {
		if k.only != nil && !k.only(c, o) {
			paths = append(paths, k.forms[0].path)
		}
	}
	return paths
}

// run renders every file of a plan and hands it to put with its number, from several goroutines; bodies in memory share it, so that put
// copies what it keeps. The manifest comes last, because it lists the others.
func (r *renderer) run(p *plan, put func(n int, f *file.File) error) error {
	digests := make([]file.Digest, p.len)
	err := r.files(p, runtime.GOMAXPROCS(0), func(n int, f *file.File) error {
		digests[n] = f.Digest()
		return put(n, f)
	})
	if err != nil {
		return err
	}
	return r.withManifest(p, digests, func(f *file.File) error { return put(p.len, f) })
}

// files renders every file of a plan but the manifest, as run does.
func (r *renderer) files(p *plan, workers int, put func(n int, f *file.File) error) error {
	for of := range passes {
		first, end := p.pass(of)
		err := file.Parallel(workers, end-first, func(i int) error {
			return r.with(p.task(first+i), func(f *file.File) error { return put(first+i, f) })
		})
		r.memos[of].Clear()
		if err != nil {
			return err
		}
	}
	r.days.Clear()
	return nil
}

var writers = sync.Pool{New: func() any { return new(markdown.Writer) }}

// with renders a file and calls use with it. The file's body shares memory with others: use copies what it keeps.
func (r *renderer) with(t task, use func(*file.File) error) error {
	w := writers.Get().(*markdown.Writer)
	defer writers.Put(w)
	w.Reset()
	alternates, err := t.kind.write(r, w, t.form, t.id)
	if err != nil {
		return err
	}
	f, err := w.File(t.path(), t.form.mediaType, alternates...)
	if err != nil {
		return err
	}
	return use(f)
}

// file renders one file for keeping.
func (r *renderer) file(t task) (kept *file.File, err error) {
	err = r.with(t, func(f *file.File) error {
		kept = forKeeping(f)
		return nil
	})
	return kept, err
}

// forKeeping returns a file that was just rendered, with memory of its own and ready to be served.
func forKeeping(f *file.File) *file.File {
	f.Body = bytes.Clone(f.Body)
	f.Prepare()
	return f
}

// withManifest renders the list of the files of a plan and calls use with it, as with does.
func (r *renderer) withManifest(p *plan, digests []file.Digest, use func(*file.File) error) error {
	w := writers.Get().(*markdown.Writer)
	defer writers.Put(w)
	w.Reset()
	next, stop := iter.Pull2(p.sorted())
	defer stop()
	before := ""
	doc := &file.Manifest{SchemaVersion: catalog.SchemaVersion, GeneratedAt: r.cat.GeneratedAt(), Count: p.len, Files: []file.Listing{}}
	err := writeList(w, doc, p.len, func(int) ([]byte, error) {
		n, path, _ := next()
		if path == before {
			return nil, fmt.Errorf("two files have the path %s", path)
		}
		before = path
		return encodeElement(digests[n].Listing(path, p.task(n).form.mediaType))
	})
	if err != nil {
		return fmt.Errorf("render the manifest: %w", err)
	}
	f, err := w.File(catalog.ManifestPath, file.JSON)
	if err != nil {
		return err
	}
	return use(f)
}
