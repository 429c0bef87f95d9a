package httpmirror

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"go/format"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"text/template"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/export"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/httpmirror/metadata"
)

//go:embed packages.tmpl
var packageTexts string

var packageTemplates = template.Must(template.New("").Parse(packageTexts))

// packages are the packages of the data.
var packages = []struct {
	name  string // of the archive, with %s for the version
	root  string // the folder in it; "" is that of the name
	texts []string
}{
	{"almanac-data-%s.tar.gz", "", nil},
	{"almanac-data-npm-%s.tgz", "package", []string{"npm/package.json", "npm/index.js", "npm/index.d.ts"}},
	{"almanac-data-go-%s.tar.gz", "", []string{"go/go.mod", "go/data.go"}},
}

// packageData are the values in the texts of the packages.
type packageData struct {
	catalog.DataVersion
	Versions       []catalog.DataVersion // newest first
	Site           catalog.Site
	Identity       catalog.Identity
	License, Major string
	TypeScript, Go string
	Reads          []packagePath
}

// A packagePath is a template of the addresses of documents, with the type of the documents.
type packagePath struct{ Path, Type string }

// Packages writes the data of a catalog into a folder: as a plain archive, as an npm package and as a Go module, each
// with the JSON documents, their schemas and the files of the datasets. It returns the names of the files. Equal
// catalogs give equal bytes.
func Packages(c *catalog.Catalog, o Options, dir string) (names []string, err error) {
	r, err := rendererOf(c, o)
	if err != nil {
		return nil, err
	}
	data, err := r.packageData()
	if err != nil {
		return nil, err
	}
	var files []*file.File
	for _, t := range r.tasks((*form).packaged) {
		f, err := r.render(t)
		if err != nil {
			return nil, err
		}
		files = append(files, file.New("data"+f.Path, f.Type, f.Body))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	for _, p := range packages {
		var list []*file.File
		for _, name := range append([]string{"README.md"}, p.texts...) {
			var b bytes.Buffer
			if err := packageTemplates.ExecuteTemplate(&b, name, data); err != nil {
				return nil, err
			}
			body := b.Bytes()
			if strings.HasSuffix(name, ".go") {
				if body, err = format.Source(body); err != nil {
					return nil, fmt.Errorf("format %s: %w", name, err)
				}
			}
			list = append(list, file.New(filepath.Base(name), file.Text, body))
		}
		name := fmt.Sprintf(p.name, data.Version)
		root := p.root
		if root == "" {
			root = strings.TrimSuffix(name, ".tar.gz")
		}
		if err := writeArchive(filepath.Join(dir, name), root, c, append(list, files...)); err != nil {
			return nil, fmt.Errorf("write %s: %w", name, err)
		}
		names = append(names, name)
	}
	return names, nil
}

// unpackaged are the schemas of documents that are made from others, in formats of other publishers but for the
// finder's index.
var unpackaged = []string{"", "agent-skills", "ai-catalog", "croissant", "json-feed", "l402-manifest", "l402-services", "openapi", "search-index"}

// packaged reports whether the packages have the files of a form.
func (f *form) packaged() bool {
	return !slices.Contains(unpackaged, f.schema) ||
		slices.Contains([]string{file.Schema, "application/jsonl", "text/csv"}, file.BareType(f.mediaType))
}

// packageData returns the values in the texts of the packages.
func (r *renderer) packageData() (d packageData, err error) {
	if d.Versions = r.cat.DataVersions(); len(d.Versions) == 0 {
		return d, errors.New("the data has no history, from which its version is counted")
	}
	slices.Reverse(d.Versions)
	d.DataVersion, d.Site, d.Identity = d.Versions[0], r.cat.Site(), r.cat.Identity()
	d.License = strings.ReplaceAll(d.Identity.License.Name, " ", "-") // as SPDX has it
	d.Major, _, _ = strings.Cut(d.Version, ".")
	var schemas []string
	for _, k := range r.kinds {
		for _, f := range k.forms {
			if f.packaged() && f.schema != "" {
				d.Reads = append(d.Reads, packagePath{f.pathOf("${string}"), metadata.DocumentType(f.schema)})
				schemas = append(schemas, f.schema)
			}
		}
	}
	// Those that fit fewer addresses come first: "$" is less than the letters of an address.
	slices.SortFunc(d.Reads, func(a, b packagePath) int { return strings.Compare(b.Path, a.Path) })
	slices.Sort(schemas)
	schemas = slices.Compact(schemas)
	d.TypeScript, d.Go = metadata.Types(r.cat, schemas, metadata.TypeScript), metadata.Types(r.cat, schemas, metadata.Go)
	return d, nil
}

// writeArchive writes files below a folder in a tar archive.
func writeArchive(name, root string, c *catalog.Catalog, files []*file.File) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z, _ := gzip.NewWriterLevel(f, gzip.BestCompression) // the level is valid
	t := tar.NewWriter(z)
	for _, f := range files {
		h := tar.Header{Name: root + "/" + f.Path, Mode: 0o644, Size: int64(len(f.Body)), ModTime: c.Modified()}
		if err := t.WriteHeader(&h); err != nil {
			return err
		}
		if _, err := t.Write(f.Body); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}

// Export renders the site of a catalog into a folder, so that any static host can serve it: see export.Write. codings
// names the compressed forms to write beside each file.
func Export(ctx context.Context, c *catalog.Catalog, o Options, dir string, codings ...string) (export.Stats, error) {
	r, err := rendererOf(c, o)
	if err != nil {
		return export.Stats{}, err
	}
	render := func(use func(*file.File) error) error { return r.renderAll(runtime.GOMAXPROCS(0), use) }
	return export.Write(ctx, dir, c.Modified(), codings, render)
}

// Hosting returns a server of the exported folder of a site that answers as this program does, within the limits of a
// host of files: it chooses no form by Accept and names no other form in Link.
func Hosting(site catalog.Site, dir, host string) export.Hosting {
	h := make(http.Header)
	SetSecurityHeaders(h, site)
	h["Access-Control-Expose-Headers"] = exposedValue
	hosting := export.Hosting{Host: host, Dir: dir, Headers: h, Cache: cacheControl, Immutable: immutable}
	for _, k := range slices.Concat(contentKinds, siteKinds) {
		for _, f := range k.forms {
			if f.schema != "" {
				hosting.Schemas = append(hosting.Schemas, schemaRule(f))
			}
		}
	}
	slices.SortStableFunc(hosting.Schemas, func(a, b export.SchemaRule) int { return len(a.Pattern) - len(b.Pattern) })
	return hosting
}

// schemaRule returns the rule that gives the files of a form their Link. Rules of longer patterns are the more
// specific.
func schemaRule(f form) export.SchemaRule {
	before, variable, after := expression(f.path)
	pattern := "^" + regexp.QuoteMeta(before)
	if variable != "" {
		pattern += ".+" + regexp.QuoteMeta(after)
	}
	return export.SchemaRule{Pattern: pattern + "$", Link: file.SchemaLink(f.schemaPath())}
}
