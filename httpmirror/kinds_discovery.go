package httpmirror

import (
	"cmp"
	"context"
	_ "embed"
	"slices"
	"strconv"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/httpmirror/html"
	"go.almanac.example/httpmirror/skills"
	"go.almanac.example/internal/wirejson"
)

// notices has the licences and notices of everything that is in the program (TestNotices generates it).
//
//go:embed notices.txt
var notices []byte

// discoveryKinds are the files that describe the others.
var discoveryKinds = slices.Concat(
	[]*kind{
		{
			name: "schema", title: "JSON Schema", summary: "The JSON Schema of a kind of document", tag: "discovery",
			ids: schemaNames,
			forms: []form{rawForm("schema", catalog.SchemaPath("{schema}"), file.Schema,
				func(r *renderer, id string) ([]byte, error) {
					body, _ := r.cat.Schema(id) // ids are those of the kind
					return body, nil
				})},
		},
		single("ard", "What agents can use here (Agentic Resource Discovery)", ardForm("ard", catalog.ARDPath)).
			listed("Interfaces", "Agentic resources", "the tool server, skills, search and datasets for agents (ARD)"),
		// of ARD before v0.91
		single("aiCatalog", "The same, at its older address", ardForm("aiCatalog", catalog.AICatalogPath).
			labelled("AI catalogue", file.AICatalog, "")),
		single("agentSkills", "The skills of this site (Agent Skills Discovery)", jsonForm("agentSkills", catalog.SkillsPath, "agent-skills",
			func(r *renderer, _ string) any { return r.metadata.Document("agentSkills", r.skills()) })),
		{
			name: "agentSkill", title: "Skill", summary: "A skill: how to do something with this site's tools", tag: "discovery", open: true,
			ids: func(c *catalog.Catalog) []string {
				return catalog.Convert(skillsOf(c), func(s skills.Skill) string { return s.Name })
			},
			forms: []form{rawForm("agentSkill", catalog.SkillPath("{skill}"), file.Markdown,
				func(r *renderer, id string) ([]byte, error) {
					list := r.skills()
					at := slices.IndexFunc(list, func(s skills.Skill) bool { return s.Name == id })
					return []byte(list[at].Body), nil // ids are those of the kind
				})},
		},
		{
			name: "apiCatalog", title: "The interfaces of this site (RFC 9727)",
			summary: "The interfaces of this site (RFC 9727)", tag: "discovery", link: apiCatalogLink,
			forms: []form{describedForm("apiCatalog", catalog.APICatalogPath, "").
				labelled("API catalogue", file.Linkset, "")},
			llms: llmsLine("Interfaces", "API catalogue", "every interface with its description, as a link set (RFC 9727)"),
		},
		single("openapi", "Search and tools in OpenAPI", jsonForm("openapi", catalog.OpenAPIPath, "openapi",
			func(r *renderer, _ string) any { return r.metadata.OpenAPI() })).
			listed("Interfaces", "OpenAPI", "search and tools in OpenAPI 3.1"),
		single("openapiFiles", "This document", jsonForm("openapiFiles", catalog.OpenAPIFilesPath, "openapi",
			func(r *renderer, _ string) any { return r.metadata.OpenAPIFiles(r.routes()) })).
			listed("Interfaces", "OpenAPI of the files", "the address of every file in OpenAPI 3.1"),
		single("llmsFull", "The text of the site in one file", form{label: "Markdown", path: catalog.LLMsFullPath,
			mediaType: file.Markdown, operation: "llmsFull", render: (*renderer).llmsFull}).
			listed("Optional", "Everything in one file", "the Markdown of all lists, facts and articles"),
		single("robots", "What crawlers may do", rawForm("robots", catalog.RobotsPath, file.Text,
			func(r *renderer, _ string) ([]byte, error) { return r.metadata.Robots(), nil })),
		single("sitemap", "The pages", rawForm("sitemap", catalog.SitemapPath, file.XML,
			func(r *renderer, _ string) ([]byte, error) { return r.metadata.Sitemap(r.pagePaths()), nil })),
		single("openSearch", "How browsers and programs search this site", rawForm("openSearch", catalog.OpenSearchPath,
			file.OpenSearch, func(r *renderer, _ string) ([]byte, error) { return r.metadata.Document("openSearch", nil), nil })),
		single("dcat", "The datasets in DCAT 3", describedForm("dcat", catalog.DCATPath, "").
			labelled("DCAT", file.JSONLD, "")),
		single("notices", "The licences of the software in this program", rawForm("notices", catalog.NoticesPath, file.Text,
			func(*renderer, string) ([]byte, error) { return notices, nil })),
		single("favicon", "The icon of the site", rawForm("favicon", html.FaviconPath, html.FaviconType,
			func(*renderer, string) ([]byte, error) { return html.Favicon, nil })),
		single("manifest", "Every file with size and hash", form{label: "JSON", path: catalog.ManifestPath,
			mediaType: file.JSON, schema: "manifest", operation: "manifest", render: (*renderer).manifest}).
			listed("Optional", "Manifest", "every file with its size, SHA-256 and media type"),
	},
	staticKinds(),
	[]*kind{
		logoKind(),
		single("security", "Where to report a vulnerability", rawForm("security", catalog.SecurityPath, file.Text,
			func(r *renderer, _ string) ([]byte, error) { return r.metadata.Security(), nil })).
			limited(func(_ *catalog.Catalog, o Options) bool { return o.Contact != "" }),
		single("l402", "The terms of the paid interface and how to call it",
			describedForm("l402", catalog.L402Path, "l402")).limited(sells),
		single("l402Services", "The paid interface as ngx_l402 describes its own",
			describedForm("l402Services", catalog.L402ServicesPath, "l402-services")).limited(sells),
		single("l402Manifest", "The discovery manifest of the paid interface",
			describedForm("l402Manifest", catalog.L402JSONPath, "l402-manifest")).limited(sells),
	},
)

