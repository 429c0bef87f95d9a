package httpmirror

import (
	"cmp"
	_ "embed"
	"slices"
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
			name: "schema", title: "JSON Schema",
			ids: schemaNames,
			forms: []form{rawForm(catalog.SchemaPath("{schema}"), file.Schema,
				func(r *renderer, id string) ([]byte, error) {
					body, _ := r.cat.Schema(id) // ids are those of the kind
					return body, nil
				})},
		},
		single("ard", describedForm("ard", catalog.ARDPath, "ai-catalog")).
			listed("Interfaces", "Agentic resources", "the tool server, skills, search and datasets for agents (ARD)"),
		single("aiCatalog", describedForm("aiCatalog", catalog.AICatalogPath, "ai-catalog").labelled("AI catalogue", file.AICatalog)),
		single("agentSkills", describedForm("agentSkills", catalog.SkillsPath, "agent-skills")),
		{
			name: "agentSkill", title: "Skill",
			ids: idsOf(skillsOf, func(s skills.Skill) string { return s.Name }),
			forms: []form{rawForm(catalog.SkillPath("{skill}"), file.Markdown,
				func(r *renderer, id string) ([]byte, error) {
					list := r.skills()
					at := slices.IndexFunc(list, func(s skills.Skill) bool { return s.Name == id })
					return []byte(list[at].Body), nil // ids are those of the kind
				})},
		},
		{
			name: "apiCatalog", title: "The interfaces of this site (RFC 9727)",
			link:  apiCatalogLink,
			forms: []form{describedForm("apiCatalog", catalog.APICatalogPath, "").labelled("API catalogue", file.Linkset)},
			llms:  llmsLine("Interfaces", "API catalogue", "every interface with its description, as a link set (RFC 9727)"),
		},
		single("openapi", jsonForm(catalog.OpenAPIPath, "openapi",
			func(r *renderer, _ string) any { return r.metadata.OpenAPI() })).
			listed("Interfaces", "OpenAPI", "search and tools in OpenAPI 3.1"),
		single("llmsFull", form{label: "Markdown", path: catalog.LLMsFullPath,
			mediaType: file.Markdown, render: (*renderer).llmsFull}).
			listed("Optional", "Everything in one file", "the Markdown of all lists, facts and articles"),
		single("robots", rawForm(catalog.RobotsPath, file.Text,
			func(r *renderer, _ string) ([]byte, error) { return r.metadata.Robots(), nil })),
		single("sitemap", rawForm(catalog.SitemapPath, file.XML, (*renderer).sitemap)),
		single("openSearch", rawForm(catalog.OpenSearchPath,
			file.OpenSearch, func(r *renderer, _ string) ([]byte, error) { return r.metadata.Document("openSearch", nil), nil })),
		single("dcat", describedForm("dcat", catalog.DCATPath, "").labelled("DCAT", file.JSONLD)),
		single("notices", rawForm(catalog.NoticesPath, file.Text,
			func(*renderer, string) ([]byte, error) { return notices, nil })),
		single("favicon", rawForm(html.FaviconPath, html.FaviconType,
			func(*renderer, string) ([]byte, error) { return html.Favicon, nil })),
		single("manifest", form{label: "JSON", path: catalog.ManifestPath,
			mediaType: file.JSON, schema: "manifest", render: (*renderer).manifest}).
			listed("Optional", "Manifest", "every file with its size, SHA-256 and media type"),
	},
	catalog.Convert(html.StaticFiles(), func(f *file.File) *kind { // which pages refer to
		return single(f.Path, rawForm(f.Path, f.Type, func(*renderer, string) ([]byte, error) { return f.Body, nil }))
	}),
	[]*kind{
		single("logo", rawForm(html.LogoPath, file.SVG,
			func(r *renderer, _ string) ([]byte, error) { return []byte(r.cat.Identity().Logo), nil })).
			limited(func(c *catalog.Catalog, _ Options) bool { return c.Identity().Logo != "" }),
		single("security", rawForm(catalog.SecurityPath, file.Text,
			func(r *renderer, _ string) ([]byte, error) { return r.metadata.Security(), nil })).
			limited(func(_ *catalog.Catalog, o Options) bool { return o.Contact != "" }),
		single("l402", describedForm("l402", catalog.L402Path, "l402")).limited(sells),
		single("l402Services", describedForm("l402Services", catalog.L402ServicesPath, "l402-services")).limited(sells),
		single("l402Manifest", describedForm("l402Manifest", catalog.L402JSONPath, "l402-manifest")).limited(sells),
	},
)

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

// describedForm declares the JSON form of a document about others, whose template has a name; some list the skills.
func describedForm(name, path, schema string) form {
	return jsonForm(path, schema, func(r *renderer, _ string) any { return r.metadata.Document(name, r.skills()) })
}

// single declares a kind of one file.
func single(name string, f form) *kind { return &kind{name: name, forms: []form{f}} }

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

// pictureID returns the id of the social picture of a page: protocols.l402 for /protocols/l402/.
func pictureID(page string) string {
	return cmp.Or(strings.ReplaceAll(strings.Trim(page, "/"), "/", "."), "home")
}

// pictureKind is the social pictures of the pages that have one of their own.
func pictureKind(kinds []*kind) *kind {
	k := single("picture", rawForm(catalog.PicturePath("{page}"),
		file.PNG, func(r *renderer, id string) ([]byte, error) {
			t, _ := r.task(strings.Replace("/"+strings.ReplaceAll(id, ".", "/")+"/", "/home/", "/", 1)) // a page of one of the kinds
			return r.html.Picture(r.page(t))
		}))
	k.ids = func(c *catalog.Catalog) (ids []string) {
		for _, k := range kinds {
			if f, ok := k.form(file.HTML); ok && k.picture {
				ids = append(ids, catalog.Convert(k.list(c), func(id string) string { return pictureID(f.pathOf(id)) })...)
			}
		}
		return ids
	}
	return k
}

// findKinds are the search for people.
var findKinds = []*kind{
	{
		name: "find", title: "Search",
		description: "The records that the free search finds: titles, lines and addresses.",
		day:         sharedDay(func(*catalog.Catalog) catalog.Date { return "" }),
		forms: []form{
			pageForm(catalog.FindPath, func(r *renderer, _ string) html.Page { return r.html.Find() }),
			{label: "JSON", path: catalog.FindJSONPath, mediaType: file.JSON, schema: "search-index",
				render: (*renderer).searchNames},
			markdownForm(catalog.MarkdownPath(catalog.FindPath), func(r *renderer, _ string) []byte {
				return r.markdown.Document("find", nil)
			}),
		},
		llms: llmsLine("Interfaces", "Search", "find a record by title, ID, tag or question, free"),
	},
	{
		name: "notFound", title: "Nothing is published here",
		description: "The page with which hosts of plain files answer unknown addresses.",
		forms: []form{rawForm(catalog.NotFoundPath, file.HTML, func(r *renderer, _ string) ([]byte, error) {
			return r.html.Render(r.html.NotFound(nil))
		})},
	},
}

// searchNames returns the records of the free search, without indentation because pages load them.
func (r *renderer) searchNames(string) ([]byte, error) {
	x, err := r.names()
	if err != nil {
		return nil, err
	}
	body, err := wirejson.Compact(x.Names())
	return append(body, '\n'), err
}
