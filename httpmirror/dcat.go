package httpmirror

import (
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/file"
)

// siteName is what the service calls itself.
const siteName = "almanac"

// siteDescription says what the service is, in a sentence.
const siteDescription = "Openly readable reference data about machine-to-machine payment protocols and agent protocols, each fact checked at its source."

// licenseURL is the licence of what the service itself writes (see catalog.License).
const licenseURL = "https://creativecommons.org/publicdomain/zero/1.0/"

// dcatCatalog adds the description of all datasets for data portals, in DCAT 3
// (www.w3.org/TR/vocab-dcat-3).
func (b *builder) dcatCatalog() error {
	publisher := object{
		{"@id", b.site.URL("/#publisher")}, {"@type", "foaf:Agent"}, {"foaf:name", siteName},
		{"foaf:homepage", iri(b.site.URL(catalog.HomePath))},
	}
	var datasets []object
	for _, d := range b.cat.Datasets() {
		datasets = append(datasets, b.dcatDataset(d))
	}
	doc := object{
		{"@context", object{
			{"dcat", "http://www.w3.org/ns/dcat#"},
			{"dct", "http://purl.org/dc/terms/"},
			{"foaf", "http://xmlns.com/foaf/0.1/"},
			{"spdx", "http://spdx.org/rdf/terms#"},
			{"xsd", "http://www.w3.org/2001/XMLSchema#"},
		}},
		{"@id", b.site.URL(catalog.DCATPath)},
		{"@type", "dcat:Catalog"},
		{"dct:title", english(siteName)},
		{"dct:description", english(siteDescription)},
		{"dct:publisher", publisher},
		{"dct:license", iri(licenseURL)},
		{"dct:modified", typed(b.cat.GeneratedAt(), "xsd:dateTime")},
		{"foaf:homepage", iri(b.site.URL(catalog.HomePath))},
		{"dcat:dataset", append(datasets, b.dcatFacts())},
		{"dcat:service", b.dcatServices()},
	}
	return b.addJSONAs(catalog.DCATPath, file.JSONLD, doc)
}

func (b *builder) dcatDataset(d *catalog.Dataset) object {
	var files []object
	for _, f := range d.Files {
		mediaType, _, _ := strings.Cut(f.MediaType, ";")
		files = append(files, object{
			{"@id", b.site.URL(f.Path)},
			{"@type", "dcat:Distribution"},
			{"dct:title", english(fileName(f.Path))},
			{"dcat:accessURL", iri(b.site.URL(f.Path))},
			{"dcat:downloadURL", iri(b.site.URL(f.Path))},
			{"dcat:mediaType", mediaTypeIRI(mediaType)},
			{"dct:license", iri(d.License)},
			{"dcat:byteSize", typed(len(f.Body), "xsd:nonNegativeInteger")},
			{"spdx:checksum", object{
				{"@type", "spdx:Checksum"},
				{"spdx:algorithm", iri("http://spdx.org/rdf/terms#checksumAlgorithm_sha256")},
				{"spdx:checksumValue", typed(f.SHA256(), "xsd:hexBinary")},
			}},
		})
	}
	keywords := make([]object, len(d.Keywords))
	for i, k := range d.Keywords {
		keywords[i] = english(k)
	}
	doc := object{
		{"@id", b.site.URL(catalog.DatasetPath(d.ID))},
		{"@type", "dcat:Dataset"},
		{"dct:identifier", d.ID},
		{"dct:title", english(d.Title)},
		{"dct:description", english(d.Summary)},
		{"dcat:keyword", keywords},
		{"dct:license", iri(d.License)},
		{"dct:publisher", iri(b.site.URL("/#publisher"))},
		{"dct:modified", typed(d.VerifiedAt, "xsd:date")},
		{"dcat:landingPage", iri(b.site.URL(catalog.DatasetPath(d.ID)))},
		{"dcat:distribution", files},
	}
	if d.DatePublished != nil {
		doc = doc.with("dct:issued", typed(*d.DatePublished, "xsd:date"))
	}
	return doc
}

// dcatFacts describes the protocol facts, which are a dataset whose file is a document.
func (b *builder) dcatFacts() object {
	var newest catalog.Date
	for _, p := range b.cat.Protocols().Protocols {
		newest = max(newest, p.VerifiedAt())
	}
	form := func(path, mediaType string) object {
		return object{
			{"@id", b.site.URL(path)}, {"@type", "dcat:Distribution"}, {"dct:title", english(fileName(path))},
			{"dcat:accessURL", iri(b.site.URL(path))}, {"dcat:downloadURL", iri(b.site.URL(path))},
			{"dcat:mediaType", mediaTypeIRI(mediaType)}, {"dct:license", iri(licenseURL)},
		}
	}
	return object{
		{"@id", b.site.URL(catalog.ProtocolsPath)},
		{"@type", "dcat:Dataset"},
		{"dct:identifier", "protocol-facts"},
		{"dct:title", english("Protocol facts")},
		{"dct:description", english(b.cat.Protocols().Description)},
		{"dct:license", iri(licenseURL)},
		{"dct:publisher", iri(b.site.URL("/#publisher"))},
		{"dct:modified", typed(newest, "xsd:date")},
		{"dcat:landingPage", iri(b.site.URL(catalog.ProtocolsPath))},
		{"dcat:distribution", []object{
			form(catalog.ProtocolsJSONPath, "application/json"), form(catalog.ProtocolsMarkdownPath, "text/markdown"),
		}},
	}
}

// dcatServices describes the interfaces that are not files.
func (b *builder) dcatServices() []object {
	list := []object{{
		{"@id", b.site.MCPURL()}, {"@type", "dcat:DataService"}, {"dct:title", english("Read-only tool server (MCP, streamable HTTP)")},
		{"dcat:endpointURL", iri(b.site.MCPURL())}, {"dcat:endpointDescription", iri(b.site.ServerCardURL())},
	}}
	if b.cat.Payments() != catalog.PaymentsOff {
		list = append(list, object{
			{"@id", b.site.SearchURL()}, {"@type", "dcat:DataService"}, {"dct:title", english("Paid search (L402)")},
			{"dcat:endpointURL", iri(b.site.SearchURL())}, {"dcat:endpointDescription", iri(b.site.URL(catalog.OpenAPIPath))},
		})
	}
	return list
}

func iri(address string) object { return object{{"@id", address}} }

func english(text string) object { return object{{"@value", text}, {"@language", "en"}} }

func typed(value any, typ string) object { return object{{"@value", value}, {"@type", typ}} }

// mediaTypeIRI names a media type as DCAT wants it: by its address in the IANA registry.
func mediaTypeIRI(mediaType string) object {
	return iri("https://www.iana.org/assignments/media-types/" + mediaType)
}
