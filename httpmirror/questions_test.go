package httpmirror

import (
	"html"
	"net/http"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/index"
)

// TestQuestionsLeadToAnswers: the page of each record shows the questions that its passages answer, each as a link to
// the passage.
func TestQuestionsLeadToAnswers(t *testing.T) {
	m := realMirror(t)
	shown := 0
	for _, e := range m.cat.Entries() {
		answers := index.Answers(m.cat, e.ID)
		if len(answers) == 0 {
			continue
		}
		page := html.UnescapeString(bodyOf(t, ask(t, m, http.MethodGet, catalog.EntryPath(e.ID), "Accept", "text/html")))
		for _, a := range answers {
			path := strings.TrimPrefix(a.URL, m.cat.Site().Base)
			if shown++; !strings.Contains(page, `<a href="`+path+`">`+a.Name+"</a>") {
				t.Errorf("%s does not lead by %q to %s", catalog.EntryPath(e.ID), a.Name, path)
			}
		}
	}
	t.Logf("pages lead to the answers of %d questions", shown)
}
