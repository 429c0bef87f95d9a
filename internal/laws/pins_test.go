package laws

import (
	"encoding/json"
	"io/fs"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"
)

// repositoryFiles returns the names of the files that git has, of those that match.
func repositoryFiles(t *testing.T, patterns ...string) []string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", "../..", "ls-files", "--"}, patterns...)...).Output()
	if err != nil {
		t.Fatalf("list the files of the repository: %v", err)
	}
	names := strings.Fields(string(out))
	if len(names) == 0 {
		t.Fatalf("no file matches %q", patterns)
	}
	return names
}

// programs are the files whose commands fetch the work of others.
var programs = []string{".ci", ".github/workflows", "deploy/release", "Dockerfile", "*.sh"}

// TestPins: what builds, tests and releases almanac is fetched by the digest of its content, or by a version with a
// lock file: actions by commit, base images by digest, npm's packages by npm ci without their scripts, modules by version.
// The images that operators run beside almanac are named by version.
func TestPins(t *testing.T) {
	var (
		action  = regexp.MustCompile(`^\s*(?:- )?uses:\s*(.*)$`)
		commit  = regexp.MustCompile(`^[\w-]+/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
		image   = regexp.MustCompile(`^\s*(?:FROM|(?:- )?(?:image|container):)\s+([^#\s].*)$`)
		digest  = regexp.MustCompile(`^(scratch|\S+:[\w.-]+@sha256:[0-9a-f]{64})( |$)|@\$\(jq `)
		npm     = regexp.MustCompile(`\b(npm|npx|yarn|pnpm)\b.*\s(ci|install|i|add|exec)\b|\bnpx\s`)
		locked  = regexp.MustCompile(`\bnpm ci\b.*--ignore-scripts|^exec npm ci `)
		module  = regexp.MustCompile(`\bgo (?:run|install|get) .*?[\w.-]+\.\w+/\S+`)
		version = regexp.MustCompile(`@v\d+\.\d+\.\d+`)
		actions int
	)
	for _, name := range repositoryFiles(t, programs...) {
		text, err := fs.ReadFile(repository, name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(string(text), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "#") || path.Ext(name) == ".md" || path.Ext(name) == ".go" {
				continue
			}
			if m := action.FindStringSubmatch(line); m != nil {
				actions++
				if !commit.MatchString(m[1]) {
					t.Errorf("%s uses %s: write the action's commit, and its version as a comment", name, m[1])
				}
			}
			if m := image.FindStringSubmatch(line); m != nil && !digest.MatchString(m[1]) {
				t.Errorf("%s uses the image %s: write its tag and its digest", name, m[1])
			}
			if npm.MatchString(line) && !locked.MatchString(line) {
				t.Errorf("%s: %s: use npm ci --ignore-scripts, as .ci/npm does", name, line)
			}
			if m := module.FindString(line); m != "" && !version.MatchString(m) {
				t.Errorf("%s: %s: name the module's version", name, line)
			}
		}
	}
	for _, name := range repositoryFiles(t, "deploy/compose/*.yaml") { // which operators edit and update
		for _, m := range regexp.MustCompile(`(?m)^\s*image: (.*)$`).FindAllStringSubmatch(document(t, name), -1) {
			if !regexp.MustCompile(`^(almanac|\S+:v?\d\S*)$`).MatchString(m[1]) {
				t.Errorf("%s uses the image %s: name its version", name, m[1])
			}
		}
	}
	if actions < 10 {
		t.Errorf("%d actions; were the workflows found?", actions)
	}
}

// TestLockFiles: a file that names packages of npm has a lock file beside it, with the digest of each package, and updates of
// all packages and modules are asked for.
func TestLockFiles(t *testing.T) {
	updates := document(t, ".github/dependabot.yml")
	for _, name := range repositoryFiles(t, "package.json", "**/package.json", "go.mod", "**/go.mod") {
		if !strings.Contains(updates, "\n      - "+path.Join("/", path.Dir(name))+"\n") {
			t.Errorf(".github/dependabot.yml does not name the folder of %s", name)
		}
	}
	for _, name := range repositoryFiles(t, "package.json", "**/package.json") {
		lock := path.Join(path.Dir(name), "package-lock.json")
		text, err := fs.ReadFile(repository, lock)
		if err != nil {
			t.Errorf("%s has no lock file: %v", name, err)
			continue
		}
		var file struct {
			Packages map[string]struct {
				Integrity string
				InBundle  bool // it is part of another package
			}
		}
		if err := json.Unmarshal(text, &file); err != nil || len(file.Packages) < 2 {
			t.Errorf("%s has %d packages: %v", lock, len(file.Packages), err)
		}
		for dir, p := range file.Packages {
			if dir != "" && !p.InBundle && !strings.HasPrefix(p.Integrity, "sha512-") {
				t.Errorf("%s has no digest of %s", lock, dir)
			}
		}
	}
}

// TestCompiler: the workflows and the releases use one compiler, a patch of the version that go.mod asks for, and go.mod
// asks for none that is newer than 1.26.8.
func TestCompiler(t *testing.T) {
	m := regexp.MustCompile(`(?m)^ENV GOTOOLCHAIN=go(1\.26\.(\d+))$`).FindStringSubmatch(document(t, "Dockerfile"))
	if m == nil || len(m[2]) < 2 || m[2] < "11" {
		t.Fatalf("the Dockerfile names the compiler %q, want go1.26.11 or a later patch", m)
	}
	for _, name := range repositoryFiles(t, ".github/workflows") {
		for _, w := range regexp.MustCompile(`go-version: "(.*?)"`).FindAllStringSubmatch(document(t, name), -1) {
			if w[1] != m[1] {
				t.Errorf("%s uses Go %s, and the Dockerfile %s", name, w[1], m[1])
			}
		}
	}
	if !regexp.MustCompile(`(?m)^go 1\.26(\.[0-8])?$`).MatchString(document(t, "go.mod")) {
		t.Error("go.mod asks for a later Go than 1.26.8")
	}
}
