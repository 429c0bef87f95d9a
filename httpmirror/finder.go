package httpmirror

import (
	"fmt"
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/httpmirror/markdown"
	"almanac/index/find"
)

// newFinder returns the finder of the catalogue's records.
func (r *renderer) newFinder() (*find.Finder, error) {
	names := make(map[string][]string)
	for _, kindName := range []string{"protocol", "article", "dataset"} {
		for _, k := range r.kinds {
			if k.name != kindName {
				continue
			}
			for _, id := range k.list(r.cat) {
				list, err := r.sectionNames(k, id)
				if err != nil {
					return nil, fmt.Errorf("find sections: %w", err)
				}
				names[kindName+":"+id] = list
			}
		}
	}
	return find.New(find.Records(r.cat, func(id string) []string { return names[id] }))
}

// asWords writes the name of a section as words.
var asWords = strings.NewReplacer("-", " ", "_", " ")

// sectionNames returns the names of the sections of a document as words.
func (r *renderer) sectionNames(k *kind, id string) (names []string, err error) {
	f, ok := k.form(file.Markdown)
	if !ok {
		return nil, nil
	}
	var w markdown.Writer
	if _, err := k.write(r, &w, &f, id); err != nil {
		return nil, err
	}
	for _, s := range markdown.Sections(w.String()) {
		names = append(names, asWords.Replace(s.Name))
	}
	return names, nil
}

// findDocument returns the finder as a document.
func (r *renderer) findDocument() (*find.Document, error) {
	f, err := r.finder.get()
	if err != nil {
		return nil, err
	}
	doc, err := f.Document()
	if err != nil {
		return nil, err
	}
	doc.SchemaVersion, doc.GeneratedAt = catalog.SchemaVersion, r.cat.GeneratedAt()
	return doc, nil
}
