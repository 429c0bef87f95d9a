package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.almanac.example/internal/parttest"
)

// paymentWords are those of another subject than the template's.
var paymentWords = regexp.MustCompile(`(?i)protocol facts|payment protocol|machines pay|bitcoin|bolt ?12|usdc|/protocols/|/articles/|/support/`)

// TestInit: a library begun in an absent folder has no fault, records its history, and is exported without a page, a
// link or a word about records that it has none of. A folder with a file is refused.
func TestInit(t *testing.T) {
	dir := filepath.Join(parttest.TempDir(t), "birds")
	status, stdout, stderr := almanac("init", dir)
	if status != 0 || !strings.Contains(stdout, "almanac check -record "+dir) {
		t.Fatalf("status %d\n%s%s", status, stdout, stderr)
	}
	if status, stdout, stderr := almanac("check", "-record", dir); status != 0 || !strings.Contains(stdout, "no faults") {
		t.Fatalf("status %d\n%s%s", status, stdout, stderr)
	}
	if status, _, stderr := almanac("init", dir); status != 1 || !strings.Contains(stderr, "is not empty") {
		t.Errorf("a second init: status %d\n%s", status, stderr)
	}
	site := filepath.Join(parttest.TempDir(t), "site")
	if status, _, stderr := almanac("export", "-fixtures", dir, "-o", site); status != 0 {
		t.Fatalf("status %d\n%s", status, stderr)
	}
	for _, name := range []string{"index.html", "llms.txt", "library/index.html", "trust/index.html", "404.html",
		"search/index.html", "openapi.json", "catalog.jsonld", "sitemap.xml", "history/index.html",
		"schemas/entry.schema.json", "api/index.json", "changes/feed.atom", "library/entry/rfc-9457-problem-details/index.html", "bot/index.html"} {
		body, err := os.ReadFile(filepath.Join(site, name))
		if err != nil {
			t.Error(err)
		}
		if word := paymentWords.Find(body); word != nil {
			t.Errorf("%s has the word %q", name, word)
		}
		if name == "llms.txt" && regexp.MustCompile(`(?m)^## .*\n+(## |\z)`).Match(body) {
			t.Errorf("a section of %s is empty:\n%s", name, body)
		}
	}
	for _, name := range []string{"protocols", "articles", "support", "schemas/protocol-facts.schema.json"} {
		if _, err := os.Stat(filepath.Join(site, name)); err == nil {
			t.Errorf("%s is published", name)
		}
	}
}
