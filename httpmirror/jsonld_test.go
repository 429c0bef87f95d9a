package httpmirror

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
)

// dataBlocksOf returns the JSON-LD of a page by type.
func dataBlocksOf(t *testing.T, f *file.File) map[string]map[string]any {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(f.Body))
	if err != nil {
		t.Fatal(err)
	}
	blocks := make(map[string]map[string]any)
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode || n.Data != "script" || n.FirstChild == nil {
			continue
		}
		var block map[string]any
		if err := json.Unmarshal([]byte(n.FirstChild.Data), &block); err != nil {
			t.Fatalf("%s: %v", f.Path, err)
		}
		if block["@context"] != "https://schema.org" {
			t.Errorf("%s: @context is %v", f.Path, block["@context"])
		}
		blocks[block["@type"].(string)] = block
	}
	return blocks
}

// TestDataBlocks holds what schema.org asks of each kind of page: the way to it, and for articles
// and datasets the fields that catalogues read.
func TestDataBlocks(t *testing.T) {
	m := realMirror(t)
	base := m.cat.Site().Base
	for f := range m.Files() {
		if !strings.HasPrefix(f.Type, "text/html") || f.Path == catalog.HomePath {
			continue
		}
		blocks := dataBlocksOf(t, f)
		steps, _ := blocks["BreadcrumbList"]["itemListElement"].([]any)
		if len(steps) < 2 {
			t.Errorf("%s: the breadcrumb has %d steps", f.Path, len(steps))
			continue
		}
		for i, step := range steps {
			item := step.(map[string]any)
			path, ok := strings.CutPrefix(item["item"].(string), base)
			if _, there := m.File(path); !ok || !there || item["position"] != float64(i+1) || item["name"] == "" {
				t.Errorf("%s: step %d of the breadcrumb is %v", f.Path, i+1, item)
			}
		}
		if last := steps[len(steps)-1].(map[string]any)["item"]; last != base+f.Path {
			t.Errorf("%s: the breadcrumb ends at %v", f.Path, last)
		}
	}
	wantFields(t, m, catalog.HomePath, "WebSite", "name", "url", "potentialAction")
	for _, e := range m.cat.Entries() {
		wantFields(t, m, catalog.EntryPath(e.ID), "WebPage", "headline", "description", "url", "dateModified", "publisher", "citation")
	}
	for _, id := range m.cat.ProtocolPageIDs() {
		wantFields(t, m, catalog.ProtocolPath(id), "TechArticle", "headline", "description", "url", "dateModified", "publisher", "citation")
	}
	for _, a := range m.cat.Articles() {
		wantFields(t, m, catalog.ArticlePath(a.ID), "Article", "headline", "description", "url", "datePublished", "dateModified", "author", "publisher", "citation")
	}
	wantFields(t, m, catalog.ProtocolsPath, "Dataset", "name", "description", "url", "license", "creator", "distribution", "dateModified")
	for _, d := range m.cat.Datasets() {
		wantFields(t, m, catalog.DatasetPath(d.ID), "Dataset", "name", "description", "url", "license", "creator", "distribution", "variableMeasured", "dateModified")
	}
}

func wantFields(t *testing.T, m *Mirror, path, kind string, fields ...string) {
	t.Helper()
	f, ok := m.File(path)
	if !ok {
		t.Fatalf("nothing is at %s", path)
	}
	block := dataBlocksOf(t, f)[kind]
	for _, field := range fields {
		if v := block[field]; v == nil || v == "" {
			t.Errorf("%s: %s has no %s", path, kind, field)
		}
	}
}

// TestPagesAreCited: each page about a record is cited by its own address, in a form that BibTeX and programs can read.
func TestPagesAreCited(t *testing.T) {
	m := realMirror(t)
	for path, cited := range map[string]bool{
		catalog.EntryPath("mcp-go-sdk"): true, catalog.EntryPath("mqtt-5"): true, catalog.ComparePath: true, catalog.ProtocolPath("x402"): true, catalog.LibraryPath: false, catalog.HomePath: false,
		catalog.DatasetPath(m.cat.Datasets()[0].ID): true, catalog.ArticlePath(m.cat.Articles()[0].ID): true,
	} {
		f, ok := m.File(path)
		if !ok {
			t.Fatalf("nothing is at %s", path)
		}
		doc, err := html.Parse(bytes.NewReader(f.Body))
		if err != nil {
			t.Fatal(err)
		}
		var forms []string // the address, the text and BibTeX
		for n := range doc.Descendants() {
			if n.Data == "details" && slices.Contains(n.Attr, html.Attribute{Key: "class", Val: "cite"}) {
				for c := range n.Descendants() {
					if c.Data == "code" {
						forms = append(forms, c.FirstChild.Data)
					}
				}
			}
		}
		if !cited {
			if forms != nil {
				t.Errorf("%s has no record of its own, and is cited as %q", path, forms)
			}
			continue
		}
		if len(forms) != 3 || forms[0] != m.cat.Site().URL(path) {
			t.Fatalf("%s is cited as %q", path, forms)
		}
		address, forms := m.cat.Site().URL(path), forms[2:] // without the address and the text
		if id, isEntry := strings.CutPrefix(path, catalog.LibraryPath+"entry/"); isEntry {
			e, _ := m.cat.Entry(strings.Trim(id, "/"))
			address = e.URL // its source is cited
			if reading, _ := m.cat.EntryReading(e); strings.Contains(forms[0], "urldate") != reading.Class.OfSource() {
				t.Errorf("%s, which was read as %s, is cited as %s", path, reading.Class, forms[0])
			}
		}
		if !strings.HasPrefix(forms[0], "@misc{") || !strings.Contains(forms[0], "url = {"+address+"}") ||
			strings.Count(forms[0], "{") != strings.Count(forms[0], "}") {
			t.Errorf("%s: BibTeX is %s", path, forms[0])
		}
	}
}

// TestOpenSearch: a browser that reads the description searches at the page that answers.
func TestOpenSearch(t *testing.T) {
	m := realMirror(t)
	var description struct {
		XMLName   xml.Name `xml:"http://a9.com/-/spec/opensearch/1.1/ OpenSearchDescription"`
		ShortName string
		Image     string
		Addresses []struct {
			Type     string `xml:"type,attr"`
			Template string `xml:"template,attr"`
		} `xml:"Url"`
	}
	if err := xml.Unmarshal([]byte(bodyOf(t, ask(t, m, "GET", catalog.OpenSearchPath))), &description); err != nil {
		t.Fatal(err)
	}
	base := m.cat.Site().Base
	if n := len(description.ShortName); n == 0 || n > 16 { // OpenSearch 1.1, "ShortName"
		t.Errorf("the short name is %q", description.ShortName)
	}
	if a := description.Addresses[0]; a.Type != "text/html" || a.Template != base+catalog.FindPath+"?q={searchTerms}" {
		t.Errorf("it searches at %v", a)
	}
	if _, ok := m.File(strings.TrimPrefix(description.Image, base)); !ok {
		t.Errorf("nothing is at %s", description.Image)
	}
	home, _ := m.File(catalog.HomePath)
	if link := `rel="search" type="application/opensearchdescription+xml" href="` + catalog.OpenSearchPath + `"`; !bytes.Contains(home.Body, []byte(link)) {
		t.Errorf("the home page does not link to it")
	}
}
