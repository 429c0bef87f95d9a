package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/catalogtest"
)

// standInOthers leads the addresses that protocols, articles and datasets cite to a server.
func standInOthers(t *testing.T, dir, server string) {
	t.Helper()
	catalogtest.ReplaceCited(t, dir, func(_ string, _ int, old string) string {
		_, place, _ := strings.Cut(old, "://")
		return server + "/" + place
	})
}

// standInEvidence leads the addresses of readings, profiles and flows to a server: those of readings to the address
// that their record cites there, so that they stay readings of its own source.
func standInEvidence(t *testing.T, dir, server string) {
	t.Helper()
	address := regexp.MustCompile(`("(?:url|source)": ")(https?)://`)
	for _, folder := range []string{"profiles", "flows", "evidence", "statements"} {
		paths, _ := filepath.Glob(filepath.Join(dir, folder, "*.json"))
		for _, p := range paths {
			data, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			id := strings.TrimSuffix(filepath.Base(p), ".json")
			if entry, _ := filepath.Glob(filepath.Join(dir, "library", "*", id+".json")); len(entry) == 1 {
				data = regexp.MustCompile(`"url": "[^"]*"`).ReplaceAll(data, fmt.Appendf(nil, "%q: %q", "url", server+"/"+id))
				data = regexp.MustCompile(`"copy": "(repository|stored-file)"`).ReplaceAll(data, []byte(`"copy": "stored-page"`))
			} else {
				data = address.ReplaceAll(data, []byte("${1}"+server+"/"))
			}
			if err := os.WriteFile(p, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func mustLoad(t *testing.T, dir string) *catalog.Catalog {
	t.Helper()
	cat, _, err := loadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return cat
}
