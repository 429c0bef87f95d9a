package catalog

import (
	"fmt"
	"strings"
)

// The paths of the interfaces that are not files.
const (
	SearchPath     = "/v1/search"
	CreditsPath    = "/v1/credits"
	ExplainAPIPath = "/v1/explain"
	MCPPath        = "/mcp"
	ServerCardPath = "/mcp/server-card"
)

// The fixed paths of the mirror (docs/contract.md, "Addresses"). A path that ends in a slash is a page.
const (
	HomePath                 = "/"
	HomeJSONPath             = "/api/index.json"
	LibraryPath              = "/library/"
	LibraryJSONPath          = "/api/library/index.json"
	TagsPath                 = "/tags/"
	TagsJSONPath             = "/api/tags/index.json"
	ProtocolsPath            = "/protocols/"
	ProtocolsJSONPath        = "/api/protocol-facts.json"
	ProtocolsMarkdownPath    = "/api/protocol-facts.md"
	ComparePath              = "/protocols/compare/"
	ChoicesJSONPath          = "/api/protocol-choices.json"
	ChoosePath               = "/protocols/choose/"
	ChooserJSONPath          = "/api/protocol-chooser.json"
	ChangesIndexMarkdownPath = "/changes.md"
	ChangesIndexJSONPath     = "/api/changes/index.json"
	HistoryPath              = "/history/"
	HistoryJSONPath          = "/api/history/index.json"
	NewsPath                 = "/news/"
	NewsJSONPath             = "/api/news.json"
	AtomPath                 = "/changes/feed.atom"
	JSONFeedPath             = "/changes/feed.json"
	NotFoundPath             = "/404.html"
	FindPath                 = "/search/"
	FindJSONPath             = "/search/index.json"
	OpenSearchPath           = "/opensearch.xml"
	SupportPath              = "/support/"
	SupportJSONPath          = "/support.json"
	DatasetsPath             = "/datasets/"
	DatasetsJSONPath         = "/api/datasets/index.json"
	ArticlesPath             = "/articles/"
	ArticlesJSONPath         = "/api/articles/index.json"
	ClientsPath              = "/clients/"
	ClientsJSONPath          = "/api/clients.json"
	ExplainPath              = "/explain/"
	ExplainJSONPath          = "/api/explain.json"
	TrustPath                = "/trust/"
	TrustJSONPath            = "/trust.json"
	BotPath                  = "/bot/"
	BotJSONPath              = "/api/bot.json"
	ConnectPath              = "/connect/"
	ConnectJSONPath          = "/api/connect.json"
	CalendarPath             = "/calendar/"
	CalendarJSONPath         = "/api/calendar.json"
	CalendarICSPath          = "/calendar.ics"
	LinksPath                = "/links/"
	LinksJSONPath            = "/api/links.json"
	LibraryJSONLPath         = "/dataset/library.jsonl"
	LibraryCSVPath           = "/dataset/library.csv"
	LibraryReadmePath        = "/dataset/README.md"
	L402Path                 = "/.well-known/l402"
	L402JSONPath             = "/.well-known/l402.json"
	L402ServicesPath         = "/.well-known/l402-services"
	ARDPath                  = "/.well-known/ard.json"
	SkillsPath               = "/.well-known/agent-skills/index.json"
	PrivacyPath              = "/privacy/"
	PrivacyJSONPath          = "/api/privacy.json"
	AICatalogPath            = "/.well-known/ai-catalog.json"
	APICatalogPath           = "/.well-known/api-catalog"
	SecurityPath             = "/.well-known/security.txt"
	OpenAPIPath              = "/openapi.json"
	LLMsPath                 = "/llms.txt"
	LLMsFullPath             = "/llms-full.txt"
	RobotsPath               = "/robots.txt"
	NoticesPath              = "/notices.txt"
	SitemapPath              = "/sitemap.xml"
	DCATPath                 = "/catalog.jsonld"
	ManifestPath             = "/manifest.json"
)

