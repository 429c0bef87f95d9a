package httpmirror

import (
	"strings"
	"testing"

	"go.almanac.example/catalog"
)

// TestNoCheckIsClaimed: while no link check has run, no page or Markdown file of an entry says that its link was checked, and /links/
// says that none ran; an entry whose status was observed shows the day and the status.
func TestNoCheckIsClaimed(t *testing.T) {
	m := mirrorOf(t)
	for _, e := range m.cat.Entries() {
		if e.HTTPStatus != 0 {
			t.Fatalf("%s has a status, and no check has run in the repository", e.ID)
		}
		for _, path := range []string{catalog.EntryPath(e.ID), catalog.MarkdownPath(catalog.EntryPath(e.ID))} {
			f, _ := m.File(path)
			if text := strings.ToLower(string(f.Body)); strings.Contains(text, "link last") || strings.Contains(text, "looked at") {
				t.Errorf("%s says when its link was checked, which it was not", path)
			}
		}
	}
	for _, path := range []string{catalog.LinksPath, catalog.MarkdownPath(catalog.LinksPath)} {
		if f, _ := m.File(path); !strings.Contains(string(f.Body), "No link has been checked over the network from this installation yet.") {
			t.Errorf("%s does not say that no check has run", path)
		}
	}
	checked := mirrorOf(t, [3]string{mqttFile, `"http_status": 0`, `"http_status": 200`})
	for _, path := range []string{catalog.EntryPath("mqtt-5"), catalog.MarkdownPath(catalog.EntryPath("mqtt-5"))} {
		f, _ := checked.File(path)
		if !strings.Contains(string(f.Body), "Link last checked") || !strings.Contains(string(f.Body), "200") {
			t.Errorf("%s does not show the check that was made", path)
		}
	}
}
