package e2e

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/internal/parttest"
	"go.almanac.example/server/servertest"
)

// A published is every file that a process serves, by path: its bytes with the headers by which others compare it.
type published map[string]string

// read asks a process for the files of its manifest: where the real parts run, for all; else for those that show an edited
// entry and every fifth of the others, since httpmirror compares whole mirrors.
func read(t *testing.T, p *process, edited []string) published {
	t.Helper()
	files := make(published)
	ask := func(path string) string {
		res, body := servertest.Ask(t, http.MethodGet, "http://"+p.serving["http"].(string)+path, "",
			"Accept-Encoding", "identity") // TestCodingsHoldTheFile compares the codings
		if res.StatusCode != http.StatusOK || res.Header.Get("ETag") == "" {
			t.Fatalf("%s: status %d, entity tag %q", path, res.StatusCode, res.Header.Get("ETag"))
		}
		files[path] = fmt.Sprintf("%s\n%s\n%s\n%s", res.Header.Get("ETag"), res.Header.Get("Last-Modified"), res.Header.Get("Content-Type"), body)
		return string(body)
	}
	var manifest struct {
		Files []struct {
			Path string `json:"path"`
		}
	}
	if err := json.Unmarshal([]byte(ask("/manifest.json")), &manifest); err != nil {
		t.Fatal(err)
	}
	if len(manifest.Files) < 1000 {
		t.Fatalf("only %d files are published", len(manifest.Files))
	}
	for _, f := range manifest.Files {
		if parttest.Wanted(t) || slices.Contains(edited, f.Path) || crc32.ChecksumIEEE([]byte(f.Path))%5 == 0 {
			ask(f.Path)
		}
	}
	return files
}

// differing returns the paths of the files that are not the same in both, sorted.
func differing(a, b published) []string {
	paths := []string{}
	for path, file := range a {
		if b[path] != file {
			paths = append(paths, path)
		}
	}
	for path := range b {
		if _, ok := a[path]; !ok {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// TestProcessesPublishTheSame: two processes with ledgers and keys of their own and in different time zones, one of which was restarted,
// publish the same files with the same entity tags; and after an edit of one entry, a reload changes the files that show it and no other.
func TestProcessesPublishTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	expected, err := os.ReadFile("../httpmirror/testdata/one-edit.txt")
	if err != nil {
		t.Fatal(err)
	}
	shows := strings.Fields(string(expected))
	dir := servertest.CopyFixtures(t)
	args := []string{"-fixtures", dir, "-base-url", "http://localhost:8402", "-state"}
	states := []string{t.TempDir(), t.TempDir()}
	t.Setenv("TZ", "Pacific/Kiritimati")
	one := startServe(t, append(args, states[0])...)
	first := read(t, one, shows)
	t.Setenv("TZ", "America/Los_Angeles")
	two := startServe(t, append(args, states[1])...)
	two.signal(syscall.SIGTERM)
	two.wait()
	if diff := cmp.Diff([]string{}, differing(first, read(t, startServe(t, append(args, states[1])...), shows))); diff != "" {
		t.Errorf("files that differ between two processes (-want +got):\n%s", diff)
	}

	servertest.Edit(t, dir, "library/iot/mqtt-5.json", "light publish-subscribe messaging", "lean publish-subscribe messaging")
	one.signal(syscall.SIGHUP)
	one.waitLog(`"msg":"reloaded"`)
	if diff := cmp.Diff(shows, differing(first, read(t, one, shows))); diff != "" {
		t.Errorf("files that an edited summary changed (-want +got):\n%s", diff)
	}
}
