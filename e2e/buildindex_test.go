package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"almanac/catalog/catalogtest"
	"almanac/server/servertest"
)

// TestBuildIndexRefuses: what serve would not say is refused in one line, and nothing is built.
func TestBuildIndexRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		args   []string
		stdin  string
		status int
		want   string
	}{
		"no directory":       {nil, "", 2, "takes one directory"},
		"two directories":    {[]string{"a", "b"}, "", 2, "takes one directory"},
		"no documents":       {[]string{"a"}, "", 1, "not a stream of documents"},
		"other documents":    {[]string{"a"}, "{}\n", 1, "not a stream of documents"},
		"documents cut off":  {[]string{"a"}, "almanac documents 1\n\x02", 1, "unexpected EOF"},
		"a file in its way":  {[]string{"file/a"}, "almanac documents 1\n\x00\x00", 1, "make directory of the index"},
		"an unknown flag":    {[]string{"-x", "a"}, "", 2, "-x"},
		"an unset directory": {[]string{""}, "almanac documents 1\n\x00\x00", 1, "index"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := command(t, append([]string{"build-index"}, tt.args...)...)
			var stderr bytes.Buffer
			cmd.Dir, cmd.Stdin, cmd.Stderr = dir, strings.NewReader(tt.stdin), &stderr
			cmd.Run()
			first, _, _ := strings.Cut(stderr.String(), "\n")
			if status := cmd.ProcessState.ExitCode(); status != tt.status || !strings.Contains(stderr.String(), tt.want) || !strings.Contains(first, tt.want) {
				t.Errorf("status %d, %q; want status %d and %q", status, stderr.String(), tt.status, tt.want)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
				t.Errorf("%v is in the directory, %v", left, err)
			}
		})
	}
}

// TestIndexCannotBeBuilt: when the index of a reload has no place, the process that builds it says why, the data before are served on, and the
// next reload works.
func TestIndexCannotBeBuilt(t *testing.T) {
	dir, state := servertest.CopyFixtures(t), t.TempDir()
	p := startServe(t, "-fixtures", dir, "-state", state, "-index", "disk")
	place := filepath.Join(state, "index")
	if built, _ := filepath.Glob(filepath.Join(place, "index-*", "layout.json")); len(built) != 1 {
		t.Errorf("%d indexes were built below the state, want 1", len(built))
	}
	catalogtest.Retitle(t, dir)
	title := func() string {
		_, body := p.get("/api/entries/aperture-l402-proxy.json")
		doc := servertest.Decode[struct{ Entry struct{ Title string } }](t, []byte(body))
		return doc.Entry.Title
	}
	before := title()
	if err := os.Rename(place, place+"-away"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(place, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.signal(syscall.SIGHUP)
	p.waitLog("the process that builds the index ended: build search index: make directory of the index")
	if got := title(); got != before || got == "" {
		t.Errorf("after the reload that failed the title is %q, before %q", got, before)
	}
	if err := os.Remove(place); err != nil {
		t.Fatal(err)
	}
	p.signal(syscall.SIGHUP)
	p.waitLog(`"msg":"reloaded"`)
	if got := title(); got != "On "+before {
		t.Errorf("after the next reload the title is %q", got)
	}
}
