package httpmirror

import (
	"cmp"
	"slices"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/httpmirror/html"
	"go.almanac.example/httpmirror/metadata"
	"go.almanac.example/internal/wirejson"
)

// A kind declares one kind of document: its documents and the forms in which each is published. Everything else about
// it follows from the declaration: the addresses, the alternates of its pages and content negotiation, its lines in
// llms.txt, the navigation, the sitemap, the manifest and its MCP resources.
//
// To add a kind, add its declaration to the list of its section in kinds_*.go.
type kind struct {
	name        string // in lower camel case; the stem of its operation ids and its name as an MCP resource
	title       string // of one document, for people: "Library entry"
	description string // its content, in a sentence, for those who choose an MCP resource
	forms       []form

	// Documents.
	ids func(*catalog.Catalog) []string     // the values of the expression in the paths; nil for a single document
	has func(*catalog.Catalog, string) bool // whether ids has an id, if that costs less than the list; nil: it does not
	// unlisted returns the fault of an id that ids does not return. Documents of other ids are rendered for those who
	// ask for them. nil: there are none.
	unlisted func(id string) error

	only func(*catalog.Catalog, Options) bool // whether an installation publishes it; nil: each does

	// Pages.
	// newest day of the content of a document, which kinds of pages have; "": of the catalogue
	day        func(*catalog.Catalog, string) catalog.Date
	record     string                                               // template of the record in the addresses of the history; "" for none
	also       func(c *catalog.Catalog, id string) []file.Alternate // files of other kinds that belong to a page; nil: there are none
	link       string                                               // a further value of the Link header of its files; "" for none
	navigation string                                               // its label in the navigation; "" leaves it out
	picture    bool                                                 // each page has a social picture of its own
	// pictured returns the page whose picture a page without its own has; nil or "": the home page
	pictured func(c *catalog.Catalog, id string) string

	// Lists for programs.
	resource string                                        // the URI template of its MCP resource; "" for none
	latest   func(*catalog.Catalog) string                 // the id for which "latest" stands in the URI of a resource
	offered  func(*catalog.Catalog) bool                   // whether the navigation and llms.txt lead to it; nil: they do
	llms     func(r *renderer, id string) metadata.LLMLine // its line in llms.txt for a document, without the path
	full     int                                           // its place in llms-full.txt, from 1; 0 leaves it out
}

// A form is one form of the documents of a kind.
type form struct {
	label     string // as pages name it
	path      string // a URI template (RFC 6570) with at most one expression
	mediaType string
	schema    string // of a JSON form, see catalog.SchemaNames
	render    func(r *renderer, id string) ([]byte, error)
	page      func(r *renderer, id string) html.Page // of a page, instead of render
}

// pageForm declares the page of a kind.
func pageForm(path string, page func(r *renderer, id string) html.Page) form {
	return form{label: "HTML", path: path, mediaType: file.HTML, page: page}
}

// markdownForm declares the Markdown form of a kind.
func markdownForm(path string, text func(r *renderer, id string) []byte) form {
	return form{label: "Markdown", path: path, mediaType: file.Markdown,
		render: func(r *renderer, id string) ([]byte, error) { return text(r, id), nil }}
}

// jsonForm declares the JSON form of a kind, encoded from the value that document returns.
func jsonForm(path, schema string, document func(r *renderer, id string) any) form {
	return form{label: "JSON", path: path, mediaType: file.JSON, schema: schema,
		render: func(r *renderer, id string) ([]byte, error) { return wirejson.Indent(document(r, id)) }}
}

// documentForm declares the JSON form of a kind, encoded from a document of the catalogue.
func documentForm[D any](path, schema string, document func(*catalog.Catalog, string) D) form {
	return jsonForm(path, schema, func(r *renderer, id string) any { return document(r.cat, id) })
}

// The paths of the forms of a document. Its Markdown is at the catalog.MarkdownPath of the page unless it is named.
type paths struct{ json, markdown, page string }