// The paths of records. Ids and slugs consist of lower-case letters, digits and hyphens, so they need no escaping.

// MarkdownPath returns the path of the Markdown form of a page.
func MarkdownPath(page string) string { return strings.TrimSuffix(page, "/") + ".md" }

// CategoryPath returns the path of the page of a category.
func CategoryPath(id string) string { return "/library/" + id + "/" }

// CategoryJSONPath returns the path of the list document of a category.
func CategoryJSONPath(id string) string { return "/api/library/" + id + ".json" }

// TagPath returns the path of the page of a tag.
func TagPath(tag string) string { return "/tags/" + tag + "/" }

// TagJSONPath returns the path of the list document of a tag.
func TagJSONPath(tag string) string { return "/api/tags/" + tag + ".json" }

// EntryPath returns the path of the page of a library entry.
func EntryPath(id string) string { return "/library/entry/" + id + "/" }

// EntryJSONPath returns the path of the document of one library entry.
func EntryJSONPath(id string) string { return "/api/entries/" + id + ".json" }

// StatementPath returns the path of a statement on the page of its library entry.
func StatementPath(entry, statement string) string { return EntryPath(entry) + "#" + statement }

// ProtocolPath returns the path of the page of a protocol.
func ProtocolPath(id string) string { return "/protocols/" + id + "/" }

// FactPath returns the path of the page of a fact; see FactID.
func FactPath(id string) string { return "/protocols/" + id + "/" }

// FactJSONPath returns the path of the document of a fact.
func FactJSONPath(id string) string { return "/api/protocols/" + id + ".json" }

// UpgradePath returns the path of the page about the step from a version of a protocol to the next; see UpgradeIDs.
func UpgradePath(id string) string { return FactPath(id) }

// VersionPath returns the path of an earlier version of a protocol on its page.
func VersionPath(protocol, version string) string {
	return ProtocolPath(protocol) + "#" + VersionAnchor(version)
}

// VersionAnchor returns the anchor of a version on the page of its protocol, and the section in its Markdown.
func VersionAnchor(version string) string {
	return "version-" + strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(version))
}

// VersionsJSONPath returns the path of the document of the earlier versions of a protocol.
func VersionsJSONPath(id string) string { return "/api/protocols/" + id + "/versions.json" }

// ProtocolJSONPath returns the path of the document of one protocol.
func ProtocolJSONPath(id string) string { return "/api/protocols/" + id + ".json" }

// ChangesMarkdownPath returns the path of a day of the change feed as Markdown.
func ChangesMarkdownPath(d Date) string { return "/changes/" + string(d) + ".md" }

// ChangesJSONPath returns the path of the change feed document of a day.
func ChangesJSONPath(d Date) string { return "/api/changes/" + string(d) + ".json" }

// HistoryDayPath returns the path of the page of a day of the history.
func HistoryDayPath(d Date) string { return "/history/" + string(d) + "/" }

// HistoryDayJSONPath returns the path of the document of a day of the history.
func HistoryDayJSONPath(d Date) string { return "/api/history/" + string(d) + ".json" }

// PairPath returns the path of the page that compares two protocols, whose id is that of the one, -vs- and that of the
// other.
func PairPath(id string) string { return ComparePath + id + "/" }

// RecordHistoryPath returns the path of the changes of a record, on the page of its evidence; see HistoryPathID.
func RecordHistoryPath(id string) string { return EvidencePath(id) + "#history" }

// EvidencePath returns the path of the page of the evidence for a record; see HistoryPathID.
func EvidencePath(id string) string { return "/evidence/" + id + "/" }

// EvidenceJSONPath returns the path of the document of the evidence for a record that is no library entry; see
// Catalog.EvidenceJSONPath.
func EvidenceJSONPath(id string) string { return "/api/evidence/" + id + ".json" }

// NewsItemPath returns the path of an item of news on the page of the news.
func NewsItemPath(id string) string { return NewsPath + "#news-" + id }

