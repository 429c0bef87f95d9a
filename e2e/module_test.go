package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.almanac.example/internal/parttest"
)

// TestReleasedModule: through the module proxy of a release, go install makes the program, which says its version, and
// in a fresh module go get adds the buyer's client to the example of docs/buyer.md, which then is as small as promised.
// The repository that is rewritten for the same path requires the client of that proxy, by its checksum.
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
	client := module + "/http402"

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
	must(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(documentedBuyer(t, module)), 0o600))
	run("go", "get", client+"/client@"+version, client+"/wallet/nwc@"+version)
	run("go", "build", "-ldflags", "-s -w", "-o", "fresh", ".")
	if got := run(filepath.Join(dir, "fresh")); got != "not a wallet\n" {
		t.Errorf("the program writes %q", got)
	}
	used := map[string]bool{}
	for path := range strings.FieldsSeq(run("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", ".")) {
		used[path] = true
	}
	delete(used, "fresh")
	delete(used, client)
	info, err := os.Stat(filepath.Join(dir, "fresh"))
	must(t, err)
	graph := map[string]bool{}
	for module := range strings.FieldsSeq(run("go", "mod", "graph")) {
		if path, _, _ := strings.Cut(module, "@"); strings.Contains(path, ".") { // not go itself
			graph[path] = true
		}
	}
	delete(graph, client)
	t.Logf("%d other modules provide packages of the program, %d are in its graph; %d bytes", len(used), len(graph), info.Size())
	if len(used) > maxBuyerModules || len(graph) > maxBuyerGraph || info.Size() > maxBuyerSize {
		t.Errorf("a program that pays by NWC has %d modules (%v), a graph of %d and %d bytes, want %d, %d and %d at most", len(used), used,
			len(graph), info.Size(), maxBuyerModules, maxBuyerGraph, maxBuyerSize)
	}

	dir = filepath.Join(dir, "rewritten")
	must(t, os.Mkdir(dir, 0o755))
	extract(t, dir, "sh", "-c", `cd .. && git ls-files -z | tar c --null -T - | tar x -C "$0"`, dir)
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	run(filepath.Join(dir, "deploy", "release", "module"), module, version)
	run("go", "build", "-mod=readonly", "-o", os.DevNull, "./cmd/almanac")
}

// The bounds of a program that pays by NWC, stripped; modules other than ours. The graph has those that only tests of
// its modules need.
const (
	maxBuyerModules = 10
	maxBuyerGraph   = 24
	maxBuyerSize    = 8 << 20
)

// documentedBuyer returns a program with the example of docs/buyer.md, which ends because its connection is none.
func documentedBuyer(t *testing.T, module string) string {
	t.Helper()
	text, err := os.ReadFile("../docs/buyer.md")
	must(t, err)
	_, example, _ := strings.Cut(string(text), "```go\n")
	example, _, ok := strings.Cut(example, "```\n")
	if !ok || strings.Count(example, "…\n") != 3 {
		t.Fatal("docs/buyer.md has no example in Go, or one with other gaps")
	}
	example = strings.ReplaceAll(example, "…\n", "if err != nil {\n\treturn err\n}\n")
	return `package main

import (
	"context"
	"fmt"
	"net/http"

	"` + module + `/http402/client"
	"` + module + `/http402/journal"
	"` + module + `/http402/wallet/nwc"
)

func main() {
	if err := buy(context.Background(), "no connection"); err != nil {
		fmt.Println("not a wallet")
	}
}

func buy(ctx context.Context, uri string) error {
` + example + `
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
`
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