// recordForms declares the forms of a kind whose Markdown and page show a record, which of returns. name is that of the
// Markdown's template.
func recordForms[T any](name, schema string, at paths, of func(r *renderer, id string) T,
	document func(r *renderer, record T) any, page func(*html.Pages, T) html.Page) []form {
	return []form{
		jsonForm(at.json, schema, func(r *renderer, id string) any { return document(r, of(r, id)) }),
		markdownForm(cmp.Or(at.markdown, catalog.MarkdownPath(at.page)), func(r *renderer, id string) []byte {
			return r.markdown.Document(name, of(r, id))
		}),
		pageForm(at.page, func(r *renderer, id string) html.Page { return page(r.html, of(r, id)) }),
	}
}

// documentForms declares the forms of a kind whose JSON, Markdown and page show one document.
func documentForms[D any](name, schema string, at paths, document func(c *catalog.Catalog, id string) D,
	page func(*html.Pages, D) html.Page) []form {
	return recordForms(name, schema, at, func(r *renderer, id string) D { return document(r.cat, id) },
		func(_ *renderer, d D) any { return d }, page)
}

// singleForms declares the forms of a kind of one document, as documentForms does.
func singleForms[D any](name, schema string, at paths, document func(*catalog.Catalog) D,
	page func(*html.Pages) html.Page) []form {
	return documentForms(name, schema, at, func(c *catalog.Catalog, _ string) D { return document(c) },
		func(p *html.Pages, _ D) html.Page { return page(p) })
}

// rawForm declares a form whose bytes render returns.
func rawForm(path, mediaType string, render func(r *renderer, id string) ([]byte, error)) form {
	return form{path: path, mediaType: mediaType, render: render}
}

// labelled returns the form with another label and media type.
func (f form) labelled(label, mediaType string) form {
	f.label, f.mediaType = label, mediaType
	return f
}

// schemaPath returns the path of the schema of a form, or "".
func (f form) schemaPath() string {
	if f.schema == "" {
		return ""
	}
	return catalog.SchemaPath(f.schema)
}

// pathOf returns the path of the document with an id.
func (f form) pathOf(id string) string { return expand(f.path, id) }

// expand returns a URI template with a value in the place of its expression, if it has one.
func expand(template, id string) string {
	before, variable, after := expression(template)
	if variable == "" {
		return template
	}
	return before + id + after
}

// expression returns a URI template around its expression, whose name it returns; "" when there is none. An expression
// may have two parts, as in {protocol}/{field}: its name is then protocol}/{field, and its value has the slash too.
func expression(template string) (before, variable, after string) {
	first, last := strings.IndexByte(template, '{'), strings.LastIndexByte(template, '}')
	if first < 0 {
		return template, "", ""
	}
	return template[:first], template[first+1 : last], template[last+1:]
}

// match returns the value of the expression of a URI template in an address.
func match(template, address string) (id string, ok bool) {
	first := strings.IndexByte(template, '{')
	if first < 0 {
		return "", template == address
	}
	if id, ok = strings.CutPrefix(address, template[:first]); !ok { // as for most of the templates that an address is held against
		return "", false
	}
	id, ok = strings.CutSuffix(id, template[strings.LastIndexByte(template, '}')+1:])
	return id, ok && id != ""
}

// isOffered reports whether the navigation and llms.txt of a site may lead to the kind.
func (k *kind) isOffered(c *catalog.Catalog) bool { return k.offered == nil || k.offered(c) }

// list returns the ids of the documents of the kind; a single document has "".
func (k *kind) list(c *catalog.Catalog) []string {
	if k.ids == nil {
		return []string{""}
	}
	return k.ids(c)
}

// publishes reports whether the kind has a document with an id.
func (k *kind) publishes(c *catalog.Catalog, id string) bool {
	if k.has != nil {
		return k.has(c, id)
	}
	return slices.Contains(k.list(c), id)
}

