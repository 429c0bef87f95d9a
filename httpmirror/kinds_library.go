package httpmirror

import (
	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/httpmirror/html"
	"almanac/httpmirror/markdown"
	"almanac/httpmirror/metadata"
	"almanac/httpmirror/paging"
	"almanac/httpmirror/phrase"
)

// libraryKinds are the home page and everything about the library.
func libraryKinds() []*kind {
	return []*kind{homeKind(), categoryKind(), categoriesKind(), tagKind(), tagsKind(), entryKind()}
}

func homeKind() *kind {
	return &kind{
		name: "home", title: "Start", summary: "What this is", tag: "library", link: apiCatalogLink,
		description: "What this service publishes, with the addresses of every list.",
		day:         sharedDay((*catalog.Catalog).FeedDay),
		forms: []form{
			pageForm("home", catalog.HomePath, func(r *renderer, _ string) (html.Page, error) { return r.html.Home(), nil }),
			jsonForm("index", catalog.HomeJSONPath, "index", func(r *renderer, _ string) (any, error) { return r.index() }),
			markdownForm("llms", catalog.LLMsPath, func(r *renderer, w *markdown.Writer, _ string) {
				r.metadata.LLMs(w, r.llmsLines())
			}),
		},
		also: func(id string) []html.Alternate {
			return append(allChanges(id), html.Alternate{Label: "DCAT", Type: file.JSONLD, Path: catalog.DCATPath})
		},
		resource: "library://index",
	}
}

func categoryKind() *kind {
	return &kind{
		name: "category", title: "Category", summary: "The entries of a category", tag: "library",
		description: "The whole entries of a category, newest first.",
		ids: func(c *catalog.Catalog) []string {
			var ids []string
			for _, k := range c.Categories() {
				ids = append(ids, paging.IDs(k.ID, k.Count, paging.Size)...)
			}
			return ids
		},
		has: func(r *renderer, id string) bool {
			return paging.Has(id, paging.Size, func(record string) (entries int, ok bool) {
				k, ok := r.cat.Category(record)
				return k.Count, ok
			})
		},
		day: categoryDay,
		forms: []form{
			jsonForm("categoryList", catalog.CategoryJSONPath("{category}"), "library", categoryJSON),
			markdownForm("categoryMarkdown", catalog.CategoryMarkdownPath("{category}"),
				func(r *renderer, w *markdown.Writer, id string) {
					k, part := r.category(id)
					r.markdown.Category(w, k, part.Unpaged())
				}),
			pageForm("categoryPage", catalog.CategoryPath("{category}"), func(r *renderer, id string) (html.Page, error) {
				k, part := r.category(id)
				return r.html.Category(k, part), nil
			}),
		},
		resource: "library://category/{category}",
		llms: func(r *renderer, id string) metadata.LLMLine {
			k, _ := r.cat.Category(id)
			return metadata.LLMLine{Section: "Library", Label: k.Label, Text: phrase.Count(k.Count, "source", "sources")}
		},
		full: 3,
	}
}

// category returns the category and the part of its list that an id of the kind names.
func (r *renderer) category(id string) (catalog.Category, paging.Part) {
	record, number := paging.Split(id)
	k, _ := r.cat.Category(record) // ids are those of the kind
	doc, _ := r.cat.CategoryList(record)
	return k, paging.New(record, number, doc.Entries, paging.Size)
}

func categoryJSON(r *renderer, id string) (any, error) {
	k, part := r.category(id)
	doc, _ := r.cat.CategoryList(k.ID)
	part = part.Unpaged()
	doc.Count, doc.Entries, doc.GeneratedAt = len(part.Entries), part.Entries,
		r.cat.Timestamp(r.cat.EntriesDay(part.Entries))
	return doc, nil
}

func categoriesKind() *kind {
	return &kind{
		name: "categories", title: "Categories", summary: "The categories with counts", tag: "library",
		description: "The eight categories of the library with counts and addresses.",
		day:         sharedDay((*catalog.Catalog).CountsDay),
		forms: []form{
			jsonForm("categories", catalog.LibraryJSONPath, "category-index",
				func(r *renderer, _ string) (any, error) { return r.cat.CategoryIndex(), nil }),
			markdownForm("categoriesMarkdown", catalog.LibraryMarkdownPath, func(r *renderer, w *markdown.Writer, _ string) {
				r.markdown.Library(w)
			}),
			pageForm("libraryPage", catalog.LibraryPath,
				func(r *renderer, _ string) (html.Page, error) { return r.html.Library(), nil }),
		},
		navigation: "Library",
		resource:   "library://categories",
	}
}

