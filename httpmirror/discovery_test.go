package httpmirror

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
)

// TestDiscovery: what a site publishes for directories keeps their published rules, and has the names of its own library.
func TestDiscovery(t *testing.T) {
	for _, m := range []*Mirror{realMirror(t), operatorMirror(t)} {
		checkResources(t, m)
		checkSkills(t, m)
		checkPayers(t, m)
		robots, _ := m.File(catalog.RobotsPath)
		for _, want := range []string{"\nContent-Signal: search=yes, ai-input=yes, ai-train=yes\n", "\nAgentmap: " + m.cat.Site().URL(catalog.ARDPath) + "\n"} {
			if !strings.Contains(string(robots.Body), want) {
				t.Errorf("robots.txt has no %q", want)
			}
		}
		if link := ask(t, m, "GET", "/").Header.Get("Link"); !strings.Contains(link, "<"+catalog.Root(m.cat.Site().Base)+catalog.ARDPath+`>; rel="ard"`) {
			t.Errorf("the home page's Link is %s", link)
		}
	}
}

// TestSitemap: search engines learn every page with the newest day of its content (Bing calls it a top signal), which its footer
// states; only the search page has none of its own.
func TestSitemap(t *testing.T) {
	m := smallMirror(t, func(o *catalog.Options) { o.GeneratedAt = time.Time{} })
	f, _ := m.File(catalog.SitemapPath)
	var list struct {
		Pages []struct {
			Path string `xml:"loc"`
			Day  string `xml:"lastmod"`
		} `xml:"url"`
	}
	if err := xml.Unmarshal(f.Body, &list); err != nil {
		t.Fatal(err)
	}
	dated := 0
	for _, p := range list.Pages {
		page, ok := m.File(strings.TrimPrefix(p.Path, m.cat.Site().Base))
		if !ok || page.Type != file.HTML {
			t.Errorf("%s is not a page", p.Path)
			continue
		}
		if p.Day == "" {
			continue
		}
		if dated++; !strings.Contains(string(page.Body), `Updated <time datetime="`+p.Day+`">`) {
			t.Errorf("%s was modified on %s, and its footer says otherwise", p.Path, p.Day)
		}
	}
	if len(list.Pages) < 40 || dated*10 < len(list.Pages)*9 {
		t.Errorf("%d of %d pages have a day", dated, len(list.Pages))
	}
}

// urn is the form of an identifier (ARD 0.91, section 4.2.1).
var urn = regexp.MustCompile(`^urn:air:([a-zA-Z0-9.-]+)(:[a-zA-Z0-9._-]+)+$`)

// resourceTypes are those that the conformance test knows (ard-spec, conformance/bin/conformance-test of v0.91) and there are here.
var resourceTypes = []string{file.AICatalog, catalog.ServerCardType, `text/markdown; profile="urn:air:agent-skills"`}

// checkResources holds the rules of the conformance test of Agentic Resource Discovery, by which Lighthouse judges too
// (developer.chrome.com/docs/lighthouse/agentic-browsing/ard): none of its errors and, of the manifest, none of its warnings. The AI
// catalogue, to which the manifest leads, has the same tools and everything of other types.
func checkResources(t *testing.T, m *Mirror) {
	t.Helper()
	tools, rest := []string{"mcp", "skill"}, []string{"api", "dataset"}
	manifest, types := checkManifest(t, m, catalog.ARDPath)
	if want := append([]string{"catalog"}, tools...); !slices.Equal(manifest, want) || slices.ContainsFunc(types, func(s string) bool { return !slices.Contains(resourceTypes, s) }) {
		t.Errorf("the manifest has %v of the types %v, not %v of %v", manifest, types, want, resourceTypes)
	}
	if got, _ := checkManifest(t, m, catalog.AICatalogPath); !slices.Equal(got, append(rest, tools...)) {
		t.Errorf("the AI catalogue has %v", got)
	}
	if f, _ := m.File(catalog.ARDPath); !strings.Contains(string(f.Body), `"`+m.cat.Site().URL(catalog.AICatalogPath)+`"`) {
		t.Error("the manifest does not lead to the AI catalogue")
	}
}

