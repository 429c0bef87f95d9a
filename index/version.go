package index

import (
	"fmt"
	"strings"

	"go.almanac.example/catalog"
)

// versionRecords returns the earlier versions of a protocol, each a document of its own.
func versionRecords(c *catalog.Catalog, protocol string) (list []record) {
	for _, v := range c.Versions(protocol) {
		list = append(list, record{
			change: &catalog.Change{
				ID: "protocol:" + protocol + "#" + catalog.VersionAnchor(v.Version), Kind: KindProtocol,
				Title: c.VersionTitle(protocol, v.Version), DatePublished: v.Since,
				URL: c.Site().URL(catalog.VersionPath(protocol, v.Version)), VerifiedAt: v.Facts.VerifiedAt(),
			},
			names: []string{protocol + "@" + v.Version}, labels: protocol + " " + v.Version + ", earlier version",
			passages: versionPassages(c, protocol, &v),
		})
	}
	return list
}

// versionVerbs begin the sentences about the facts of a version.
var versionVerbs = map[string]string{
	"spec_url": "has its specification at", "http_status_codes": "uses the HTTP status codes",
	"http_headers": "uses the HTTP headers", "payment_rail": "is paid over:", "networks": "runs on the networks",
	"facilitators": "has the facilitators", "client_libraries": "has the client libraries",
	"pay_flow": "is paid in these steps:", "notes": "has these particulars:", "example": "looks like this:",
}

// versionPassages returns the facts of an earlier version of a protocol as sentences.
func versionPassages(c *catalog.Catalog, protocol string, v *catalog.ProtocolVersion) []Passage {
	title, page := c.VersionTitle(protocol, v.Version), c.Site().URL(catalog.VersionPath(protocol, v.Version))
	list := []Passage{{Kind: PassageSummary, Title: title, URL: page, VerifiedAt: v.Facts.VerifiedAt(),
		Text: fmt.Sprintf("%s is an earlier version of %s (%s).", title, c.ProtocolName(protocol), v.Span())}}
	for _, f := range v.Facts.Facts() {
		if f.Value == nil {
			continue
		}
		p := Passage{Kind: PassageFact, Title: f.Label, URL: page, Source: f.Source, VerifiedAt: f.VerifiedAt,
			topic: f.Topic, addresses: " " + f.Source}
		sep := factSeparator(f.Name)
		text := title + " " + versionVerbs[f.Name] + " " + strings.Join(FactParts(f.Value), sep)
		list = p.appendParts(list, text, sep)
	}
	return list
}
