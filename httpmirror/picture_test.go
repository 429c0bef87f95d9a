package httpmirror

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/html"
)

// checkPicture reports a picture that is not a PNG of 1200 by 630 pixels and 40 kB at most, or whose text reaches into
// the margins.
func checkPicture(t *testing.T, name string, body []byte) {
	t.Helper()
	p, err := png.Decode(bytes.NewReader(body))
	if err != nil || p.Bounds().Dx() != 1200 || p.Bounds().Dy() != 630 || len(body) > 40_000 {
		t.Fatalf("%s: %v, %d bytes", name, err, len(body))
	}
	paper, rows := p.At(1199, 0), 0
	for y := range 630 {
		inked := false
		for x := 20; x < 1200; x++ {
			isMargin := x < 80 || x > 1120 || y < 60 || y > 580
			if p.At(x, y) != paper {
				if isMargin {
					t.Fatalf("%s: the text reaches %d, %d", name, x, y)
				}
				inked = true
			}
		}
		if inked {
			rows++
		}
	}
	if rows < 120 {
		t.Errorf("%s: only %d rows of pixels have text", name, rows)
	}
}

// TestSocialPictures: every page names a social picture that is published: home, protocols, pairs and articles their
// own, others that of the home page.
func TestSocialPictures(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	m := realMirror(t)
	base, own := m.cat.Site().URL("/og/"), map[string]string{}
	for path, p := range parsedPages(t, m) {
		picture := p.meta["og:image"]
		if path == catalog.NotFoundPath && picture == "" {
			continue
		}
		if !strings.HasPrefix(picture, base) || p.meta["twitter:card"] != "summary_large_image" {
			t.Errorf("%s: the picture is %q, the card %q", path, picture, p.meta["twitter:card"])
			continue
		}
		isOwn := path == catalog.HomePath || picture == base+strings.ReplaceAll(strings.Trim(path, "/"), "/", ".")+".png"
		wantOwn := path == catalog.HomePath || strings.HasPrefix(path, catalog.ArticlesPath) && path != catalog.ArticlesPath ||
			strings.HasPrefix(path, catalog.ProtocolsPath) && path != catalog.ProtocolsPath && path != catalog.ComparePath && path != catalog.ChoosePath
		if isOwn != wantOwn {
			t.Errorf("%s: the picture is %s", path, picture)
		}
		own[picture] = path
	}
	for address, page := range own {
		f, ok := m.File(strings.TrimPrefix(address, m.cat.Site().Base))
		if !ok {
			t.Fatalf("%s: no %s", page, address)
		}
		checkPicture(t, page, f.Body)
	}
	if len(own) < 100 {
		t.Errorf("only %d pictures", len(own))
	}
}

// TestPictureText: no title and no description leaves the picture: they shrink, and are cut.
func TestPictureText(t *testing.T) {
	p := html.New(smallCatalog(t, testTime), nil, nil)
	for name, pg := range map[string]html.Page{
		"short":       {Title: "L402", Description: "Pay per request."},
		"long":        {Title: strings.Repeat("A title of many words ", 12), Description: strings.Repeat("A sentence of many words. ", 30)},
		"one word":    {Title: strings.Repeat("W", 300), Description: strings.Repeat("https://", 60)},
		"wide lines":  {Title: strings.Repeat("WWWWWWWWWWWWWWW ", 3), Description: strings.Repeat("WWWWWWWWWWWWWWWWWWWWWWWWWWWWWW ", 9)},
		"other words": {Title: "Zahlungen für Maschinen: Überblick, 支払い", Description: "Çıktı — “ελληνικά”, кириллица …"},
	} {
		body, err := p.Picture(pg)
		if err != nil {
			t.Fatal(err)
		}
		checkPicture(t, name, body)
	}
}
