package httpmirror

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	"almanac/catalog"
	"almanac/httpmirror/file"
)

// encodeJSON writes a document: two spaces of indentation, < > & as they are, one newline at the
// end. It is the form in which the curated files are kept too.
func encodeJSON(v any) ([]byte, error) {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.Reset()
	if err := e.json.Encode(v); err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return bytes.Clone(e.Bytes()), nil
}

// An encoder keeps the memory that indenting takes, which is several times that of the document.
type encoder struct {
	bytes.Buffer
	json *json.Encoder
}

var encoders = sync.Pool{New: func() any {
	e := new(encoder)
	e.json = json.NewEncoder(e)
	e.json.SetEscapeHTML(false)
	e.json.SetIndent("", "  ")
	return e
}}

// addJSON adds a document.
func (b *builder) addJSON(path string, v any, alternates ...file.Alternate) error {
	return b.addJSONAs(path, file.JSON, v, alternates...)
}

func (b *builder) addJSONAs(path, mediaType string, v any, alternates ...file.Alternate) error {
	body, err := encodeJSON(v)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return b.add(path, mediaType, body, alternates...)
}

// A jsonFile is a document with its address.
type jsonFile struct {
	path string
	doc  any
}

// jsonFiles adds every document of the catalog.
func (b *builder) jsonFiles() error {
	c := b.cat
	list := []jsonFile{
		{catalog.LibraryJSONPath, c.CategoryIndex()},
		{catalog.TagsJSONPath, c.TagIndex()},
		{catalog.ProtocolsJSONPath, c.Protocols()},
		{catalog.ChangesIndexJSONPath, c.ChangeIndex()},
		{catalog.SupportJSONPath, c.Support()},
		{catalog.DatasetsJSONPath, c.DatasetIndex()},
		{catalog.ArticlesJSONPath, c.ArticleIndex()},
		{catalog.TrustJSONPath, c.Trust()},
		{catalog.LinksJSONPath, c.LinkDocument()},
	}
	for _, d := range c.ChangeDays() {
		list = append(list, jsonFile{catalog.ChangesJSONPath(d), c.Changes(d)})
	}
	for _, d := range c.Datasets() {
		list = append(list, jsonFile{catalog.DatasetCardPath(d.ID), c.DatasetCard(d)})
	}
	if err := file.Parallel(len(list), func(i int) error { return b.addJSON(list[i].path, list[i].doc) }); err != nil {
		return err
	}
	return b.entryDocuments()
}
