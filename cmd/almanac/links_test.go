package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/catalogtest"
	"go.almanac.example/catalog/load"
	"go.almanac.example/server/servertest"
)

// TestCheckLinks runs the command over the whole library with every link led to this machine.
func TestCheckLinks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	var mu sync.Mutex
	agents := make(map[string]bool)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		agents[r.UserAgent()] = true
		mu.Unlock()
		if strings.HasSuffix(r.URL.Path, "/mqtt-5") {
			w.WriteHeader(http.StatusGone)
		}
	}))
	defer srv.Close()
	dir := servertest.CopyFixtures(t)
	entries := mustLoad(t, dir).Entries()
	for _, e := range entries {
		servertest.Edit(t, dir, load.EntryFile(e), fmt.Sprintf("%q", e.URL), fmt.Sprintf("%q", srv.URL+"/"+e.ID))
	}
	standInOthers(t, dir, srv.URL)
	standInEvidence(t, dir, srv.URL)
	addresses := len(mustLoad(t, dir).Addresses())
	if addresses <= len(entries) {
		t.Fatalf("%d addresses of %d entries: the facts cite none", addresses, len(entries))
	}
	journal := filepath.Join(t.TempDir(), "journal")
	base := []string{"check", "-links", "-base-url", "https://example.org", "-pace", "0s", "-timeout", "2m", "-journal", journal}

	status, stdout, stderr := almanac(append(base, dir)...)
	if status != 1 || strings.Count(stdout, "not a public address: 127.0.0.1") != addresses {
		t.Fatalf("without -allow-private: status %d\n%s%s", status, stdout, stderr)
	}
	status, stdout, stderr = almanac(append(base, "-allow-private", dir)...)
	want := "status   410 mqtt-5 " + srv.URL + "/mqtt-5: 410 Gone\n"
	if status != 1 || !strings.HasPrefix(stdout, want) || !strings.Contains(stdout, fmt.Sprintf("%d answered, 1 broken", addresses)) ||
		!strings.Contains(stderr, fmt.Sprintf("1 of %d links are broken", addresses)) {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	if want := "almanac-link-checker/1.0 (+https://example.org/bot/)"; len(agents) != 1 || !agents[want] {
		t.Errorf("user agents %v, want only %s", agents, want)
	}
	for _, e := range mustLoad(t, dir).Entries() {
		want := http.StatusOK
		if e.ID == "mqtt-5" {
			want = http.StatusGone
		}
		if e.HTTPStatus != want {
			t.Errorf("%s: http_status %d in the record, want %d", e.ID, e.HTTPStatus, want)
		}
	}
}

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
	cat, err := loadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return cat
}
