package httpmirror

import (
	"os"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/catalogtest"
	"go.almanac.example/catalog/load"
	"go.almanac.example/httpmirror/html"
)

// TestLogo: the logo, and the footer of site.json, are on every page. Without a logo there is no file of one.
func TestLogo(t *testing.T) {
	if f, ok := smallMirror(t).File(html.LogoPath); ok {
		t.Errorf("a site without a logo has %s", f.Path)
	}
	identity, err := os.ReadFile("testdata/small/site.json")
	if err != nil {
		t.Fatal(err)
	}
	const footer = `  "footer": "Kept by Ada.",
  "protocols"`
	const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>` + "\n"
	c, err := load.Load(catalogtest.Files(t, "testdata/small", map[string][]byte{
		"site.json": []byte(strings.Replace(string(identity), `  "protocols"`, footer, 1)), "logo.svg": []byte(logo),
	}), catalog.Options{Site: catalog.DefaultSite})
	if err != nil {
		t.Fatal(err)
	}
	m, err := Build(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for path, wants := range map[string][]string{
		"/":           {`<img src="/logo.svg?`, `alt="almanac"`, "<p>Kept by Ada.</p>"},
		html.LogoPath: {logo},
	} {
		f, ok := m.File(path)
		if !ok {
			t.Fatalf("%s is not published", path)
		}
		for _, want := range wants {
			if !strings.Contains(string(f.Body), want) {
				t.Errorf("%s is without %q", path, want)
			}
		}
	}
}
