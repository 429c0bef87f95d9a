// Package httpmirror renders a catalog as the files of the site, serves them and writes them to a folder.
//
// Every published address is a file whose bytes are a function of the catalog. The same renderer serves (Build,
// Mirror.ServeHTTP) and writes to disk (Export), so what a static host serves and what this program serves are
// the same bytes. What kinds of documents there are is declared in kinds_*.go; kind.go says what a declaration has.
package httpmirror

import (
	"strings"
	"time"

	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/problem"
)

// A Mirror is every file of a site. It never changes: use it from any number of goroutines.
//
// Files are rendered when they are first asked for, and kept while there is room. Which are kept makes no difference to the answers.
type Mirror struct {
	rendered *rendered
	modified time.Time
	byDay    bool // modified is the beginning of a day, within which files may have changed again
	// unchangedSince is the moment after which a client that has a file has it as it is. What is dated to the day may have changed at
	// any time of that day, so that a client must have asked after its end; a client with an entity tag never depends on this.
	unchangedSince time.Time
	modifiedValue  []string
	policyValue    []string // Content-Security-Policy
	cat            *catalog.Catalog
	options        Options
	renderer       *renderer
	problems       problem.Writer
}

// Close ends what the mirror does in the background, and frees what it keeps. A mirror that is closed still answers.
func (m *Mirror) Close() { m.rendered.close() }

// File returns the file at a path.
func (m *Mirror) File(path string) (*file.File, bool) {
	f, err := m.listed(path)
	return f, err == nil && f != nil
}

// listed returns the file at a path, or nil.
func (m *Mirror) listed(path string) (*file.File, error) {
	if f := m.rendered.same.Kept(path); f != nil {
		return f, nil
	}
	t, ok := m.renderer.task(path)
	if !ok {
		return nil, nil
	}
	return m.rendered.in(t.form, m.cat.Payments()).Get(path, func() (*file.File, error) {
		if t.form.pass == passManifest {
			return m.rendered.manifest(m.renderer)
		}
		return m.renderer.file(t)
	})
}

// find returns the file at a path. A document of an id that its kind does not list is rendered for the answer.
func (m *Mirror) find(path string) (*file.File, error) {
	if f, err := m.listed(path); f != nil || err != nil {
		return f, err
	}
	for _, k := range m.renderer.kinds {
		if k.unlisted == nil {
			continue
		}
		for i := range k.forms {
			id, ok := match(k.forms[i].path, path)
			if !ok || strings.Contains(id, "/") {
				continue
			}
			if err := k.unlisted(id); err != nil {
				return nil, err
			}
			return m.renderer.file(task{k, &k.forms[i], id})
		}
	}
	return nil, problem.Errorf(problem.NotFound, "Nothing is published at this address. %s lists every file.", m.cat.Site().URL(catalog.ManifestPath))
}
