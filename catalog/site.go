package catalog

import (
	"fmt"
	"net/url"
)

// Site is the public face of an installation: the hosts that SPEC.md calls {base_url}, {api_url}
// and {mcp_url}. Each is a scheme with a host and no slash at the end; they may be one host.
type Site struct{ Base, API, MCP string }

// DefaultSite is what a program without flags serves.
var DefaultSite = Site{"http://localhost:8402", "http://localhost:8402", "http://localhost:8402"}

// Check tells what is wrong with the addresses of s, each by the flag that gives it.
func (s Site) Check() error {
	for _, a := range []struct{ flag, url string }{{"-base-url", s.Base}, {"-api-url", s.API}, {"-mcp-url", s.MCP}} {
		u, err := url.Parse(a.url)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
			return fmt.Errorf("%s %q is not of the form https://host; give scheme and host", a.flag, a.url)
		}
		if u.RawQuery != "" || u.Fragment != "" || u.User != nil || u.Path != "" {
			return fmt.Errorf("%s %q carries more than scheme and host; remove what follows the host", a.flag, a.url)
		}
	}
	return nil
}

// URL gives the full address of a path of the mirror.
func (s Site) URL(path string) string { return s.Base + path }

// ProblemBase returns the address that, followed by an error code, is the section of the trust checklist about it.
func (s Site) ProblemBase() string { return s.URL(TrustPath + "#") }

// SearchURL is the paid search operation.
func (s Site) SearchURL() string { return s.API + SearchPath }

// CreditsURL answers the balance of a credential.
func (s Site) CreditsURL() string { return s.API + CreditsPath }

// MCPURL is the endpoint of the tool server.
func (s Site) MCPURL() string { return s.MCP + MCPPath }

// ServerCardURL is the tool server's card.
func (s Site) ServerCardURL() string { return s.MCP + ServerCardPath }

// The paths of the interfaces that are not files.
const (
	SearchPath     = "/v1/search"
	CreditsPath    = "/v1/credits"
	MCPPath        = "/mcp"
	ServerCardPath = "/mcp/server-card"
)

// The fixed paths of the mirror (DESIGN.md, section 2). A path that ends in a slash is a page.
const (
	HomePath              = "/"
	LibraryPath           = "/library/"
	LibraryJSONPath       = "/api/library/index.json"
	TagsPath              = "/tags/"
	TagsJSONPath          = "/api/tags/index.json"
	ProtocolsPath         = "/protocols/"
	ProtocolsJSONPath     = "/api/protocol-facts.json"
	ProtocolsMarkdownPath = "/api/protocol-facts.md"
	ChangesIndexPath      = "/changes/"
	ChangesIndexJSONPath  = "/api/changes/index.json"
	AtomPath              = "/changes/feed.atom"
	JSONFeedPath          = "/changes/feed.json"
	SupportPath           = "/support/"
	SupportJSONPath       = "/support.json"
	DatasetsPath          = "/datasets/"
	DatasetsJSONPath      = "/api/datasets/index.json"
	ArticlesPath          = "/articles/"
	ArticlesJSONPath      = "/api/articles/index.json"
	TrustPath             = "/trust/"
	TrustJSONPath         = "/trust.json"
	TrustMarkdownPath     = "/trust.md"
	BotPath               = "/bot/"
	LinksPath             = "/links/"
	LinksJSONPath         = "/api/links.json"
	LibraryJSONLPath      = "/dataset/library.jsonl"
	LibraryCSVPath        = "/dataset/library.csv"
	LibraryReadmePath     = "/dataset/README.md"
	L402Path              = "/.well-known/l402"
	AICatalogPath         = "/.well-known/ai-catalog.json"
	SecurityPath          = "/.well-known/security.txt"
	OpenAPIPath           = "/openapi.json"
	LLMsPath              = "/llms.txt"
	LLMsFullPath          = "/llms-full.txt"
	RobotsPath            = "/robots.txt"
	SitemapPath           = "/sitemap.xml"
	DCATPath              = "/catalog.jsonld"
	ManifestPath          = "/manifest.json"
)

// The paths of records. Ids and slugs are of lower-case letters, digits and hyphens (Load
// refuses others), so they need no escaping.

// CategoryPath is the page of a category.
func CategoryPath(id string) string { return "/library/" + id + "/" }

// CategoryMarkdownPath is the Markdown list of a category.
func CategoryMarkdownPath(id string) string { return "/library/" + id + ".md" }

// CategoryJSONPath is the list document of a category.
func CategoryJSONPath(id string) string { return "/api/library/" + id + ".json" }

// TagPath is the page of a tag.
func TagPath(tag string) string { return "/tags/" + tag + "/" }

// TagMarkdownPath is the Markdown list of a tag.
func TagMarkdownPath(tag string) string { return "/tags/" + tag + ".md" }

// TagJSONPath is the list document of a tag.
func TagJSONPath(tag string) string { return "/api/tags/" + tag + ".json" }

// EntryPath is the page of a library entry.
func EntryPath(id string) string { return "/library/entry/" + id + "/" }

// EntryJSONPath is the document of one library entry.
func EntryJSONPath(id string) string { return "/api/entries/" + id + ".json" }

// ProtocolPath is the page of a protocol.
func ProtocolPath(id string) string { return "/protocols/" + id + "/" }

// ChangesPath is the page of a day of the change feed.
func ChangesPath(d Date) string { return "/changes/" + string(d) + "/" }

// ChangesJSONPath is the change feed document of a day.
func ChangesJSONPath(d Date) string { return "/api/changes/" + string(d) + ".json" }

// QRPath is the QR picture of a support method; see Support for the method names.
func QRPath(method string) string { return "/qr/" + method + ".svg" }

// DatasetPath is the page of a dataset.
func DatasetPath(slug string) string { return "/datasets/" + slug + "/" }

// DatasetCardPath is the card of a dataset.
func DatasetCardPath(slug string) string { return DatasetPath(slug) + "card.json" }

// DatasetReadmePath is the README of a dataset.
func DatasetReadmePath(slug string) string { return DatasetPath(slug) + "README.md" }

// DatasetCroissantPath is the Croissant metadata of a dataset.
func DatasetCroissantPath(slug string) string { return DatasetPath(slug) + "croissant.json" }

// DatasetFilePath is a data file of a dataset, ext being jsonl or csv. The library's own files
// have the addresses that SPEC.md gives them.
func DatasetFilePath(slug, ext string) string {
	if slug == "library" {
		return "/dataset/library." + ext
	}
	return DatasetPath(slug) + slug + "." + ext
}

// ArticlePath is the page of an article.
func ArticlePath(slug string) string { return "/articles/" + slug + "/" }

// ArticleMarkdownPath is the Markdown form of an article.
func ArticleMarkdownPath(slug string) string { return "/articles/" + slug + ".md" }

// SchemaPath is a JSON Schema; see SchemaNames.
func SchemaPath(name string) string { return "/schemas/" + name + ".schema.json" }