// ardForm declares a form of the manifest of Agentic Resource Discovery.
func ardForm(operation, path string) form {
	return jsonForm(operation, path, "ai-catalog",
		func(r *renderer, _ string) any { return r.metadata.Document("ard", r.skills()) })
}

// skillsOf returns the skills of a site.
func skillsOf(c *catalog.Catalog) []skills.Skill { return skills.Select(c, sells(c, Options{})) }

func (r *renderer) skills() []skills.Skill { return skillsOf(r.cat) }

// sells is the only function of the kinds about the paid interface.
func sells(c *catalog.Catalog, _ Options) bool { return c.Payments() != catalog.PaymentsOff }

// schemaNames returns the names of the schemas of a site, which are not those of documents that it does not have.
func schemaNames(c *catalog.Catalog) []string {
	published, absent := make(map[string]bool), make(map[string]bool)
	for _, k := range slices.Concat(contentKinds, serviceKinds, supportKinds) {
		for _, f := range k.forms {
			if k.isPublished(c, Options{}) {
				published[f.schema] = true
			}
			absent[f.schema] = !published[f.schema]
		}
	}
	return slices.DeleteFunc(catalog.SchemaNames(), func(name string) bool { return absent[name] })
}

// describedForm declares the JSON form of a document about others, whose template has the name of the operation.
func describedForm(operation, path, schema string) form {
	return jsonForm(operation, path, schema,
		func(r *renderer, _ string) any { return r.metadata.Document(operation, nil) })
}

// single declares a kind of one file.
func single(name, summary string, f form) *kind {
	return &kind{name: name, title: summary, summary: summary, tag: "discovery", forms: []form{f}}
}

// listed gives the kind a line in llms.txt.
func (k *kind) listed(section, label, text string) *kind {
	k.llms = llmsLine(section, label, text)
	return k
}

// limited gives the kind its only function.
func (k *kind) limited(only func(*catalog.Catalog, Options) bool) *kind {
	k.only = only
	return k
}

// apiCatalogLink leads to the catalogue of APIs, from the home page and from the catalogue itself (RFC 9727, sections 2
// and 3).
const apiCatalogLink = "<" + catalog.APICatalogPath + `>; rel="api-catalog"`

