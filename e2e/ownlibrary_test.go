package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.almanac.example/internal/parttest"
	"go.almanac.example/server/servertest"
)

// TestOwnLibrary runs the commands of docs/own-library.md literally, but for the addresses: an empty folder becomes a
// library that sells a search over its first own entry.
func TestOwnLibrary(t *testing.T) {
	parttest.Everyday(t, "bash")
	dir := t.TempDir()
	if err := os.Symlink(program, filepath.Join(dir, "almanac")); err != nil {
		t.Fatal(err)
	}
	text := document(t, "docs/own-library.md")
	shell := func(script string) string {
		cmd := exec.Command("bash", "-euc", script)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "XDG_STATE_HOME="+filepath.Join(dir, "buyer"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
		return string(out)
	}
	begin := section(t, text, "## Begin")
	shell(shellBlocks(begin)[0])
	for _, m := range regexp.MustCompile("(?s)`(mylibrary/[^`]*)`:\n\n```json\n(.*?)```").FindAllStringSubmatch(begin, -1) {
		os.MkdirAll(filepath.Dir(filepath.Join(dir, m[1])), 0o700)
		if err := os.WriteFile(filepath.Join(dir, m[1]), []byte(m[2]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out := shell(shellBlocks(begin)[1]); !strings.Contains(out, "2 entries") || !strings.Contains(out, "no faults") {
		t.Errorf("the check says:\n%s", out)
	}
	commands := shellBlocks(section(t, text, "## Serve"))
	serve := command(t, append(strings.Fields(commands[0])[1:], "-log", "json", "-http", "localhost:0", "-grpc", "localhost:0",
		"-admin", "localhost:0", "-state", filepath.Join(dir, "state"))...)
	serve.Dir = dir
	p := startProcess(t, serve, servertest.Patience)
	out := shell(strings.ReplaceAll(commands[1], "http://localhost:8402", p.base))
	if !strings.Contains(out, "RFC 8785") || !strings.Contains(out, "99") {
		t.Errorf("the search found:\n%s", out)
	}
	if status, body := p.get("/mcp/server-card"); status != 200 || strings.Contains(body, "payment and agent") {
		t.Errorf("the card of the tool server: status %d\n%s", status, body)
	}
	if n := len(shellBlocks(text)); n != 4 {
		t.Errorf("the document has %d commands, and says four", n)
	}
}