// NewsAtomPath returns the path of a feed of news as Atom; see Catalog.NewsFeedIDs.
func NewsAtomPath(id string) string { return NewsPath + id + ".atom" }

// NewsJSONFeedPath returns the path of a feed of news as JSON Feed.
func NewsJSONFeedPath(id string) string { return NewsPath + id + ".json" }

// ProtocolAtomPath returns the path of the Atom feed of a protocol.
func ProtocolAtomPath(id string) string { return ProtocolPath(id) + "feed.atom" }

// ProtocolJSONFeedPath returns the path of the JSON Feed of a protocol.
func ProtocolJSONFeedPath(id string) string { return ProtocolPath(id) + "feed.json" }

// TagAtomPath returns the path of the Atom feed of a tag.
func TagAtomPath(tag string) string { return TagPath(tag) + "feed.atom" }

// TagJSONFeedPath returns the path of the JSON Feed of a tag.
func TagJSONFeedPath(tag string) string { return TagPath(tag) + "feed.json" }

// PicturePath returns the path of the picture that social networks show beside a link. page is the path of the page
// with dots for its inner slashes, or home.
func PicturePath(page string) string { return "/og/" + page + ".png" }

// QRPath returns the path of the QR code of a support method; see SupportMethod for the names.
func QRPath(method string) string { return "/qr/" + method + ".svg" }

// DatasetPath returns the path of the page of a dataset.
func DatasetPath(slug string) string { return "/datasets/" + slug + "/" }

// DatasetCardPath returns the path of the card of a dataset.
func DatasetCardPath(slug string) string { return DatasetPath(slug) + "card.json" }

// DatasetReadmePath returns the path of the README of a dataset.
func DatasetReadmePath(slug string) string { return DatasetPath(slug) + "README.md" }

// DatasetCroissantPath returns the path of the Croissant metadata of a dataset.
func DatasetCroissantPath(slug string) string { return DatasetPath(slug) + "croissant.json" }

// DatasetFilePath returns the path of a data file of a dataset; ext is jsonl or csv. Those of the library are shorter
// than the rule would make them.
func DatasetFilePath(slug, ext string) string {
	if slug == "library" {
		return "/dataset/library." + ext
	}
	return DatasetPath(slug) + slug + "." + ext
}

// VectorPath returns the path of the test vector of a shape.
func VectorPath(shape string) string { return "/api/402/" + shape + ".json" }

// ClientPath returns the path of a measured client on the page of all.
func ClientPath(id string) string { return ClientsPath + "#" + id }

// ArticlePath returns the path of the page of an article.
func ArticlePath(slug string) string { return "/articles/" + slug + "/" }

// ArticleJSONPath returns the path of the document of an article.
func ArticleJSONPath(slug string) string { return "/api/articles/" + slug + ".json" }

// SchemaPath returns the path of a JSON Schema; see SchemaNames.
func SchemaPath(name string) string { return "/schemas/" + name + ".schema.json" }

// SkillPath returns the path of a skill's file.
func SkillPath(name string) string { return "/.well-known/agent-skills/" + name + "/SKILL.md" }

// Anchors are the anchors that a page has so far.
type Anchors map[string]bool

// NewAnchors returns the anchors that the page of a text has without its headings.
func NewAnchors() Anchors { return Anchors{"main": true, "toc": true, "sources": true} }

// Add adds the anchor of a heading and returns it: a prefix, and its words in lower case, joined by hyphens, with a number
// if it is taken. An anchor begins with a letter, so numbers in front are left out.
func (a Anchors) Add(prefix, heading string) string {
	words := strings.FieldsFunc(strings.ToLower(heading), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	for len(words) > 1 && words[0][0] <= '9' {
		words = words[1:]
	}
	if len(words) == 0 || words[0][0] <= '9' {
		words = append([]string{"section"}, words...)
	}
	id := prefix + strings.Join(words, "-")
	unique := id
	for n := 2; a[unique]; n++ {
		unique = fmt.Sprintf("%s-%d", id, n)
	}
	a[unique] = true
	return unique
}