// form returns the form of a media type.
func (k *kind) form(mediaType string) (form, bool) {
	for _, f := range k.forms {
		if f.mediaType == mediaType {
			return f, true
		}
	}
	return form{}, false
}

// alternates returns the other forms of a page.
func (k *kind) alternates(c *catalog.Catalog, id string) []file.Alternate {
	var list []file.Alternate
	for _, f := range k.forms {
		if f.page == nil {
			list = append(list, file.Alternate{Label: f.label, Type: file.BareType(f.mediaType), Path: f.pathOf(id)})
		}
	}
	if k.also != nil {
		list = append(list, k.also(c, id)...)
	}
	return list
}

// The declared kinds, in the order of the navigation and of the OpenAPI document. The data files of the datasets stand
// between the two.
var (
	contentKinds = slices.Concat(libraryKinds, findKinds, protocolKinds, newsKinds, changeKinds, historyKinds, feedKinds, textKinds)
	siteKinds    = slices.Concat(serviceKinds, supportKinds, discoveryKinds)
)

// kinds returns the kinds of documents that an installation publishes.
func kinds(c *catalog.Catalog, o Options) []*kind {
	list := slices.DeleteFunc(slices.Concat(contentKinds, dataFileKinds(c), siteKinds),
		func(k *kind) bool { return !k.isPublished(c, o) })
	return append(list, pictureKind(list))
}

// isPublished reports whether an installation has documents of the kind, or may have some of another id.
func (k *kind) isPublished(c *catalog.Catalog, o Options) bool {
	return (k.only == nil || k.only(c, o)) && (k.ids == nil || k.unlisted != nil || len(k.ids(c)) > 0)
}

// having returns the only function of a kind that needs records of a type.
func having[T any](records func(*catalog.Catalog) []T) func(*catalog.Catalog, Options) bool {
	return func(c *catalog.Catalog, _ Options) bool { return len(records(c)) > 0 }
}

// withLinkChecker is the only function of the kinds about the link checker.
func withLinkChecker(c *catalog.Catalog, _ Options) bool { return c.LinkChecker() != nil }

// The newest day of the content of the documents of a kind, which pages state in their footer. Documents state it as
// generated_at; see catalog.Catalog.Timestamp.

// sharedDay returns the day function of a kind whose documents share one day.
func sharedDay(day func(*catalog.Catalog) catalog.Date) func(*catalog.Catalog, string) catalog.Date {
	return func(c *catalog.Catalog, _ string) catalog.Date { return day(c) }
}

// idsOf returns the ids function of a kind with a document for each of some records.
func idsOf[T any](records func(*catalog.Catalog) []T, id func(T) string) func(*catalog.Catalog) []string {
	return func(c *catalog.Catalog) []string { return catalog.Convert(records(c), id) }
}

// found returns the function that finds a record, for ids of the kind, which all have one.
func found[T any](find func(*catalog.Catalog, string) (T, bool)) func(*catalog.Catalog, string) T {
	return func(c *catalog.Catalog, id string) T {
		record, _ := find(c, id)
		return record
	}
}

// hasRecord returns the has function of a kind with a document for each record that find finds.
func hasRecord[T any](find func(*catalog.Catalog, string) (T, bool)) func(*catalog.Catalog, string) bool {
	return func(c *catalog.Catalog, id string) bool {
		_, ok := find(c, id)
		return ok
	}
}

// recordDay returns the day function of a kind with a document for each record that find finds.
func recordDay[T any](find func(*catalog.Catalog, string) (T, bool), day func(*catalog.Catalog, T) catalog.Date,
) func(*catalog.Catalog, string) catalog.Date {
	return func(c *catalog.Catalog, id string) catalog.Date { return day(c, found(find)(c, id)) }
}

// llmsLine returns the llms function of a kind whose documents share a line.
func llmsLine(section, label, text string) func(*renderer, string) metadata.LLMLine {
	return func(*renderer, string) metadata.LLMLine {
		return metadata.LLMLine{Section: section, Label: label, Text: text}
	}
}
