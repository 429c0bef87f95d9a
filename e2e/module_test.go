package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"almanac/l402/client"
	"almanac/parttest"
)

// TestReleasedModule: through the module proxy of a release, go install makes the program, which says its version, and
// in a fresh module go get adds the buyer's client to a program that then runs.
func TestReleasedModule(t *testing.T) {
	proxy, dir := t.TempDir(), parttest.TempDir(t)
	extract(t, proxy, "tar", "xzf", released(t, "almanac_*_goproxy.tar.gz"), "-C", proxy, "--strip-components=1")
	lists, err := filepath.Glob(filepath.Join(proxy, "*", "*", "@v", "list"))
	if err != nil || len(lists) != 1 {
		t.Fatalf("the proxy has the lists %v (%v)", lists, err)
	}
	b, err := os.ReadFile(lists[0])
	must(t, err)
	version := strings.TrimSpace(string(b))
	module, err := filepath.Rel(proxy, filepath.Dir(filepath.Dir(lists[0])))
	must(t, err)

	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	must(t, err)
	cache, own := strings.TrimSpace(string(out)), filepath.Join(dir, "modules")
	shareModules(t, cache, own, "cache")
	shareModules(t, filepath.Join(cache, "cache", "download"), filepath.Join(own, "cache", "download"), "")
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOENV=off", "GOFLAGS=-trimpath -modcacherw", "CGO_ENABLED=0", "GOWORK=off", "GOBIN="+dir, "GOSUMDB=off",
			"GOMODCACHE="+own, "GOPROXY=file://"+proxy+",file://"+filepath.Join(cache, "cache", "download"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	run("go", "install", module+"/cmd/almanac@"+version)
	if got := run(filepath.Join(dir, "almanac"), "version"); !strings.HasPrefix(got, "almanac "+version+" ") {
		t.Errorf("go install made %s, want %s", got, version)
	}

	must(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module fresh\n\ngo 1.26.0\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(`package main

import (
	"fmt"

	"`+module+`/l402/client"
)

func main() { fmt.Print(client.Sats(100000)) }
`), 0o600))
	run("go", "get", module+"/l402/client@"+version)
	if got, want := run("go", "run", "."), client.Sats(100000); got != want {
		t.Errorf("the program writes %q, want %q", got, want)
	}
}

// shareModules makes a folder of links to what is in another, but for one, so that what is added to the new one is in
// it alone.
func shareModules(t *testing.T, from, to, but string) {
	t.Helper()
	must(t, os.MkdirAll(to, 0o755))
	files, err := os.ReadDir(from)
	must(t, err)
	for _, f := range files {
		if f.Name() != but {
			must(t, os.Symlink(filepath.Join(from, f.Name()), filepath.Join(to, f.Name())))
		}
	}
}
