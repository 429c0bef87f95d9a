package metadata

import (
	"strconv"
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/file"
)

// croissantContext is the context that the Croissant format specification 1.0 prescribes
// (docs.mlcommons.org/croissant/docs/croissant-spec.html, "Appendix 1: JSON-LD context").
var croissantContext = object{
	{"@language", "en"},
	{"@vocab", "https://schema.org/"},
	{"citeAs", "cr:citeAs"},
	{"column", "cr:column"},
	{"conformsTo", "dct:conformsTo"},
	{"cr", "http://mlcommons.org/croissant/"},
	{"rai", "http://mlcommons.org/croissant/RAI/"},
	{"data", object{{"@id", "cr:data"}, {"@type", "@json"}}},
	{"dataType", object{{"@id", "cr:dataType"}, {"@type", "@vocab"}}},
	{"dct", "http://purl.org/dc/terms/"},
	{"examples", object{{"@id", "cr:examples"}, {"@type", "@json"}}},
	{"extract", "cr:extract"},
	{"field", "cr:field"},
	{"fileProperty", "cr:fileProperty"},
	{"fileObject", "cr:fileObject"},
	{"fileSet", "cr:fileSet"},
	{"format", "cr:format"},
	{"includes", "cr:includes"},
	{"isLiveDataset", "cr:isLiveDataset"},
	{"jsonPath", "cr:jsonPath"},
	{"key", "cr:key"},
	{"md5", "cr:md5"},
	{"parentField", "cr:parentField"},
	{"path", "cr:path"},
	{"recordSet", "cr:recordSet"},
	{"references", "cr:references"},
	{"regex", "cr:regex"},
	{"repeated", "cr:repeated"},
	{"replace", "cr:replace"},
	{"sc", "https://schema.org/"},
	{"separator", "cr:separator"},
	{"source", "cr:source"},
	{"subField", "cr:subField"},
	{"transform", "cr:transform"},
}

// croissantTypes are the data types by the types of columns.
var croissantTypes = map[string]string{
	"string": "sc:Text", "integer": "sc:Integer", "boolean": "sc:Boolean", "date": "sc:Date", "url": "sc:URL", "list": "sc:Text",
}

// Croissant returns the description of a dataset for machine-learning tools, in Croissant 1.0.
func (r *Renderer) Croissant(d *catalog.Dataset) any {
	doc := object{
		{"@context", croissantContext},
		{"@type", "sc:Dataset"},
		{"conformsTo", "http://mlcommons.org/croissant/1.0"},
		{"name", d.ID},
		{"alternateName", d.Title},
		{"description", d.Summary},
		{"license", d.License},
		{"url", r.site.URL(catalog.DatasetPath(d.ID))},
		{"creator", object{{"@type", "sc:Organization"}, {"name", r.identity.Name}, {"url", r.site.URL(catalog.HomePath)}}},
	}
	if d.DatePublished != nil {
		doc = doc.add("datePublished", *d.DatePublished)
	}
	files := make([]object, len(d.Files))
	for i, f := range d.Files {
		files[i] = object{
			{"@type", "cr:FileObject"},
			{"@id", fileName(f.Path)},
			{"name", fileName(f.Path)},
			{"contentUrl", r.site.URL(f.Path)},
			{"contentSize", strconv.Itoa(f.Bytes()) + " B"},
			{"encodingFormat", file.BareType(f.MediaType)},
			{"sha256", f.SHA256()},
		}
	}
	return append(doc, object{
		{"dateModified", d.VerifiedAt},
		{"version", dateVersion(d.VerifiedAt)},
		{"keywords", d.Keywords},
		{"inLanguage", "en"},
		{"isLiveDataset", true},
		{"distribution", files},
		{"recordSet", []object{croissantRecords(d)}},
	}...)
}

// croissantRecords returns the description of the rows, as the CSV file holds them.
func croissantRecords(d *catalog.Dataset) object {
	csvID := d.ID + ".csv"
	fields := make([]object, len(d.Columns))
	for i, c := range d.Columns {
		source := object{{"fileObject", object{{"@id", csvID}}}, {"extract", object{{"column", c.Name}}}}
		if c.Type == "list" {
			source = source.add("transform", object{{"separator", catalog.ListSeparator}})
		}
		fields[i] = object{
			{"@type", "cr:Field"},
			{"@id", "records/" + c.Name},
			{"name", c.Name},
			{"description", c.Description},
			{"dataType", croissantTypes[c.Type]},
		}
		if c.Type == "list" {
			fields[i] = fields[i].add("repeated", true)
		}
		fields[i] = fields[i].add("source", source)
	}
	return object{
		{"@type", "cr:RecordSet"}, {"@id", "records"}, {"name", "records"},
		{"description", strconv.Itoa(d.RowCount) + " rows."}, {"field", fields},
	}
}

// dateVersion returns a day as a version of three numbers without leading zeros (semver.org).
func dateVersion(d catalog.Date) string {
	t := d.Time()
	return strconv.Itoa(t.Year()) + "." + strconv.Itoa(int(t.Month())) + "." + strconv.Itoa(t.Day())
}

func fileName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
