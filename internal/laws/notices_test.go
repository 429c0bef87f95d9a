package laws

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// releasedSystems are those of deploy/release/build.
var releasedSystems = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64"}

// noticeFile matches the names of files that must go with copies of a module.
var noticeFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|copyright|notice|unlicense)([^.]*|.*\.(txt|md|0))$`)

// TestNotices: NOTICES has the licence and the notice of everything in the program, on every system of a release:
// of its modules, of the folders of theirs that have their own, of Go, and of the list of English words.
//
//	go test ./internal/laws -run TestNotices -update
func TestNotices(t *testing.T) {
	components, texts := map[string][]string{}, map[string]string{} // by the words of the text
	add := func(component, file string) {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Join(strings.Fields(string(b)), " ")
		texts[words] = strings.Trim(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n")
		if !slices.Contains(components[words], component) {
			components[words] = append(components[words], component)
		}
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	add("Go (the standard library)", filepath.Join(strings.TrimSpace(string(root)), "LICENSE"))
	add("SCOWL (index/text/english.txt)", "../../index/text/english.LICENSE")

	modules := map[string]bool{} // whether a notice was found
	for _, system := range releasedSystems {
		goos, goarch, _ := strings.Cut(system, "/")
		cmd := exec.Command("go", "list", "-deps", "-json=Dir,Module", "../../cmd/almanac")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("list the packages of the program for %s: %v", system, err)
		}
		for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
			var p struct {
				Dir    string
				Module *struct {
					Path, Version, Dir string
					Main               bool
				}
			}
			if err := d.Decode(&p); err != nil {
				t.Fatal(err)
			}
			if p.Module == nil || p.Module.Main || strings.HasPrefix(p.Module.Path, module+"/") {
				continue
			}
			name := p.Module.Path + " " + p.Module.Version
			for dir := p.Dir; ; dir = filepath.Dir(dir) {
				files, err := fs.ReadDir(os.DirFS(dir), ".")
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range files {
					if !f.IsDir() && noticeFile.MatchString(f.Name()) {
						add(name, filepath.Join(dir, f.Name()))
						modules[name] = true
					}
				}
				if dir == p.Module.Dir {
					break
				}
			}
			if !modules[name] {
				t.Errorf("%s has no licence that could be found", name)
			}
		}
	}

	type notice struct {
		of    []string
		words string
	}
	var list []notice
	for words, of := range components {
		slices.Sort(of)
		list = append(list, notice{of, words})
	}
	slices.SortFunc(list, func(a, b notice) int {
		if c := slices.Compare(a.of, b.of); c != 0 {
			return c
		}
		return strings.Compare(a.words, b.words)
	})
	var b strings.Builder
	b.WriteString("This program contains the work of others. Each licence and notice below follows the names of what it applies to.\n")
	for _, n := range list {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(n.of, "\n"), texts[n.words])
	}
	checkGenerated(t, "httpmirror/notices.txt", b.String())
}
