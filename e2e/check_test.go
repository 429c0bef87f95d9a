package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"go.almanac.example/internal/parttest"
)

// stubGH is a gh that keeps what it is told in the folder OUT, and knows one open pull request from the second on.
const stubGH = `#!/bin/sh
echo "$@" >>"$OUT/asked"
case "$2" in
list) [ "$1" = issue ] || cat "$OUT/open" 2>/dev/null ;;
create) echo 7 >"$OUT/open" ;;
esac
while [ $# -gt 0 ]; do [ "$1" != --body-file ] || cp "$2" "$OUT/body"; shift; done
`

// TestCheckRound runs deploy/check.sh, the round of .github/workflows/check.yml, on a library from almanac init whose source is on this
// machine and whose repository is a folder: what was seen is proposed with its history; a change at the source is the text of the
// proposal that is open; and when nothing can be pushed, of an issue.
func TestCheckRound(t *testing.T) {
	parttest.Everyday(t, "git")
	var page atomic.Value
	page.Store("<h1>Members</h1><p>The member type is a URI reference. It is optional.</p>")
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, page.Load())
	}))
	defer source.Close()
	dir := t.TempDir()
	script, err := filepath.Abs("../deploy/check.sh")
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string]string{"gh": stubGH, "almanac": "#!/bin/sh\nexec " + program + ` "$@"` + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	shell := func(commands string) string {
		t.Helper()
		cmd := exec.Command("bash", "-euc", commands)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "OUT="+dir, "SCRIPT="+script, "SOURCE="+source.URL,
			"HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "ALMANAC_BASE_URL=https://example.org")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", commands, err, out)
		}
		return string(out)
	}
	shell(`git config --global user.name c && git config --global user.email c@example.org && git config --global init.defaultBranch main
		git init -q --bare origin && git init -q work && cd work && git remote add origin ../origin
		almanac init fixtures
		sed -i "s#https://creativecommons.org/#$SOURCE/#; s#https://[a-z.]*rfc-editor.org/[a-z]*/rfc9457#$SOURCE/spec#; s#\"quote\": .*#\"quote\": \"The member type is a URI reference.\",#" fixtures/*.json fixtures/datasets/*/*.json fixtures/library/*/*.json fixtures/evidence/*.json
		almanac check -record fixtures && git add -A && git commit -qm begin && git push -q origin main`)
	round := func() (asked, body string) {
		t.Helper()
		shell(`rm -f asked body; cd work && git checkout -q main && "$SCRIPT" fixtures -allow-private -pace 0s`)
		return shell("cat asked"), shell("cat body")
	}
	asked, body := round()
	if !strings.Contains(asked, "pr create --title A round of the links and sources --body-file") || !strings.Contains(body, "1 stands") || !strings.Contains(body, "0 records may be stale") {
		t.Errorf("the first proposal, with %s:\n%s", asked, body)
	}
	proposed := shell(`cd work && git diff main almanac-check`)
	for _, want := range []string{`+  "http_status": 200`, `+          "seen_at": "`, `"record":"rfc-9457-problem-details"`, "fixtures/links.json"} {
		if !strings.Contains(proposed, want) {
			t.Errorf("the first round proposes, without %s:\n%s", want, proposed)
		}
	}
	// Rounds within one second see and write the same: main changes before each, and lacks the list of links, so that there is a commit to push.
	shell(`cd work && git checkout -q main && git merge -q almanac-check && git rm -q fixtures/links.json && git commit -qm second && git push -q origin main`)

	page.Store("<h1>Members</h1><p>The member type is a URI reference. It is required.</p>")
	if asked, body = round(); !strings.Contains(asked, "pr edit 7") || !strings.Contains(body, "## rfc-9457-problem-details") || !strings.Contains(body, `**changed**: was "optional", is "required". Read <`+source.URL+"/spec>") {
		t.Errorf("the second proposal, with %s:\n%s", asked, body)
	}
	shell(`cd work && git checkout -q main && git commit -q --allow-empty -m third && git push -q origin main`)
	shell(`printf '#!/bin/sh\nexit 1\n' >origin/hooks/pre-receive && chmod +x origin/hooks/pre-receive`)
	if asked, body = round(); !strings.Contains(asked, "issue create") || !strings.Contains(body, "**changed**") {
		t.Errorf("the issue, with %s:\n%s", asked, body)
	}
}
