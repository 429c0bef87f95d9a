package httpmirror

import (
	"bytes"
	"iter"
	"net/url"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
	"go.almanac.example/fixtures"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/internal/problem"
)

// A parsedPage is what the tests look at in a page.
type parsedPage struct {
	path  string
	ids   map[string]int
	links []string          // href, src
	count map[string]int    // elements by name
	meta  map[string]string // by name or property
	rel   map[string][]string
	lang  string
	title string
}

func parsePage(t *testing.T, path string, body []byte) *parsedPage {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	p := &parsedPage{path: path, ids: map[string]int{}, count: map[string]int{}, meta: map[string]string{}, rel: map[string][]string{}}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		p.count[n.Data]++
		attr := make(map[string]string)
		for _, a := range n.Attr {
			attr[a.Key] = a.Val
		}
		if id, ok := attr["id"]; ok {
			p.ids[id]++
		}
		for _, key := range []string{"href", "src"} {
			if v, ok := attr[key]; ok {
				p.links = append(p.links, v)
			}
		}
		switch n.Data {
		case "html":
			p.lang = attr["lang"]
		case "title":
			if n.FirstChild != nil {
				p.title = n.FirstChild.Data
			}
		case "meta":
			p.meta[attr["name"]+attr["property"]] = attr["content"]
		case "link":
			p.rel[attr["rel"]] = append(p.rel[attr["rel"]], attr["href"])
		}
	}
	return p
}

// parsedPages parses every page of a mirror.
func parsedPages(t *testing.T, m *Mirror) map[string]*parsedPage {
	t.Helper()
	pages, ok := parsed.Load(m)
	if !ok {
		pages = parseFiles(t, m.Files())
		parsed.Store(m, pages)
	}
	return pages.(map[string]*parsedPage)
}

// parsed has the pages of the mirrors that tests share, by mirror.
var parsed sync.Map

// parseFiles parses the pages among some files.
func parseFiles(t *testing.T, files iter.Seq[*file.File]) map[string]*parsedPage {
	t.Helper()
	pages := make(map[string]*parsedPage)
	for f := range files {
		if strings.HasPrefix(f.Type, "text/html") {
			pages[f.Path] = parsePage(t, f.Path, f.Body)
		}
	}
	return pages
}

// TestLinks follows every internal link of every page, to the anchor.
func TestLinks(t *testing.T) { checkLinks(t, realMirror(t), parsedPages(t, realMirror(t))) }

// TestLinksOfASmallInstallation does so where searches are not sold and nobody is named for
// security reports: what links to those documents goes with them.
func TestLinksOfASmallInstallation(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	m := modestMirror(t)
	checkLinks(t, m, parsedPages(t, m))
}

// modestMirror is the site of such an installation.
func modestMirror(t *testing.T) *Mirror {
	t.Helper()
	m, err := theModestMirror()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// theModestMirror is built once.
var theModestMirror = sync.OnceValues(func() (*Mirror, error) {
	c, err := load.Load(fixtures.FS, catalog.Options{Site: catalog.DefaultSite, GeneratedAt: testTime, Payments: catalog.PaymentsOff})
	if err != nil {
		return nil, err
	}
	return Build(c, Options{})
})

func checkLinks(t *testing.T, m *Mirror, pages map[string]*parsedPage) {
	t.Helper()
	base := m.cat.Site().Base
	// What this host answers besides the files of the mirror.
	live := map[string]bool{catalog.SearchPath: true, catalog.CreditsPath: true, catalog.MCPPath: true}
	links := 0
	for _, p := range pages {
		for _, link := range p.links {
			target, internal := strings.CutPrefix(link, base)
			if !internal && strings.Contains(link, "://") {
				continue
			}
			links++
			u, err := url.Parse(target)
			if err != nil {
				t.Errorf("%s: %q: %v", p.path, link, err)
				continue
			}
			at := u.Path
			if at == "" {
				at = p.path
			}
			if task, err := m.renderer.task(at); (err != nil || !task.kind.publishes(m.cat, task.id)) && !live[at] {
				t.Errorf("%s: nothing is at %s", p.path, link)
				continue
			}
			if page := pages[at]; u.Fragment != "" && (page == nil || page.ids[u.Fragment] == 0) {
				t.Errorf("%s: %s has no such anchor", p.path, link)
			}
		}
	}
	t.Logf("%d links in %d pages", links, len(pages))
}

// TestFrame holds what every page has.
func TestFrame(t *testing.T) {
	m := realMirror(t)
	titles := make(map[string]string)
	for path, p := range parsedPages(t, m) {
		for name, want := range map[string]int{"h1": 1, "title": 1, "main": 1, "style": 0} {
			if p.count[name] != want {
				t.Errorf("%s: %d elements %s, want %d", path, p.count[name], name, want)
			}
		}
		if p.lang != "en" {
			t.Errorf("%s: lang is %q", path, p.lang)
		}
		if other, ok := titles[p.title]; ok {
			t.Errorf("%s and %s have one title, %q", path, other, p.title)
		}
		titles[p.title] = path
		for _, name := range []string{"description", "viewport", "og:title", "og:type", "og:url", "og:description"} {
			if p.meta[name] == "" {
				t.Errorf("%s: meta %s is missing", path, name)
			}
		}
		if want := m.cat.Site().URL(path); len(p.rel["canonical"]) != 1 || p.rel["canonical"][0] != want {
			t.Errorf("%s: canonical is %q, want %q", path, p.rel["canonical"], want)
		}
		for id, n := range p.ids {
			if n > 1 {
				t.Errorf("%s: the id %s stands %d times", path, id, n)
			}
		}
	}
}

// TestCodeAnchors holds that the type of every problem leads to its own section.
func TestCodeAnchors(t *testing.T) {
	m := realMirror(t)
	f, ok := m.File(catalog.TrustPath)
	if !ok {
		t.Fatal("no trust page")
	}
	ids := parsePage(t, f.Path, f.Body).ids
	for _, c := range problem.Table(m.cat.Site().ProblemBase()) {
		if ids[string(c.Code)] != 1 {
			t.Errorf("the anchor #%s stands %d times", c.Code, ids[string(c.Code)])
		}
	}
}