// checkManifest holds the rules for the manifest at a path, and returns the kinds of its entries and their types.
func checkManifest(t *testing.T, m *Mirror, path string) (kinds, types []string) {
	t.Helper()
	site, id := m.cat.Site(), m.cat.Identity()
	f, _ := m.File(path)
	var manifest struct {
		Host    struct{ DisplayName string }
		Entries []struct {
			Identifier, DisplayName, Type, URL, Description string
			Data                                            any
			RepresentativeQueries                           []string
		}
	}
	if err := json.Unmarshal(f.Body, &manifest); err != nil || manifest.Host.DisplayName != id.Name {
		t.Fatalf("%v: the host is %q", err, manifest.Host.DisplayName)
	}
	var seen []string
	for _, e := range manifest.Entries {
		found := urn.FindStringSubmatch(e.Identifier)
		if found == nil || found[1] != site.Host() || slices.Contains(seen, e.Identifier) {
			t.Errorf("the identifier %s is malformed, of another host or not unique", e.Identifier)
			continue
		}
		seen = append(seen, e.Identifier)
		kinds, types = append(kinds, strings.Split(e.Identifier, ":")[3]), append(types, e.Type)
		if e.DisplayName == "" || e.Description == "" || e.Data != nil || !strings.HasPrefix(e.URL, site.Base) && !strings.HasPrefix(e.URL, site.MCP) {
			t.Errorf("%s is incomplete: %+v", e.Identifier, e)
		}
		if n := len(e.RepresentativeQueries); n < 2 || n > 5 {
			t.Errorf("%s has %d queries", e.Identifier, n)
		}
		if path, ok := strings.CutPrefix(e.URL, site.Base); ok && path != catalog.ServerCardPath {
			if _, ok := m.File(path); !ok {
				t.Errorf("%s leads to %s, which is not published", e.Identifier, e.URL)
			}
		}
	}
	if want := "urn:air:" + site.Host() + ":mcp:" + id.Slug(); seen[0] != want {
		t.Errorf("the tool server is %s, not %s", seen[0], want)
	}
	slices.Sort(kinds)
	return slices.Compact(kinds), types
}

// checkSkills: the index of Agent Skills Discovery lists each skill with the digest of its file.
func checkSkills(t *testing.T, m *Mirror) {
	t.Helper()
	f, _ := m.File(catalog.SkillsPath)
	var index struct {
		Skills []struct{ Name, Type, Description, URL, Digest string }
	}
	if err := json.Unmarshal(f.Body, &index); err != nil || len(index.Skills) != len(m.renderer.skills()) || len(index.Skills) < 2 {
		t.Fatalf("%v: %s", err, f.Body)
	}
	for _, s := range index.Skills {
		skill, ok := m.File(strings.TrimPrefix(s.URL, m.cat.Site().Base))
		if !ok || skill.Type != file.Markdown {
			t.Fatalf("%s is not published as Markdown", s.URL)
		}
		sum := sha256.Sum256(skill.Body)
		if s.Digest != "sha256:"+hex.EncodeToString(sum[:]) || !strings.HasPrefix(string(skill.Body), "---\nname: "+s.Name+"\ndescription: "+s.Description+"\n---\n") {
			t.Errorf("%s: the index has %+v", s.URL, s)
		}
	}
}

// checkPayers holds what AgentCash warns of (@agentcash/discovery 1.7.5, audit of OpenAPI): a contact, guidance of up to
// 4,000 characters, and of each operation who may call it; of paid ones price and protocols too.
func checkPayers(t *testing.T, m *Mirror) {
	t.Helper()
	doc := decodeFile(t, m, catalog.OpenAPIPath)
	info := doc["info"].(map[string]any)
	guidance, _ := info["x-guidance"].(string)
	if url, _ := info["contact"].(map[string]any)["url"].(string); url == "" || guidance == "" || len(guidance) > 4_000 {
		t.Errorf("contact %v, guidance %q", info["contact"], guidance)
	}
	schemes, _ := doc["components"].(map[string]any)["securitySchemes"].(map[string]any)
	for path, item := range doc["paths"].(map[string]any) {
		for method, value := range item.(map[string]any) {
			operation, _ := value.(map[string]any)
			if method == "servers" {
				continue
			}
			_, paid := operation["x-payment-info"]
			security, declared := operation["security"].([]any)
			keyed := slices.ContainsFunc(security, func(s any) bool {
				for name := range s.(map[string]any) {
					return schemes[name].(map[string]any)["type"] == "apiKey"
				}
				return false
			})
			if !declared || !paid && len(security) > 0 && !keyed || paid && keyed {
				t.Errorf("%s %s does not say who may call it: %v", method, path, security)
			}
		}
	}
}
