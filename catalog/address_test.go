package catalog_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestAddresses: every address that an entry, a fact, an article or a dataset cites in its file is one that the link checker
// asks for: sources, addresses that are values of facts, and links in texts.
func TestAddresses(t *testing.T) {
	asked := make(map[string]bool)
	for _, a := range realCatalog(t).Addresses() {
		asked[a.URL] = true
	}
	cited := regexp.MustCompile(`(?m)^ *"(?:source|url|value|license)": "(https?://[^" ]+)"|\]\((https?://[^() ]+)\)`)
	files := os.DirFS("../fixtures")
	facts := make(map[string]bool)
	for _, pattern := range []string{"library/*/*.json", "protocols/*.json", "articles/*/*", "datasets/*/card.json", "datasets/*/README.md", "datasets/*/clients.json"} {
		paths, _ := fs.Glob(files, pattern)
		for _, path := range paths {
			data, err := fs.ReadFile(files, path)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range cited.FindAllStringSubmatch(string(data), -1) {
				address := m[1] + m[2]
				if !asked[address] {
					t.Errorf("%s: %s is not checked", path, address)
				}
				if strings.HasPrefix(path, "protocols/") {
					facts[address] = true
				}
			}
		}
	}
	if len(facts) < 70 {
		t.Errorf("only %d addresses in facts were found", len(facts))
	}
}
