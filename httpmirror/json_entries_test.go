package httpmirror

import (
	"testing"

	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/httpmirror/markdown"
	"almanac/wirejson"
)

// Documents that are assembled from encoded entries equal those that are encoded as wholes.
func TestEntryDocumentsAreEncodedAsWholes(t *testing.T) {
	m := realMirror(t)
	c := m.cat
	whole := make(map[string]any)
	for _, k := range c.Categories() {
		whole[catalog.CategoryJSONPath(k.ID)], _ = c.CategoryList(k.ID)
	}
	for _, tag := range c.Tags() {
		whole[catalog.TagJSONPath(tag.ID)], _ = c.TagList(tag.ID)
	}
	for _, e := range c.Entries() {
		whole[catalog.EntryJSONPath(e.ID)] = c.EntryDocument(e)
	}
	for _, d := range c.ChangeDays() {
		whole[catalog.ChangesJSONPath(d)] = c.Changes(d)
	}
	for path, doc := range whole {
		wantEncoded(t, m, path, doc)
	}
}

func wantEncoded(t *testing.T, m *Mirror, path string, doc any) {
	t.Helper()
	want, err := wirejson.Indent(doc)
	if err != nil {
		t.Fatal(err)
	}
	if f, ok := m.File(path); !ok || string(f.Body) != string(want) {
		t.Errorf("%s is not the document encoded as a whole", path)
	}
}

// A list without entries is an empty list, and one of a single entry has no comma.
func TestEntryListOfFew(t *testing.T) {
	c := realCatalog(t)
	for n := range 3 {
		entries := c.Entries()[:n]
		want, err := wirejson.Indent(&catalog.TagList{Entries: entries})
		if err != nil {
			t.Fatal(err)
		}
		var got markdown.Writer
		if err := newEntryEncoder(c, file.NewMemo(0)).list(&got, &catalog.TagList{Entries: []*catalog.Entry{}}, entries); err != nil {
			t.Fatal(err)
		}
		if got.String() != string(want) {
			t.Errorf("%d entries:\n%s\nwant\n%s", n, got.String(), want)
		}
	}
}
