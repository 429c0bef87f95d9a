package tools

import (
	"fmt"
	"net/url"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/index"
)

// A record is a published document in Markdown, as fetch returns it.
type record struct {
	id, kind string
	address  string // of the page, or of the source of a library entry
	resource string // URI; "" when the document is not a resource
	body     string
	section  string // of a page of the site that is a part of a document, if it is there; "" for the whole
}

// The kinds of records that are read from the catalogue.
const (
	kindEntry    = "entry"
	kindProtocol = "protocol"
)

// bareKinds are the kinds of records that may be named without their kind, when no entry has the name, in the order in
// which they are looked at.
var bareKinds = []string{"protocol", "article", "dataset", "category", "tag"}

// locate finds a record by any of its names: an id as lists, searches and the change feed have them (mcp-go-sdk,
// protocol:x402, article:…, dataset:…, a day, trust), the URI of a resource, or a published address.
//
// The record has the id that lists use, however it was asked for.
func (r *resources) locate(id string) (record, error) {
	if !strings.Contains(id, "://") {
		id = strings.ToLower(id)
	}
	id = r.Canonical(strings.Trim(id, " \"'`<>"))
	if path, ok := strings.CutPrefix(id, r.catalog.Site().URL("/")); ok {
		if _, ok := r.documents.File("/" + path + "/"); ok { // a page without its slash
			path += "/"
		}
		return r.byPath(id, "/"+path)
	}
	if e := r.entryAt(id); e != nil { // as search and the lists have it
		return r.locate(e.ID)
	}
	if len(id) > maxName {
		return record{}, inputError("id is too long: ids have at most 160 characters.")
	}
	if strings.Contains(id, "://") {
		return r.byURI(id, strings.TrimSuffix(id, ".md"))
	}
	kind, name, ok := strings.Cut(id, ":")
	if !ok {
		kind, name = "entry", id
	}
	if _, err := catalog.ParseDate(name); err == nil && !ok {
		kind = "changes"
	}
	if kind == "library" { // as the change feed has it
		kind = "entry"
	}
	for _, f := range r.families {
		switch {
		case f.member != "" && f.Name == kind:
			if r.has(f.prefix + name) {
				return r.byURI(id, f.prefix+name)
			}
		case f.member == "" && !ok && (f.URITemplate == "library://"+id || f.Name == id):
			return r.byURI(id, f.URITemplate)
		}
	}
	if t := r.catalog.Record(id); ok && t.HTMLURL != "" { // as the history has it
		rec, err := r.locate(t.HTMLURL)
		rec.id = id
		return rec, err
	}
	if kind == "entry" && !ok {
		for _, other := range bareKinds {
			if r.has("library://"+other+"/"+name) || other == "dataset" && r.has("dataset://card/"+name) {
				return r.locate(other + ":" + name)
			}
		}
	}
	if path := index.PagePath(r.catalog, id); path != "" {
		rec, err := r.byPath(id, path)
		_, rec.section, _ = strings.Cut(path, "#")
		return rec, err
	}
	return record{}, r.notFoundError(id)
}

// Canonical returns an address as this library writes it: without needless escapes, slashes and capitals.
func (r *resources) Canonical(id string) string {
	base := r.catalog.Site().Base
	site, siteErr := url.Parse(base)
	if strings.HasPrefix(id, "/") {
		return r.catalog.Site().URL(id)
	}
	u, err := url.Parse(id)
	switch {
	case err != nil || siteErr != nil || u.Host == "" || u.RawQuery+u.Fragment != "":
		return id
	case strings.EqualFold(u.Host, site.Host):
		return site.Scheme + "://" + site.Host + u.Path
	case !strings.HasPrefix(u.Scheme, "http"):
		return u.Scheme + "://" + strings.ToLower(u.Host) + strings.TrimSuffix(u.Path, "/")
	}
	return id
}

// entryAt returns the entry whose source has an address, or nil.
func (r *resources) entryAt(address string) *catalog.Entry {
	_, plain, ok := strings.Cut(strings.TrimSuffix(address, "/"), "://")
	for _, e := range r.catalog.Entries() {
		if _, url, _ := strings.Cut(strings.TrimSuffix(e.URL, "/"), "://"); ok && url == plain {
			return e
		}
	}
	return nil
}

func (r *resources) has(uri string) bool { _, ok := r.Read(uri); return ok }

// byURI returns the Markdown form of a resource.
func (r *resources) byURI(id, uri string) (record, error) {
	c, ok := r.Read(uri + ".md")
	if !ok {
		return record{}, r.notFoundError(id)
	}
	doc, _ := r.documents.Resource(uri + ".md")
	rec := record{id: id, resource: c.URI, body: c.Text, address: r.catalog.Site().URL(doc.Path)}
	for _, f := range r.families {
		name, ok := strings.CutPrefix(uri, f.prefix)
		if !ok || (name == "") != (f.member == "") {
			continue
		}
		rec.kind = f.Name
		switch e, isEntry := r.catalog.Entry(name); {
		case f.member == "":
			rec.id = strings.TrimPrefix(uri, "library://")
			if strings.Contains(rec.id, "://") {
				rec.id = f.Name
			}
		case f.Name == kindEntry && isEntry:
			rec.id, rec.address = name, e.URL
		case f.Name == "changes":
			rec.id = name
		default:
			rec.id = f.Name + ":" + name
		}
	}
	return rec, nil
}

// byPath returns the Markdown form of the document at a path of this site.
func (r *resources) byPath(id, path string) (record, error) {
	path, _, _ = strings.Cut(path, "#")
	if w, ok := r.catalog.WithdrawnAt(path); ok {
		return record{}, inputError(r.catalog.WithdrawalText(w))
	}
	for _, single := range r.families {
		if f, ok := r.documents.Resource(single.URITemplate); ok && f.Path == path {
			return r.byURI(id, single.URITemplate)
		}
	}
	f, ok := r.documents.File(path)
	if ok && f.Type != file.Markdown {
		markdown := ""
		for _, a := range f.Alternates {
			if a.Type == file.BareType(file.Markdown) {
				markdown = a.Path
			}
		}
		f, ok = r.documents.File(markdown)
	}
	if !ok {
		return record{}, inputError(fmt.Sprintf(
			"%s is not a document of this library that can be read as Markdown. Use an id from search or a list.", quote(id)))
	}
	return record{id: id, kind: "document", address: r.catalog.Site().URL(path), body: string(f.Body)}, nil
}

// notFoundError names the nearest ids.
func (r *resources) notFoundError(id string) error {
	if w, ok := r.catalog.Withdrawn(id); ok {
		return inputError(r.catalog.WithdrawalText(w))
	}
	var names []string
	for _, f := range r.families {
		for _, name := range f.IDs {
			names = append(names, textIf(f.Name != kindEntry, f.Name+":")+name)
		}
	}
	return inputError(fmt.Sprintf("There is no record %s%s. search finds ids; examples: %s, %s, %[4]s#%s, trust.", quote(id),
		didYouMean(id, names), r.examples.Entry, r.examples.Record, r.examples.Section))
}