// staticKinds are the files that pages refer to. The OpenAPI document leaves them out.
func staticKinds() []*kind {
	var list []*kind
	for _, f := range html.StaticFiles() {
		k := single(f.Path, "", rawForm("", f.Path, f.Type, func(*renderer, string) ([]byte, error) { return f.Body, nil }))
		k.tag = ""
		list = append(list, k)
	}
	return list
}

// logoKind is the operator's logo, where there is one.
func logoKind() *kind {
	k := single("logo", "", rawForm("", html.LogoPath, file.SVG,
		func(r *renderer, _ string) ([]byte, error) { return []byte(r.cat.Identity().Logo), nil }))
	k.tag, k.only = "", func(c *catalog.Catalog, _ Options) bool { return c.Identity().Logo != "" }
	return k
}

// pictureID returns the id of the social picture of a page: protocols.l402 for /protocols/l402/.
func pictureID(page string) string {
	return cmp.Or(strings.ReplaceAll(strings.Trim(page, "/"), "/", "."), "home")
}

// pictureKind is the social pictures of the pages that have one of their own.
func pictureKind(kinds []*kind) *kind {
	k := single("picture", "What social networks show beside a link", rawForm("picture", catalog.PicturePath("{page}"),
		file.PNG, func(r *renderer, id string) ([]byte, error) {
			t, _ := r.task(strings.Replace("/"+strings.ReplaceAll(id, ".", "/")+"/", "/home/", "/", 1)) // a page of one of the kinds
			return r.html.Picture(r.page(t))
		}))
	k.open = true
	k.ids = func(c *catalog.Catalog) (ids []string) {
		for _, k := range kinds {
			if f, ok := k.form(file.HTML); ok && k.picture {
				for _, id := range k.list(c) {
					ids = append(ids, pictureID(f.pathOf(id)))
				}
			}
		}
		return ids
	}
	return k
}

// sitemapPartKind is the lists of pages of a site that has more of them than one sitemap may hold.
func sitemapPartKind(parts int) *kind {
	k := single("sitemapPart", "A part of the pages", rawForm("sitemapPart", catalog.SitemapPartPath("{part}"), file.XML,
		func(r *renderer, id string) ([]byte, error) {
			part, err := strconv.Atoi(id)
			return r.metadata.SitemapPart(r.pagePaths(), part), err
		}))
	k.open = true
	k.ids = func(*catalog.Catalog) []string {
		ids := make([]string, parts)
		for i := range ids {
			ids[i] = strconv.Itoa(i + 1)
		}
		return ids
	}
	return k
}

// findKinds are the search for people.
var findKinds = []*kind{
	{
		name: "find", title: "Search", summary: "The search for people", tag: "library",
		description: "The index of the free search: the names of all records with their addresses.",
		forms: []form{
			pageForm("findPage", catalog.FindPath, func(r *renderer, _ string) html.Page { return r.html.Find() }),
			{label: "JSON", path: catalog.FindJSONPath, mediaType: file.JSON, schema: "search-index",
				operation: "searchIndex", summary: "The index of the free search, for programs that search by themselves",
				render: (*renderer).findDocument},
			markdownForm("findMarkdown", catalog.MarkdownPath(catalog.FindPath), func(r *renderer, _ string) []byte {
				return r.markdown.Document("find", nil)
			}),
		},
		llms: llmsLine("Interfaces", "Search", "find a record by title, ID, tag or question, free"),
	},
	{
		name: "notFound", title: "Nothing is published here",
		summary: "The answer of file hosts to an unknown address", tag: "discovery",
		description: "The page with which hosts of plain files answer unknown addresses.",
		forms: []form{rawForm("notFound", catalog.NotFoundPath, file.HTML, func(r *renderer, _ string) ([]byte, error) {
			return r.html.Render(r.html.NotFound(nil))
		})},
	},
}

// findDocument returns the index, without indentation because pages load it.
func (r *renderer) findDocument(string) ([]byte, error) {
	x, err := r.names()
	if err != nil {
		return nil, err
	}
	doc, err := x.FindDocument(context.Background())
	if err != nil {
		return nil, err
	}
	body, err := wirejson.Compact(doc)
	return append(body, '\n'), err
}
