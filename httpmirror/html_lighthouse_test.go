package httpmirror

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
	"go.almanac.example/fixtures"
	"go.almanac.example/internal/parttest"
)

// A lighthouseReport is what TestLighthouse reads of a report.
type lighthouseReport struct {
	RuntimeError *struct{ Message string }
	Categories   map[string]struct {
		Score     float64
		AuditRefs []struct {
			ID     string
			Weight float64
		}
	}
	Audits map[string]struct {
		Score            *float64
		ScoreDisplayMode string
		Title            string
		DisplayValue     string
	}
}

// servedMirror serves the published records under the address that its documents name.
func servedMirror(t *testing.T) (m *Mirror, base string) {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	t.Cleanup(server.Close)
	base = "http://" + server.Listener.Addr().String()
	site := catalog.Site{Base: base, API: base, MCP: base}
	c, err := load.Load(fixtures.FS, catalog.Options{Site: site, GeneratedAt: testTime, Payments: catalog.PaymentsLive})
	if err != nil {
		t.Fatal(err)
	}
	if m, err = Build(c, Options{}); err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = m
	server.Start()
	return m, base
}

// TestLighthouse has Lighthouse look at six kinds of page as on a phone. What follows from the page alone, which is accessibility, best
// practices and what search engines need, is at least 95 of 100. What depends on the machine, the performance, is logged.
func TestLighthouse(t *testing.T) {
	lighthouse := pageTools(t, "lighthouse/cli/index.js")
	chromium := parttest.Program(t, "chromium-headless-shell", "setup-pages.sh")
	m, base := servedMirror(t)
	for _, path := range []string{
		catalog.HomePath, catalog.ProtocolPath("l402"), catalog.ComparePath, catalog.ArticlePath(m.cat.Articles()[0].ID),
		catalog.EntryPath(m.cat.Entries()[0].ID), catalog.FindPath,
	} {
		out := filepath.Join(t.TempDir(), "report.json")
		var said []byte
		var err error
		for range 3 { // when Lighthouse missed how the page loaded (NO_NAVSTART), it asks to be run again
			run := exec.CommandContext(t.Context(), "node", lighthouse, base+path, "--output=json", "--output-path="+out, "--quiet",
				"--chrome-flags=--headless --no-sandbox --disable-gpu --disable-quic", "--max-wait-for-load=120000")
			run.Env = append(os.Environ(), "CHROME_PATH="+chromium)
			if said, err = run.CombinedOutput(); err == nil || !strings.Contains(string(said), "NO_NAVSTART") {
				break
			}
		}
		if err != nil {
			t.Fatalf("%s: %v\n%.2000s", path, err, said)
		}
		body, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		var report lighthouseReport
		if err := json.Unmarshal(body, &report); err != nil || report.RuntimeError != nil {
			t.Fatalf("%s: %v %+v", path, err, report.RuntimeError)
		}
		scores := make(map[string]int)
		for _, name := range []string{"accessibility", "best-practices", "seo", "performance"} {
			category, ok := report.Categories[name]
			scores[name] = int(100*category.Score + .5)
			if !ok || name != "performance" && scores[name] < 95 {
				t.Errorf("%s: %s is %d of 100, want at least 95", path, name, scores[name])
			}
			for _, ref := range category.AuditRefs {
				if a := report.Audits[ref.ID]; a.Score != nil && *a.Score < .9 && ref.Weight > 0 && !slices.Contains([]string{"manual", "notApplicable"}, a.ScoreDisplayMode) {
					t.Logf("%s: %s: %s: %s %s", path, name, ref.ID, a.Title, a.DisplayValue)
				}
			}
		}
		t.Logf("%s: %v", path, scores)
	}
}
