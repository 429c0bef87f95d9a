package httpmirror

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
	"go.almanac.example/fixtures"
	"go.almanac.example/httpmirror/export"
	"go.almanac.example/internal/parttest"
)

// TestExportBelowAPath exports for a base address with a path, as a folder that a host publishes there: every address
// of the site in any file begins with the base address, every link in a page stays below it, and leads to a file.
func TestExportBelowAPath(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	const root = "/docs/almanac"
	site := catalog.Site{Base: "https://user.example" + root, API: "https://user.example" + root, MCP: "https://user.example" + root}
	c, err := load.Load(fixtures.FS, catalog.Options{Site: site, GeneratedAt: testTime, Payments: catalog.PaymentsLive,
		Terms: catalog.Terms{PriceSats: 100, Credits: 100, ValidDays: 30, Demo: true}})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(parttest.TempDir(t), "site")
	mustExport(t, c, dir)
	live := map[string]bool{catalog.SearchPath: true, catalog.CreditsPath: true, catalog.DemoWalletPath: true}
	absolute := regexp.MustCompile(`https://user\.example[^\s"'<>)]*`)
	links, ids := 0, make(map[string]map[string]int)
	tree := readTree(t, dir)
	for name, body := range tree {
		if strings.HasSuffix(name, ".html") {
			ids[name] = parsePage(t, name, []byte(body)).ids
		}
	}
	check := func(name, link string) {
		links++
		u, err := url.Parse(link)
		path, inside := strings.CutPrefix(u.Path, root)
		if err != nil || !inside || path == "" {
			t.Errorf("%s: %s leaves the site", name, link)
			return
		}
		target := export.DiskName(path)
		if _, ok := tree[target]; !ok && !live[path] {
			t.Errorf("%s: nothing is at %s", name, link)
		} else if u.Fragment != "" && ok && ids[target][u.Fragment] == 0 {
			t.Errorf("%s: %s has no such anchor", name, link)
		}
	}
	for name, body := range tree {
		for _, address := range absolute.FindAllString(body, -1) {
			if !strings.HasPrefix(address, site.Base) && (address != "https://user.example" || !strings.Contains(name, "l402")) {
				t.Errorf("%s: %s leaves the site", name, address)
			}
		}
		if !strings.HasSuffix(name, ".html") && !strings.HasSuffix(name, ".svg") {
			continue
		}
		doc, err := html.Parse(strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for n := range doc.Descendants() {
			for _, a := range n.Attr {
				isAddress := a.Key == "href" || a.Key == "src" || a.Key == "action" || strings.HasPrefix(a.Key, "data-") && a.Key != "data-cite"
				if isAddress && strings.HasPrefix(a.Val, "/") || strings.HasPrefix(a.Val, site.Base+"/") && a.Key == "href" {
					check(name, strings.TrimPrefix(a.Val, "https://user.example"))
				}
			}
		}
		if _, sheet, ok := strings.Cut(body, `<?xml-stylesheet type="text/css" href="`); ok {
			check(name, sheet[:strings.Index(sheet, `"`)])
		}
	}
	t.Logf("%d links in %d files", links, len(tree))
	if links < 100_000 {
		t.Errorf("only %d links were found", links)
	}
	robots, err := os.ReadFile(filepath.Join(dir, "robots.txt"))
	if err != nil || !strings.Contains(string(robots), "Disallow: "+root+"/v1/search\n") {
		t.Errorf("robots.txt: %s, %v", robots, err)
	}
}
