package e2e

import (
	"encoding/json"
	"go.almanac.example/internal/parttest"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// document returns a file of the repository as text.
func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// section returns the text of a document below a heading, up to the next heading of its level or a higher one.
func section(t *testing.T, text, heading string) string {
	t.Helper()
	_, after, ok := strings.Cut("\n"+text, "\n"+heading+"\n")
	if !ok {
		t.Fatalf("there is no heading %q", heading)
	}
	level := strings.IndexFunc(heading, func(r rune) bool { return r != '#' })
	fenced := false
	var lines []string
	for line := range strings.SplitSeq(after, "\n") {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if n := len(line) - len(strings.TrimLeft(line, "#")); !fenced && n > 0 && n <= level && strings.HasPrefix(line[n:], " ") {
			break
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// shellBlocks returns the shell blocks of a text.
func shellBlocks(text string) (blocks []string) {
	for _, m := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(text, -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

// TestReadmePurchase runs the documented purchase literally, but for the address.
func TestReadmePurchase(t *testing.T) {
	for _, tool := range []string{"bash", "curl"} {
		parttest.Everyday(t, tool)
	}
	p := startServe(t)
	script := shellBlocks(section(t, document(t, "docs/use.md"), "## As a paying agent"))[0]
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

// TestTrustChecklistIsHeld: every promise of the trust checklist, and no other, names its tests in docs/contract.md.
func TestTrustChecklistIsHeld(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	list := section(t, document(t, "docs/contract.md"), "## Trust checklist")
	held := make(map[string]bool)
	for _, row := range regexp.MustCompile("(?m)^- `([a-z-]+)`: `(?:[a-z0-9/]+\\.)?Test[A-Z0-9]").FindAllStringSubmatch(list, -1) {
		held[row[1]] = true
	}
	var trust struct{ Checks []struct{ ID string } }
	if err := json.Unmarshal([]byte(get(t, startServe(t, "-fixtures", "").base+"/trust.json")), &trust); err != nil {
		t.Fatal(err)
	}
	for _, check := range trust.Checks {
		if !held[check.ID] {
			t.Errorf("docs/contract.md names no test for %s of /trust.json", check.ID)
		}
		delete(held, check.ID)
	}
	for id := range held {
		t.Errorf("docs/contract.md has %s, which /trust.json does not promise", id)
	}
}

// get returns what an address answers.
func get(t *testing.T, address string) string {
	t.Helper()
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", address, resp.Status, err)
	}
	return string(body)
}
