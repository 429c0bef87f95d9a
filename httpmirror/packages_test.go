package httpmirror

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/internal/parttest"
)

// writePackages writes the packages of a catalogue into a new folder.
func writePackages(t *testing.T, c *catalog.Catalog) (dir string, names []string) {
	t.Helper()
	dir = parttest.TempDir(t)
	names, err := Packages(c, Options{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir, names
}

// unpack writes the files of an archive below a folder. It returns them by their paths below the folder of the archive.
func unpack(t *testing.T, archive, dir string) map[string]string {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		_, path, _ := strings.Cut(h.Name, "/")
		files[path] = string(body)
		writeFiles(t, dir, map[string]string{path: string(body)})
	}
}

// writeFiles writes files below a folder.
func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for path, body := range files {
		name := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// runIn runs a program in a folder and returns its output.
func runIn(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "npm_config_offline=true")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%.3000s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestPackagesHoldTheSite: each package has every JSON document with a schema, every schema and every dataset, byte for
// byte as the site publishes them and its manifest lists them.
func TestPackagesHoldTheSite(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	dir, names := writePackages(t, realCatalog(t))
	site := exportedSite(t)
	var manifest file.Manifest
	text, err := os.ReadFile(filepath.Join(site, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	want := make(map[string]string) // hashes
	for _, f := range manifest.Files {
		_, schema := strings.CutPrefix(f.Path, "/schemas/")
		_, api := strings.CutPrefix(f.Path, "/api/")
		_, dataset := strings.CutPrefix(f.Path, "/dataset")
		if schema || api && strings.HasSuffix(f.Path, ".json") || dataset && (strings.HasSuffix(f.Path, "l") || strings.HasSuffix(f.Path, "csv")) {
			want["data"+f.Path] = f.SHA256
		}
	}
	if len(want) < 1500 {
		t.Fatalf("the manifest lists only %d files of data", len(want))
	}
	for _, name := range names {
		files := unpack(t, filepath.Join(dir, name), parttest.TempDir(t))
		for path, sum := range want {
			if got := file.New(path, "", []byte(files[path])).SHA256(); got != sum {
				t.Errorf("%s: %s has the SHA-256 %s, and the manifest %s", name, path, got, sum)
			}
		}
		if files["data/manifest.json"] != string(text) {
			t.Errorf("%s: the manifest is not that of the site", name)
		}
		if !strings.Contains(files["README.md"], "CC0 1.0") || !strings.Contains(files["README.md"], "| 1.0.0 | 2026-11-21 | first |") {
			t.Errorf("%s: the README does not state licence and versions:\n%s", name, files["README.md"])
		}
	}
}

// TestPackagesAreReproducible: packages made twice of the same files are equal.
func TestPackagesAreReproducible(t *testing.T) {
	one, names := writePackages(t, smallCatalog(t, testTime))
	other, _ := writePackages(t, smallCatalog(t, testTime))
	for _, name := range names {
		a, _ := os.ReadFile(filepath.Join(one, name))
		if b, _ := os.ReadFile(filepath.Join(other, name)); string(a) != string(b) || len(a) == 0 {
			t.Errorf("%s: two builds differ", name)
		}
	}
}

// goSample reads an entry, and every document strictly: a member that its type lacks is an error.
const goSample = `package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"log"
	"strings"

	"almanac/data"
)

func strict[T any](text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(new(T))
}

var types = []struct {
	end string // of the path, either one
	check  func([]byte) error
}{
	{"data/api/entries/", strict[data.EntryDocument]},
	{"data/api/library/index.json", strict[data.CategoryIndexDocument]},
	{"data/api/library/", strict[data.LibraryDocument]},
	{"/versions.json", strict[data.VersionsDocument]},
	{"data/api/protocols/", strict[data.ProtocolDocument]},
	{"data/api/protocol-facts.json", strict[data.ProtocolFactsDocument]},
	{"data/api/evidence/", strict[data.EvidenceDocument]},
	{"data/api/statements/", strict[data.StatementsDocument]},
	{"data/api/history/records/", strict[data.HistoryRecordDocument]},
	{"data/support.json", strict[data.SupportDocument]},
	{"data/manifest.json", strict[data.ManifestDocument]},
}

func main() {
	e, err := data.Read[data.EntryDocument]("/api/entries/mqtt-5.json")
	if err != nil {
		log.Fatal(err)
	}
	read := 0
	err = fs.WalkDir(data.Files, ".", func(path string, d fs.DirEntry, err error) error {
		for _, t := range types {
			if err == nil && !d.IsDir() && (strings.HasPrefix(path, t.end) || strings.HasSuffix(path, t.end)) {
				text, _ := data.Files.ReadFile(path)
				read++
				if err := t.check(text); err != nil {
					return fmt.Errorf("%s: %w", path, err)
				}
				return nil
			}
		}
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(data.Version, e.Entry.ID, e.Entry.Publisher, read > 1000)
}
`

// TestGoPackage: in a fresh module, a program that requires the Go module builds, and its types have every member of
// the documents.
func TestGoPackage(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	dir, names := writePackages(t, realCatalog(t))
	work := parttest.TempDir(t)
	unpack(t, filepath.Join(dir, names[2]), filepath.Join(work, "data"))
	version := "v" + strings.TrimSuffix(strings.TrimPrefix(names[2], "almanac-data-go-"), ".tar.gz")
	module := "almanac/data"
	if major, _, _ := strings.Cut(version, "."); major != "v1" {
		module += "/" + major // as Go demands of a module's second major version
	}
	writeFiles(t, filepath.Join(work, "fresh"), map[string]string{
		"main.go": strings.ReplaceAll(goSample, `"almanac/data"`, `data "`+module+`"`),
		"go.mod":  "module fresh\n\ngo 1.21\n\nrequire " + module + " " + version + "\n\nreplace " + module + " => ../data\n"})
	entry, _ := realCatalog(t).Entry("mqtt-5")
	got := runIn(t, filepath.Join(work, "fresh"), "go", "run", ".")
	if want := fmt.Sprintf("%s mqtt-5 %s true\n", version[1:], entry.Publisher); got != want {
		t.Errorf("the program writes %q, want %q", got, want)
	}
}

// npmSample reads an entry and hashes every file of the manifest that the package has.
const npmSample = `import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { read, version } from "almanac-data";
import facts from "almanac-data/data/api/protocol-facts.json" with { type: "json" };

const entry = read("/api/entries/mqtt-5.json").entry;
let equal = 0;
for (const file of read("/manifest.json").files) {
	if (file.path.endsWith("/")) continue; // a page
	let text;
	try {
		text = readFileSync(new URL(import.meta.resolve("almanac-data/data" + file.path)));
	} catch {
		continue; // not JSON
	}
	if (createHash("sha256").update(text).digest("hex") !== file.sha256) throw new Error(file.path);
	equal++;
}
console.log(version, entry.id, entry.publisher, facts.count, equal > 1500);
`

// TestNPMPackage: in a fresh project, npm installs the package offline, the TypeScript compiler checks a program
// against its types and real documents, and the files have the hashes of the manifest.
func TestNPMPackage(t *testing.T) {
	modules := npmModules(t)
	dir, names := writePackages(t, realCatalog(t))
	work := parttest.TempDir(t)
	c := realCatalog(t)
	r := newRenderer(c, Options{}, kinds(c, Options{}))
	var literals strings.Builder // documents that must have the types of their addresses
	for i, path := range []string{catalog.EntryJSONPath("mqtt-5"), catalog.ProtocolJSONPath("x402"), catalog.ProtocolsJSONPath,
		catalog.SupportJSONPath, catalog.TrustJSONPath, catalog.EvidenceJSONPath("protocol.l402"), catalog.StatementsJSONPath("l402-protocol-specification")} {
		task, err := r.task(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := r.render(task)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&literals, "let d%d = read(%q);\nd%[1]d = %[3]s;\n", i, path, f.Body)
	}
	writeFiles(t, work, map[string]string{
		"package.json": `{"type": "module", "private": true}`,
		"use.mjs":      npmSample,
		"types.ts":     "import { read, type Entry, type EntryDocument } from \"almanac-data\";\n" + literals.String(),
		"right.ts":     "import { read, type Entry } from \"almanac-data\";\nconst e: Entry = read(\"/api/entries/mqtt-5.json\").entry;\nexport const day: string | null = e.date_published;\n",
		"wrong.ts":     "import { read } from \"almanac-data\";\nexport const n: number = read(\"/api/entries/mqtt-5.json\").entry.title;\n",
	})
	runIn(t, work, "npm", "install", "--silent", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", filepath.Join(dir, names[1]))
	compiler := filepath.Join(modules, "node_modules", "typescript", "bin", "tsc")
	check := []string{compiler, "--noEmit", "--strict", "--module", "nodenext", "--target", "es2022"}
	runIn(t, work, "node", append(check, "types.ts", "right.ts")...)
	cmd := exec.Command("node", append(check, "wrong.ts")...)
	cmd.Dir = work
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "not assignable to type 'number'") {
		t.Errorf("a wrong type compiles: %v\n%s", err, out)
	}
	entry, _ := c.Entry("mqtt-5")
	version := strings.TrimSuffix(strings.TrimPrefix(names[1], "almanac-data-npm-"), ".tgz")
	if got, want := runIn(t, work, "node", "use.mjs"), fmt.Sprintf("%s mqtt-5 %s %d true\n", version, entry.Publisher, c.Protocols().Count); !strings.HasSuffix(got, want) {
		t.Errorf("the program writes %q, want %q", got, want)
	}
}

// TestMajorVersionsOfTheModule: a Go module of a later major version has it in its path, as Go demands.
func TestMajorVersionsOfTheModule(t *testing.T) {
	for major, want := range map[string]string{"1": "module almanac/data\n", "2": "module almanac/data/v2\n"} {
		var b strings.Builder
		if err := packageTemplates.ExecuteTemplate(&b, "go/go.mod", packageData{Major: major}); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(b.String(), want) {
			t.Errorf("major version %s: %q, want %q", major, b.String(), want)
		}
	}
}