func tagKind() *kind {
	return &kind{
		name: "tag", title: "Tag", summary: "The entries that carry a tag", tag: "library",
		description: "The whole entries that carry a tag, by category and newest first in each.",
		ids: func(c *catalog.Catalog) []string {
			var ids []string
			for _, t := range c.Tags() {
				ids = append(ids, paging.IDs(t.ID, t.Count, paging.Size)...)
			}
			return ids
		},
		has: func(r *renderer, id string) bool {
			return paging.Has(id, paging.Size, func(record string) (entries int, ok bool) {
				t, ok := findTag(r.cat, record)
				return t.Count, ok
			})
		},
		day:  tagDay,
		also: feeds(catalog.TagAtomPath, catalog.TagJSONFeedPath),
		forms: []form{
			jsonForm("tagList", catalog.TagJSONPath("{tag}"), "tag-list", tagJSON),
			markdownForm("tagMarkdown", catalog.TagMarkdownPath("{tag}"), func(r *renderer, w *markdown.Writer, id string) {
				t, part := r.tag(id)
				r.markdown.Tag(w, t, part.Unpaged())
			}),
			pageForm("tagPage", catalog.TagPath("{tag}"), func(r *renderer, id string) (html.Page, error) {
				t, part := r.tag(id)
				return r.html.Tag(t, part), nil
			}),
		},
		resource: "library://tag/{tag}",
	}
}

// tag returns the tag and the part of its list that an id of the kind names.
func (r *renderer) tag(id string) (catalog.Tag, paging.Part) {
	record, number := paging.Split(id)
	t, _ := findTag(r.cat, record) // ids are those of the kind
	doc, _ := r.cat.TagList(record)
	return t, paging.New(record, number, doc.Entries, paging.Size)
}

func findTag(c *catalog.Catalog, id string) (catalog.Tag, bool) {
	for _, t := range c.Tags() {
		if t.ID == id {
			return t, true
		}
	}
	return catalog.Tag{}, false
}

func tagJSON(r *renderer, id string) (any, error) {
	t, part := r.tag(id)
	doc, _ := r.cat.TagList(t.ID)
	part = part.Unpaged()
	doc.Count, doc.Entries, doc.GeneratedAt = len(part.Entries), part.Entries,
		r.cat.Timestamp(r.cat.EntriesDay(part.Entries))
	return doc, nil
}

func tagsKind() *kind {
	return &kind{
		name: "tags", title: "Tags", summary: "All tags with counts", tag: "library",
		description: "The closed vocabulary of tags with counts and addresses.",
		day:         sharedDay((*catalog.Catalog).CountsDay),
		forms: singleForms("tags", "tag-index",
			paths{catalog.TagsJSONPath, catalog.TagsMarkdownPath, catalog.TagsPath},
			(*catalog.Catalog).TagIndex, (*markdown.Renderer).Tags, (*html.Pages).Tags),
		resource: "library://tags",
		llms: func(*renderer, string) metadata.LLMLine {
			return metadata.LLMLine{Section: "Optional", Label: "Tags", Text: "the vocabulary with counts"}
		},
	}
}

func entryKind() *kind {
	return &kind{
		name: "entry", title: "Library entry", summary: "One entry", tag: "library",
		description: "One whole entry: source, publisher, summary, tags, and when it was verified.",
		ids: func(c *catalog.Catalog) []string {
			ids := make([]string, len(c.Entries()))
			for i, e := range c.Entries() {
				ids[i] = e.ID
			}
			return ids
		},
		has: func(r *renderer, id string) bool {
			_, ok := r.cat.Entry(id)
			return ok
		},
		open:   true,
		day:    entryDay,
		record: func(id string) string { return id },
		forms: []form{
			pageForm("entryPage", catalog.EntryPath("{id}"), func(r *renderer, id string) (html.Page, error) {
				e, _ := r.cat.Entry(id) // ids are those of the kind
				return r.html.Entry(r.related.Link(e)), nil
			}),
			jsonForm("entry", catalog.EntryJSONPath("{id}"), "entry", func(r *renderer, id string) (any, error) {
				e, _ := r.cat.Entry(id)
				return r.cat.EntryDocument(e), nil
			}),
			markdownForm("entryMarkdown", catalog.EntryMarkdownPath("{id}"), func(r *renderer, w *markdown.Writer, id string) {
				e, _ := r.cat.Entry(id)
				r.markdown.Entry(w, r.related.Link(e))
			}),
		},
		resource: "library://entry/{id}",
	}
}
