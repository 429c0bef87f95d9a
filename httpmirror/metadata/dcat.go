package metadata

import (
	"almanac/catalog"
	"almanac/httpmirror/file"
)

// DCAT returns the description of all datasets for data portals, in DCAT 3 (www.w3.org/TR/vocab-dcat-3).
func (r *Renderer) DCAT() any {
	publisher := object{
		{"@id", r.site.URL("/#publisher")}, {"@type", "foaf:Agent"}, {"foaf:name", r.identity.Name},
		{"foaf:homepage", iri(r.site.URL(catalog.HomePath))},
	}
	var datasets []object
	for _, d := range r.cat.Datasets() {
		datasets = append(datasets, r.dcatDataset(d))
	}
	return object{
		{"@context", object{
			{"dcat", "http://www.w3.org/ns/dcat#"},
			{"dct", "http://purl.org/dc/terms/"},
			{"foaf", "http://xmlns.com/foaf/0.1/"},
			{"spdx", "http://spdx.org/rdf/terms#"},
			{"xsd", "http://www.w3.org/2001/XMLSchema#"},
		}},
		{"@id", r.site.URL(catalog.DCATPath)},
		{"@type", "dcat:Catalog"},
		{"dct:title", english(r.identity.Name)},
		{"dct:description", english(r.identity.Description)},
		{"dct:publisher", publisher},
		{"dct:license", iri(r.identity.License.URL)},
		{"dct:modified", typed(r.cat.Timestamp(r.cat.DatasetsDay()), "xsd:dateTime")},
		{"foaf:homepage", iri(r.site.URL(catalog.HomePath))},
		{"dcat:dataset", append(datasets, r.dcatFacts())},
		{"dcat:service", r.dcatServices()},
	}
}

func (r *Renderer) dcatDataset(d *catalog.Dataset) object {
	var files []object
	for _, f := range d.Files {
		files = append(files, object{
			{"@id", r.site.URL(f.Path)},
			{"@type", "dcat:Distribution"},
			{"dct:title", english(fileName(f.Path))},
			{"dcat:accessURL", iri(r.site.URL(f.Path))},
			{"dcat:downloadURL", iri(r.site.URL(f.Path))},
			{"dcat:mediaType", mediaTypeIRI(file.BareType(f.MediaType))},
			{"dct:license", iri(d.License)},
			{"dcat:byteSize", typed(f.Bytes(), "xsd:nonNegativeInteger")},
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
		{"@id", r.site.URL(catalog.DatasetPath(d.ID))},
		{"@type", "dcat:Dataset"},
		{"dct:identifier", d.ID},
		{"dct:title", english(d.Title)},
		{"dct:description", english(d.Summary)},
		{"dcat:keyword", keywords},
		{"dct:license", iri(d.License)},
		{"dct:publisher", iri(r.site.URL("/#publisher"))},
		{"dct:modified", typed(d.VerifiedAt, "xsd:date")},
		{"dcat:landingPage", iri(r.site.URL(catalog.DatasetPath(d.ID)))},
		{"dcat:distribution", files},
	}
	if d.DatePublished != nil {
		doc = doc.add("dct:issued", typed(*d.DatePublished, "xsd:date"))
	}
	return doc
}

// dcatFacts describes the protocol facts, which are a dataset whose file is a document.
func (r *Renderer) dcatFacts() object {
	var newest catalog.Date
	for _, p := range r.cat.Protocols().Protocols {
		newest = max(newest, p.VerifiedAt())
	}
	distribution := func(path, mediaType string) object {
		return object{
			{"@id", r.site.URL(path)}, {"@type", "dcat:Distribution"}, {"dct:title", english(fileName(path))},
			{"dcat:accessURL", iri(r.site.URL(path))}, {"dcat:downloadURL", iri(r.site.URL(path))},
			{"dcat:mediaType", mediaTypeIRI(mediaType)}, {"dct:license", iri(r.identity.License.URL)},
		}
	}
	return object{
		{"@id", r.site.URL(catalog.ProtocolsPath)},
		{"@type", "dcat:Dataset"},
		{"dct:identifier", "protocol-facts"},
		{"dct:title", english("Protocol facts")},
		{"dct:description", english(r.cat.Protocols().Description)},
		{"dct:license", iri(r.identity.License.URL)},
		{"dct:publisher", iri(r.site.URL("/#publisher"))},
		{"dct:modified", typed(newest, "xsd:date")},
		{"dcat:landingPage", iri(r.site.URL(catalog.ProtocolsPath))},
		{"dcat:distribution", []object{
			distribution(catalog.ProtocolsJSONPath, "application/json"),
			distribution(catalog.ProtocolsMarkdownPath, "text/markdown"),
		}},
	}
}

// dcatServices describes the interfaces that are not files.
func (r *Renderer) dcatServices() []object {
	list := []object{{
		{"@id", r.site.MCPURL()}, {"@type", "dcat:DataService"},
		{"dct:title", english("Read-only tool server (MCP, streamable HTTP)")},
		{"dcat:endpointURL", iri(r.site.MCPURL())}, {"dcat:endpointDescription", iri(r.site.ServerCardURL())},
	}}
	if r.cat.Payments() != catalog.PaymentsOff {
		list = append(list, object{
			{"@id", r.site.SearchURL()}, {"@type", "dcat:DataService"}, {"dct:title", english("Paid search (L402)")},
			{"dcat:endpointURL", iri(r.site.SearchURL())}, {"dcat:endpointDescription", iri(r.site.URL(catalog.OpenAPIPath))},
		})
	}
	return list
}

func iri(address string) object { return object{{"@id", address}} }

func english(text string) object { return object{{"@value", text}, {"@language", "en"}} }

func typed(value any, typ string) object { return object{{"@value", value}, {"@type", typ}} }

// mediaTypeIRI returns a media type as DCAT has it: by its address in the IANA registry.
func mediaTypeIRI(mediaType string) object {
	return iri("https://www.iana.org/assignments/media-types/" + mediaType)
}
