package httpmirror

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/parttest"
)

// npmModules returns the folder with the validators from npm.
func npmModules(t *testing.T) string {
	t.Helper()
	parttest.Program(t, "node", "setup-mirror.sh")
	return filepath.Dir(filepath.Dir(parttest.Cached(t, "setup-mirror.sh", "npm-mirror", "node_modules", "jsonld")))
}

func exportedSite(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(parttest.TempDir(t), "site")
	mustExport(t, realCatalog(t), dir)
	return dir
}

// TestValidatorsFromNPM has the OpenAPI document, the feeds, the Croissant files, the JSON-LD of
// the pages and the DCAT catalogue read by parsers made for them.
func TestValidatorsFromNPM(t *testing.T) {
	modules := npmModules(t)
	out, err := exec.Command("node", "testdata/validate.mjs", modules, exportedSite(t)).CombinedOutput()
	text := strings.TrimSpace(string(out))
	last := text[strings.LastIndexByte(text, '\n')+1:]
	if err != nil || text != last || !regexp.MustCompile(`^checked \d{3,}$`).MatchString(last) {
		t.Errorf("%v\n%.6000s", err, text)
	}
}

// TestOpenAPILint holds the OpenAPI document to the rules that redocly reports as errors.
func TestOpenAPILint(t *testing.T) {
	modules := npmModules(t)
	site := exportedSite(t)
	lint := exec.Command(filepath.Join(modules, "node_modules", ".bin", "redocly"), "lint", "--extends=spec", "--format=stylish",
		filepath.Join(site, "openapi.json"))
	lint.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true", "NO_COLOR=1")
	if out, err := lint.CombinedOutput(); err != nil {
		t.Errorf("%v\n%.6000s", err, out)
	}
}

func TestXMLGrammars(t *testing.T) {
	xmllint := parttest.Program(t, "xmllint", "setup-mirror.sh")
	site := exportedSite(t)
	for _, tc := range []struct{ grammar, path string }{
		{"atom.rng", catalog.AtomPath},
		{"sitemap.rng", catalog.SitemapPath},
	} {
		out, err := exec.Command(xmllint, "--noout", "--nonet", "--relaxng", filepath.Join("testdata/schemas", tc.grammar), filepath.Join(site, tc.path)).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%.3000s", tc.path, err, out)
		}
	}
}

func testSchema(t *testing.T, name string) *jsonschema.Resolved {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata/schemas", name))
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

func decodeFile(t *testing.T, m *Mirror, path string) map[string]any {
	t.Helper()
	f, ok := m.File(path)
	if !ok {
		t.Fatalf("%s is not published", path)
	}
	var doc map[string]any
	if err := json.Unmarshal(f.Body, &doc); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return doc
}

// TestCroissant: each field of a dataset comes from a file of it; its version and its citation are of the newest day of
// its rows.
func TestCroissant(t *testing.T) {
	m := realMirror(t)
	for _, d := range m.cat.Datasets() {
		doc := decodeFile(t, m, catalog.DatasetCroissantPath(d.ID))
		version := strings.NewReplacer("-0", ".", "-", ".").Replace(string(d.VerifiedAt))
		if cite := fmt.Sprint(doc["citeAs"]); doc["version"] != version || !strings.Contains(cite, "version = {"+version+"}") {
			t.Errorf("Croissant of %s: version %v of %s, cited as %s", d.ID, doc["version"], d.VerifiedAt, cite)
		}
		files := make(map[any]bool)
		for _, f := range doc["distribution"].([]any) {
			files[f.(map[string]any)["@id"]] = true
		}
		for _, f := range doc["recordSet"].([]any)[0].(map[string]any)["field"].([]any) {
			source := f.(map[string]any)["source"].(map[string]any)["fileObject"].(map[string]any)["@id"]
			if !files[source] {
				t.Errorf("Croissant of %s: a field comes from %v, which is not a file", d.ID, source)
			}
		}
	}
}

func TestPaymentInfo(t *testing.T) {
	doc := decodeFile(t, realMirror(t), catalog.OpenAPIPath)
	search := doc["paths"].(map[string]any)[catalog.SearchPath].(map[string]any)["get"].(map[string]any)
	info := search["x-payment-info"].(map[string]any)
	price, protocols := info["price"].(map[string]any), info["protocols"].([]any)
	if price["mode"] != "fixed" || price["amount"] != "0.00000100" || price["currency"] != "BTC" || len(protocols) != 2 {
		t.Errorf("AgentCash reads %v and %v", price, protocols)
	}
	delete(info, "price") // of AgentCash, which the draft does not list
	delete(info, "protocols")
	if err := testSchema(t, "payment-info.schema.json").Validate(info); err != nil {
		t.Error(err)
	}
	if _, ok := search["responses"].(map[string]any)["402"]; !ok {
		t.Error("the paid operation declares no 402")
	}
}

// RFC 9116: Contact and Expires are there, Expires once, in the future and less than a year off.
func TestSecurityText(t *testing.T) {
	f, _ := realMirror(t).File(catalog.SecurityPath)
	lines := strings.Split(strings.TrimSpace(string(f.Body)), "\n")
	want := []string{
		"Contact: mailto:security@example.org", "Expires: 2027-05-20T12:00:00Z",
		"Preferred-Languages: en", "Canonical: http://localhost:8402/.well-known/security.txt",
	}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", f.Body)
	}
	m, err := Build(realCatalog(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := m.File(catalog.SecurityPath); ok {
		t.Error("without a contact there is a security.txt")
	}
	for _, contact := range []string{"security@example.org", "http://example.org", "mailto:a@b.example\nEncryption: x"} {
		if _, err := Build(realCatalog(t), Options{Contact: contact}); err == nil {
			t.Errorf("the contact %q was accepted", contact)
		}
	}
}
