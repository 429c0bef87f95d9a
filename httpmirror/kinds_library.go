package httpmirror

import (
	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/httpmirror/html"
	"go.almanac.example/httpmirror/markdown"
	"go.almanac.example/httpmirror/metadata"
	"go.almanac.example/httpmirror/phrase"
)

// libraryKinds are the home page and everything about the library.
var libraryKinds = []*kind{
	{
		name: "home", title: "Start", link: apiCatalogLink + ", <" + catalog.ARDPath + `>; rel="ard"`,
		description: "The start page, with the addresses of every list.",
		day:         sharedDay((*catalog.Catalog).FeedDay),
		picture:     true,
		forms: []form{
			pageForm(catalog.HomePath, func(r *renderer, _ string) html.Page { return r.html.Home() }),
			jsonForm(catalog.HomeJSONPath, "index", func(r *renderer, _ string) any { return r.index() }),
			markdownForm(catalog.LLMsPath, func(r *renderer, _ string) []byte {
				return r.metadata.Document("llms", r.llmsLines())
			}),
		},
		also: func(c *catalog.Catalog, id string) []file.Alternate {
			return append(allChanges(c, id), file.Alternate{Label: "DCAT", Type: file.JSONLD, Path: catalog.DCATPath})
		},
		resource: "library://index",
	},
	listKind(kind{
		name: "category", title: "Category",
		description: "The entries of a category, newest first.",
		resource:    "library://category/{category}",
		llms: func(r *renderer, id string) metadata.LLMLine {
			k, _ := r.cat.Category(id)
			return metadata.LLMLine{Section: "Library", Label: k.Label, Text: phrase.Count(k.Count, "source", "sources")}
		},
		full: 3,
	}, "library", paths{json: catalog.CategoryJSONPath("{category}"), page: catalog.CategoryPath("{category}")},
		idsOf((*catalog.Catalog).Categories, func(k catalog.Category) string { return k.ID }),
		(*catalog.Catalog).Category, (*catalog.Catalog).InCategory, (*catalog.Catalog).CategoryList,
		(*html.Pages).Category),
	{
		name: "categories", title: "Categories",
		description: "The categories of the library with counts and addresses.",
		day:         sharedDay((*catalog.Catalog).CountsDay),
		forms: singleForms("categories", "category-index",
			paths{json: catalog.LibraryJSONPath, page: catalog.LibraryPath},
			(*catalog.Catalog).CategoryIndex, (*html.Pages).Library),
		navigation: "Library",
		resource:   "library://categories",
	},
	listKind(kind{
		name: "tag", title: "Tag",
		description: "The entries with a tag, by category, newest first.",
		also:        feeds("edits of its sources", catalog.TagAtomPath, catalog.TagJSONFeedPath),
		resource:    "library://tag/{tag}",
	}, "tag-list", paths{json: catalog.TagJSONPath("{tag}"), page: catalog.TagPath("{tag}")},
		tagIDs, (*catalog.Catalog).Tag, (*catalog.Catalog).WithTag, (*catalog.Catalog).TagList,
		(*html.Pages).Tag),
	{
		name: "tags", title: "Tags",
		description: "The closed vocabulary of tags with counts and addresses.",
		day:         sharedDay((*catalog.Catalog).CountsDay),
		forms: singleForms("tags", "tag-index",
			paths{json: catalog.TagsJSONPath, page: catalog.TagsPath},
			(*catalog.Catalog).TagIndex, (*html.Pages).Tags),
		resource: "library://tags",
		llms:     llmsLine("Optional", "Tags", "the vocabulary with counts"),
	},
	{
		name: "entry", title: "Library entry",
		description: "One entry: source, publisher, summary, tags, the day we last read the source; its evidence, its history, and the statements about the source.",
		ids:         idsOf((*catalog.Catalog).Entries, func(e *catalog.Entry) string { return e.ID }),
		has:         hasRecord((*catalog.Catalog).Entry),
		day:         recordDay((*catalog.Catalog).Entry, (*catalog.Catalog).EntryDay),
		record:      "{id}",
		pictured: func(c *catalog.Catalog, id string) string { // that of a protocol whose tag it carries
			for _, tag := range foundEntry(c, id).Tags {
				if _, ok := c.Profile(tag); ok {
					return catalog.ProtocolPath(tag)
				}
			}
			return ""
		},
		forms: recordForms("entry", "entry", paths{json: catalog.EntryJSONPath("{id}"), page: catalog.EntryPath("{id}")},
			func(r *renderer, id string) markdown.LinkedEntry {
				return r.markdown.LinkedEntry(foundEntry(r.cat, id))
			},
			func(r *renderer, e markdown.LinkedEntry) any { return r.cat.EntryDocument(e.Entry) }, (*html.Pages).Entry),
		resource: "library://entry/{id}",
	},
}

// listKind completes the declaration of a kind whose documents list entries. names returns the ids of the lists, find
// the subject of one, and entries its entries.
func listKind[S, D any](k kind, schema string, at paths, names func(*catalog.Catalog) []string,
	find func(*catalog.Catalog, string) (S, bool), entries func(*catalog.Catalog, string) []*catalog.Entry,
	document func(*catalog.Catalog, string, []*catalog.Entry) D,
	page func(*html.Pages, S, []*catalog.Entry) html.Page,
) *kind {
	k.ids = names
	k.day = func(c *catalog.Catalog, id string) catalog.Date { return c.EntriesDay(entries(c, id)) }
	k.forms = []form{
		documentForm(at.json, schema, func(c *catalog.Catalog, id string) D {
			return document(c, id, entries(c, id))
		}),
		markdownForm(catalog.MarkdownPath(at.page), func(r *renderer, id string) []byte {
			return r.markdown.Document(k.name, markdown.Entries{Subject: found(find)(r.cat, id), Entries: entries(r.cat, id)})
		}),
		pageForm(at.page, func(r *renderer, id string) html.Page {
			return page(r.html, found(find)(r.cat, id), entries(r.cat, id))
		}),
	}
	return &k
}

var tagIDs = idsOf((*catalog.Catalog).Tags, func(t catalog.Tag) string { return t.ID })

var foundEntry = found((*catalog.Catalog).Entry)
