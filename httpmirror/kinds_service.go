package httpmirror

import (
	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/httpmirror/html"
)

// supportKinds are the support document and its pictures.
var supportKinds = []*kind{
	{
		name: "support", title: "Support document",
		description: "Voluntary ways to donate to this service.",
		only:        func(c *catalog.Catalog, _ Options) bool { return c.TakesTips() },
		day:         sharedDay((*catalog.Catalog).SupportDay),
		record:      "support.support-document",
		forms: singleForms("support", "support",
			paths{json: catalog.SupportJSONPath, page: catalog.SupportPath},
			(*catalog.Catalog).Support, (*html.Pages).Support),
		offered:  func(c *catalog.Catalog) bool { return !c.SupportIsSample() },
		resource: "library://support",
		llms:     llmsLine("Optional", "Donate", "voluntary donations; nothing depends on them"),
	},
	{
		name: "qr", title: "QR code",
		ids: idsOf(func(c *catalog.Catalog) []catalog.SupportMethod { return c.Support().Methods },
			func(m catalog.SupportMethod) string { return m.Name }),
		forms: []form{rawForm(catalog.QRPath("{method}"), file.SVG, func(r *renderer, id string) ([]byte, error) {
			if r.cat.SupportIsSample() {
				return html.NoQR(), nil
			}
			for _, m := range r.cat.Support().Methods {
				if m.Name == id {
					return html.QR(m.QRText)
				}
			}
			return nil, nil // ids are those of the kind
		})},
	},
}

// serviceKinds are the trust checklist and the link checker.
var serviceKinds = []*kind{
	{
		name: "trust", title: "Trust checklist",
		description: "What this service promises, each promise with a test, and its error codes.",
		day:         sharedDay((*catalog.Catalog).FreshnessDay),
		record:      "support.trust-checklist",
		forms: singleForms("trust", "trust",
			paths{json: catalog.TrustJSONPath, page: catalog.TrustPath},
			(*catalog.Catalog).Trust, (*html.Pages).Trust),
		resource: "library://trust",
		llms: llmsLine("Facts", "Trust checklist",
			"promises with a test for each, stable addresses, error codes, credit limits"),
		full: 5,
	},
	{
		name: "connect", title: "Connect an agent",
		description: "Commands, links and configuration that connect MCP hosts to this site.",
		day:         sharedDay((*catalog.Catalog).ConnectDay),
		forms: singleForms("connect", "connect",
			paths{json: catalog.ConnectJSONPath, page: catalog.ConnectPath},
			(*catalog.Catalog).Connect, (*html.Pages).Connect),
		navigation: "Connect",
		resource:   "library://connect",
		llms:       llmsLine("Interfaces", "Connect an agent", "install commands and configuration for MCP hosts"),
	},
	{
		name: "privacy", title: "Privacy",
		description: "What this service keeps of those who use it, and for how long.",
		day:         sharedDay((*catalog.Catalog).PrivacyDay),
		forms: singleForms("privacy", "privacy",
			paths{json: catalog.PrivacyJSONPath, page: catalog.PrivacyPath},
			(*catalog.Catalog).Privacy, (*html.Pages).Privacy),
		llms: llmsLine("Optional", "Privacy", "what this service keeps of those who use it"),
	},
	{
		name: "links", title: "Link check",
		description: "The findings of the link checker's last round.",
		only:        withLinkChecker,
		day:         sharedDay((*catalog.Catalog).LinksDay),
		forms: singleForms("links", "links",
			paths{json: catalog.LinksJSONPath, page: catalog.LinksPath},
			(*catalog.Catalog).LinkDocument, (*html.Pages).Links),
	},
	{
		name: "bot", title: "Link checker",
		description: "The program that checks the links of the library, and how to opt out of its visits.",
		only:        withLinkChecker,
		day:         sharedDay((*catalog.Catalog).BotDay),
		record:      "bot.link-checker",
		forms: []form{
			pageForm(catalog.BotPath, func(r *renderer, _ string) html.Page { return r.html.Bot() }),
			jsonForm(catalog.BotJSONPath, "bot",
				func(r *renderer, _ string) any { return r.cat.BotDocument() }),
			markdownForm(catalog.MarkdownPath(catalog.BotPath), func(r *renderer, _ string) []byte {
				return r.markdown.Document("bot", r.cat.BotDocument())
			}),
		},
	},
}
