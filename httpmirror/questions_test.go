package httpmirror

import (
	"html"
	"net/http"
	"strings"
	"testing"

	"go.almanac.example/catalog"
)

// TestQuestionsStandOnPages: the page of each record shows the questions that search finds it by.
func TestQuestionsStandOnPages(t *testing.T) {
	m := realMirror(t)
	paths := make(map[string]string) // of pages, by record
	for _, a := range m.cat.Articles() {
		paths["article:"+a.ID] = catalog.ArticlePath(a.ID)
	}
	for _, d := range m.cat.Datasets() {
		paths["dataset:"+d.ID] = catalog.DatasetPath(d.ID)
	}
	for _, p := range m.cat.Protocols().Protocols {
		paths["protocol:"+p.ID] = catalog.ProtocolPath(p.ID)
	}
	for _, e := range m.cat.Entries() {
		paths[e.ID] = catalog.EntryPath(e.ID)
	}
	shown := 0
	for record, path := range paths {
		page := html.UnescapeString(bodyOf(t, ask(t, m, http.MethodGet, path, "Accept", "text/html")))
		for _, q := range m.cat.Questions(record) {
			if shown++; !strings.Contains(page, "<li>"+q+"</li>") {
				t.Errorf("%s does not show the question %q", path, q)
			}
		}
	}
	if shown < 500 {
		t.Errorf("pages show %d questions, not the hundreds of the catalogue", shown)
	}
}
