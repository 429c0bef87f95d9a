package httpmirror

import (
	"encoding/json"
	"html"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/catalogtest"
	"go.almanac.example/catalog/load"
	"go.almanac.example/httpmirror/file"
)

// operatorMirror returns the site of an operator who took the program and wrote a catalogue of their own: the small one under another
// name, with three protocols.
func operatorMirror(t *testing.T) *Mirror {
	t.Helper()
	identity, err := os.ReadFile("testdata/operator/site.json")
	if err != nil {
		t.Fatal(err)
	}
	changes := map[string][]byte{"site.json": identity, "support.json": operatorSupport(t)}
	for _, id := range []string{"bolt12", "bip21", "nwc", "ap2", "acp", "ucp"} {
		changes["protocols/"+id+".json"] = nil
	}
	const host = "https://meridian.example"
	c, err := load.Load(catalogtest.Files(t, "testdata/small", changes), catalog.Options{
		Site: catalog.Site{Base: host, API: host, MCP: host}, GeneratedAt: testTime, Payments: catalog.PaymentsLive,
	})
	if err != nil {
		t.Fatal(err)
	}
	m, err := Build(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// theProgram is where the name of the program is meant, and not that of the site: its commands, its link checker, the caveats and the
// services of the paid interface, and its stylesheet and script, and its tool server.
var theProgram = regexp.MustCompile(`(?:cmd/)?almanac (check|export|explain|serve|init|get)|cmd/almanac|go\.almanac\.example|almanac-link-checker|almanac_(valid_until|credits|budget|sold)|(-service|name)": "almanac"|/static/almanac\.|` +
	`the program almanac|"?command\\?(?:"|&#34;|&quot;): \\?(?:"|&#34;|&quot;)almanac`)

// ours is what only the published catalogue is called and counts.
var ours = regexp.MustCompile(`(?i:almanac|\bnine\b)|CC0 1\.0|publicdomain|How machines pay, checked`)

// TestOperatorsCatalogue: what a site is called, who answers for it, under which licence it stands and how many protocols it compares
// comes from its site.json alone.
func TestOperatorsCatalogue(t *testing.T) {
	m := operatorMirror(t)
	for f := range m.Files() {
		if strings.HasPrefix(f.Path, "/static/") || strings.HasPrefix(f.Path, "/dataset") || f.Path == catalog.DCATPath || f.Path == catalog.LLMsFullPath {
			continue // the program's own files, and the datasets, whose cards state their own licence
		}
		for line := range strings.Lines(string(f.Body)) {
			line = theProgram.ReplaceAllString(line, "")
			if found := ours.FindString(line); found != "" {
				i := strings.Index(line, found)
				t.Errorf("%s has %q: …%s…", f.Path, found, line[max(0, i-80):min(len(line), i+80)])
				break
			}
		}
	}
	i := m.cat.Identity()
	for path, texts := range map[string][]string{
		"/":                     {"<h1>" + i.Headline + "</h1>", "3 protocols", i.License.URL},
		"/protocols/":           {"3 protocols"},
		"/trust/":               {`href="mailto:registrars@meridian.example"`, i.Verifier},
		"/trust.md":             {i.Verifier, "registrars@meridian.example"},
		"/llms.txt":             {"# " + i.Name, "of 3 payment protocols"},
		"/api/index.json":       {`"verified_by": "the registrars of Meridian"`, `"contact": "mailto:registrars@meridian.example"`},
		"/changes/feed.atom":    {"<name>" + i.Name + "</name>", i.License.URL},
		"/catalog.jsonld":       {i.Name, i.License.URL},
		"/openapi.json":         {i.Name, i.License.Name},
		"/api/library/iot.json": {"under CC BY 4.0."},
	} {
		f, ok := m.File(path)
		if !ok {
			t.Errorf("%s is missing", path)
			continue
		}
		var quoted any
		text := string(f.Body)
		if file.BareType(f.Type) == file.JSON && json.Unmarshal(f.Body, &quoted) != nil {
			t.Errorf("%s is not JSON", path)
		}
		for _, want := range texts {
			if !strings.Contains(strings.ReplaceAll(text, "&#34;", `"`), want) {
				t.Errorf("%s does not have %q", path, want)
			}
		}
	}
	facts, _ := m.File(catalog.ProtocolsJSONPath)
	schema, _ := m.File(catalog.SchemaPath("protocol-facts"))
	if !strings.Contains(string(facts.Body), `"count": 3`) || !strings.Contains(string(schema.Body), `"const": 3`) {
		t.Error("the facts and their schema do not count three protocols")
	}
}

// TestReportAnError: every page leads to where its errors are reported, and names itself there; without such an address it has
// a text to copy that names it.
func TestReportAnError(t *testing.T) {
	link := regexp.MustCompile(`<a href="([^"]*)">Report an error</a>`)
	for name, tc := range map[string]struct {
		m    *Mirror
		want func(title, address string) string
	}{
		"an operator's": {operatorMirror(t), func(title, address string) string {
			return "https://tracker.meridian.example/issues/new?title=" + strings.ReplaceAll(url.QueryEscape(title), "+", "%20") + "&amp;body=" + url.QueryEscape(address)
		}},
		"without an address": {realMirror(t), nil},
	} {
		heading := regexp.MustCompile(`<title>(.*?)( · [^·]*)?</title>`)
		for f := range tc.m.Files() {
			if f.Type != file.HTML || f.Path == catalog.HomePath {
				continue
			}
			links := link.FindAllStringSubmatch(string(f.Body), -1)
			title := html.UnescapeString(heading.FindStringSubmatch(string(f.Body))[1])
			address := tc.m.cat.Site().URL(f.Path)
			switch {
			case tc.want == nil:
				if len(links) > 0 || !strings.Contains(string(f.Body), "An error on "+html.EscapeString(address)+"\n") {
					t.Errorf("%s: %s has no text to copy, or links to report an error: %q", name, f.Path, links)
				}
			case len(links) != 1 || links[0][1] != tc.want(title, address):
				t.Errorf("%s: %s leads to %q, want %s", name, f.Path, links, tc.want(title, address))
			}
		}
	}
}
