package main

import (
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"almanac/server/servertest"
)

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestReadmePurchase copies the README's purchase literally, but for the address.
func TestReadmePurchase(t *testing.T) {
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("ALMANAC_REAL") != "" {
				t.Fatalf("%s is missing", tool)
			}
			t.Skipf("%s is not installed", tool)
		}
	}
	p := startServe(t)
	script := section(t, readme(t), "### As a paying agent")
	script = strings.ReplaceAll(script, "http://localhost:8402", p.base)
	cmd := exec.Command("bash", "-euc", script)
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{`"credits":{"remaining":99`, `"entries":[{`, `"remaining":99,`} {
		if !strings.Contains(strings.ReplaceAll(string(out), ": ", ":"), want) {
			t.Errorf("the output does not hold %s:\n%s", want, out)
		}
	}
	if body, err := os.ReadFile(filepath.Join(cmd.Dir, "402.json")); err != nil || !strings.Contains(string(body), `"payment_required"`) {
		t.Errorf("the first answer is not a challenge: %v %s", err, body)
	}
}

// section gives the first shell block after a heading.
func section(t *testing.T, text, heading string) string {
	t.Helper()
	_, after, ok := strings.Cut(text, heading)
	if !ok {
		t.Fatalf("README has no %q", heading)
	}
	_, after, _ = strings.Cut(after, "```sh\n")
	block, _, ok := strings.Cut(after, "```")
	if !ok {
		t.Fatalf("README has no shell block below %q", heading)
	}
	return block
}

// TestReadmeNames: the README names every package, command and tool, and every flag it names exists.
func TestReadmeNames(t *testing.T) {
	text := readme(t)
	for _, p := range importsOfPackages(t) {
		if _, ok := testSupport[p.name]; ok || p.name == "index/searchpb" { // generated
			continue
		}
		if !strings.Contains(text, "`"+p.name+"`") {
			t.Errorf("README does not name package %s", p.name)
		}
	}
	known := make(map[string]bool)
	for _, cmd := range rootCommand(io.Discard, io.Discard).Subcommands {
		if !strings.Contains(text, "almanac "+cmd.Name) && !strings.Contains(text, "cmd/almanac "+cmd.Name) && cmd.Name != "version" {
			t.Errorf("README does not name the command %s", cmd.Name)
		}
		cmd.FlagSet.VisitAll(func(f *flag.Flag) { known[f.Name] = true })
	}
	s := &servertest.Client{T: t, URL: startServe(t).base}
	tools := servertest.Decode[struct {
		Result struct{ Tools []struct{ Name string } }
	}](t, s.RPC("tools/list", struct{}{})).Result.Tools
	if len(tools) == 0 {
		t.Error("tools/list is empty")
	}
	for _, tool := range tools {
		if !strings.Contains(text, "`"+tool.Name+"`") {
			t.Errorf("README does not name the tool %s", tool.Name)
		}
	}
	for _, m := range regexp.MustCompile("`(?:[^`]* )?-([a-z][a-z-]+)[ `]").FindAllStringSubmatch(text, -1) {
		if !known[m[1]] && m[1] != "read-only" && m[1] != "t" && m[1] != "p" && m[1] != "v" {
			t.Errorf("README names the flag -%s, which no command has", m[1])
		}
	}
}
