package httpmirror

import (
	"image/color"
	"image/png"
	"os"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/catalogtest"
	"go.almanac.example/catalog/load"
	"go.almanac.example/httpmirror/html"
)

// TestTheme: colours, font, logo and footer of site.json are those of every page and picture. Without them there is no
// file of a theme.
func TestTheme(t *testing.T) {
	if f, ok := smallMirror(t).File(html.ThemePath); ok {
		t.Errorf("a site without a theme has %s", f.Path)
	}
	identity, err := os.ReadFile("testdata/small/site.json")
	if err != nil {
		t.Fatal(err)
	}
	theme := `  "footer": "Kept by Ada.",
  "theme": {
    "light": {
      "paper": "#ffffff",
      "ink": "#102030",
      "link": "#003399",
      "accent": "#006633"
    },
    "dark": {
      "paper": "#101010",
      "ink": "#eeeeee",
      "link": "#99bbff",
      "accent": "#66cc99"
    },
    "font": "Charter, serif"
  },
  "protocols"`
	const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>` + "\n"
	c, err := load.Load(catalogtest.Files(t, "testdata/small", map[string][]byte{
		"site.json": []byte(strings.Replace(string(identity), `  "protocols"`, theme, 1)), "logo.svg": []byte(logo),
	}), catalog.Options{Site: catalog.DefaultSite})
	if err != nil {
		t.Fatal(err)
	}
	m, err := Build(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for path, wants := range map[string][]string{
		"/":            {`href="/static/theme.css?`, `<img src="/logo.svg?`, `alt="almanac"`, "<p>Kept by Ada.</p>"},
		html.LogoPath:  {logo},
		html.ThemePath: {"--paper: #ffffff", "--rubric: #66cc99", "--serif: Charter, serif", "prefers-color-scheme: dark", ".mark img"},
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
	f, _ := m.File(catalog.PicturePath("home"))
	picture, err := png.Decode(strings.NewReader(string(f.Body)))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := picture.At(1, 1), (color.RGBA{0x00, 0x66, 0x33, 0xff}); got != want {
		t.Errorf("the edge of the social picture is %v, want the accent %v", got, want)
	}
}
