package metadata

import (
	"fmt"
	"strconv"
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/file"
)

// croissantContext is the context that the Croissant format specification 1.1 prescribes
// (docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html, "Appendix 1: JSON-LD context").
var croissantContext = func() object {
	c := object{
		{"@language", "en"}, {"@vocab", "http://schema.org/"}, {"sc", "http://schema.org/"},
		{"cr", "http://mlcommons.org/croissant/"},
		{"rai", "http://mlcommons.org/croissant/RAI/"}, {"dct", "http://purl.org/dc/terms/"},
		{"conformsTo", "dct:conformsTo"},
		{"data", object{{"@id", "cr:data"}, {"@type", "@json"}}},
		{"dataType", object{{"@id", "cr:dataType"}, {"@type", "@vocab"}}},
		{"examples", object{{"@id", "cr:examples"}, {"@type", "@json"}}},
	}
	for term := range strings.FieldsSeq(`annotation arrayShape citeAs column containedIn equivalentProperty excludes extract field
		fileProperty fileObject fileSet format includes isArray isLiveDataset jsonPath key md5 parentField recordSet references regex
		readLines sdVersion separator source subField transform unArchive value`) {
		c = c.add(term, "cr:"+term)
	}
	return c
}()

// croissantTypes are the data types by the types of columns.
var croissantTypes = map[string]string{
	"string": "sc:Text", "integer": "sc:Integer", "boolean": "sc:Boolean", "date": "sc:Date", "url": "sc:URL",
	"list": "sc:Text",
}

// Croissant returns the description of a dataset for machine-learning tools, in Croissant 1.1.
func (r *Renderer) Croissant(d *catalog.Dataset) any {
	us := object{{"@type", "sc:Organization"}, {"name", r.identity.Name}, {"url", r.site.URL(catalog.HomePath)}}
	doc := object{
		{"@context", croissantContext},
		{"@type", "sc:Dataset"},
		{"conformsTo", "http://mlcommons.org/croissant/1.1"},
		{"name", d.ID},
		{"alternateName", d.Title},
		{"description", d.Summary},
		{"license", d.License},
		{"url", r.site.URL(catalog.DatasetPath(d.ID))},
		{"creator", us},
		{"publisher", us},
		{"citeAs", r.citation(d)},
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

// bibtex escapes the characters that BibTeX gives a meaning.
var bibtex = strings.NewReplacer(`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "%", `\%`, "&", `\&`, "#", `\#`, "_",
	`\_`, "$", `\$`)

// citation returns a citation of a dataset in BibTeX.
func (r *Renderer) citation(d *catalog.Dataset) string {
	return fmt.Sprintf("@misc{%s, author = {{%s}}, title = {{%s}}, year = {%d}, version = {%s}, url = {%s}}", d.ID,
		bibtex.Replace(r.identity.Name), bibtex.Replace(d.Title), d.VerifiedAt.Time().Year(), dateVersion(d.VerifiedAt),
		r.site.URL(catalog.DatasetPath(d.ID)))
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
			fields[i] = fields[i].add("isArray", true)
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
