package httpmirror

import (
	"regexp"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
)

// The most that a page may weigh with its stylesheet, its script and its pictures, as a browser gets them: in Brotli, or in gzip,
// the weakest coding that is offered.
const (
	homeLimit = 20_000
	pageLimit = 40_000
)

// ownAddress matches what a page loads.
var ownAddress = regexp.MustCompile(`(?:src|href)="(/[^"?#]+\.(?:css|js|svg))["?]`)

// TestWeight holds every page of the site to its limit.
func TestWeight(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	m, err := Build(realMirror(t).cat, Options{Reports: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, coding := range []string{"br", "gzip"} {
		c, _ := file.CodingNamed(coding)
		packed := make(map[string]int)
		size := func(path string) int {
			f, ok := m.File(path)
			if !ok {
				t.Fatalf("nothing is at %s", path)
			}
			if _, ok := packed[path]; !ok {
				packed[path] = len(c.Compress(f.Body))
			}
			return packed[path]
		}
		heaviest, most := "", 0
		for f := range m.Files() {
			if f.Type != file.HTML {
				continue
			}
			total := size(f.Path)
			loaded := make(map[string]bool)
			for _, match := range ownAddress.FindAllStringSubmatch(string(f.Body), -1) {
				if path := match[1]; !loaded[path] && !strings.HasPrefix(path, "/qr/") {
					loaded[path] = true
					total += size(path)
				}
			}
			limit := pageLimit
			if f.Path == catalog.HomePath {
				limit = homeLimit
				t.Logf("%s: the home page weighs %d bytes, of which the page is %d", coding, total, size(f.Path))
			}
			if total > limit {
				t.Errorf("%s: %s weighs %d bytes with what it loads; keep it to %d", coding, f.Path, total, limit)
			}
			if total > most {
				heaviest, most = f.Path, total
			}
		}
		t.Logf("%s: the heaviest page is %s with %d bytes", coding, heaviest, most)
	}
}
