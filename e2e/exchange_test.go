package e2e

import (
	"bufio"
	"bytes"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/parttest"
)

// exchangeLine runs a program of the page of a protocol, which is in the file $1.
var exchangeLine = map[string][]string{
	"curl":       {"bash", "-euo", "pipefail"},
	"TypeScript": {"node"},
	"Python":     {"python3"},
	"Go":         {"go", "run"},
}

// TestExchanges runs every program that the pages of protocols show, as the pages have it: it asks, somebody pays the invoice that
// it prints, and it searches with the preimage.
func TestExchanges(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	p := startServe(t, "-fixtures", "")
	for _, protocol := range []string{"l402", "mpp"} {
		_, text := p.get(catalog.MarkdownPath(catalog.ProtocolPath(protocol)))
		_, page := p.get(catalog.ProtocolPath(protocol))
		_, section, _ := strings.Cut(text, "\n## A payment in code\n")
		codes := regexp.MustCompile("(?s)### (\\w+)\n\n```\n(.*?)\n```").FindAllStringSubmatch(section, -1)
		if len(codes) != len(exchangeLine) {
			t.Fatalf("%s: %d programs, want %d", protocol, len(codes), len(exchangeLine))
		}
		for _, code := range codes {
			t.Run(protocol+"/"+code[1], func(t *testing.T) {
				if !strings.Contains(html.UnescapeString(page), code[2]) {
					t.Error("the page shows another program than its Markdown")
				}
				found := runExchange(t, p, code[1], code[2])
				if !strings.Contains(found, `"entries":[{"id":"macaroon`) {
					t.Errorf("the program ends with %.300s", found)
				}
			})
		}
	}
}

// runExchange runs a program, pays the invoice that it prints, and returns the rest of its output.
func runExchange(t *testing.T, p *process, language, code string) string {
	t.Helper()
	line := exchangeLine[language]
	parttest.Everyday(t, line[0])
	extension := map[string]string{"curl": "sh", "TypeScript": "mjs", "Python": "py", "Go": "go"}[language]
	file := filepath.Join(t.TempDir(), "exchange."+extension)
	if err := os.WriteFile(file, []byte(code+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if language == "TypeScript" {
		stripTypes(t, file)
	}
	cmd := exec.CommandContext(t.Context(), line[0], append(line[1:], file)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(stdout)
	asked, _ := out.ReadString('\n')
	invoice, ok := strings.CutPrefix(strings.TrimSpace(asked), "Pay this invoice: ")
	if !ok {
		stdin.Close()
		cmd.Wait()
		t.Fatalf("the program prints %q\n%s", asked, stderr.String())
	}
	shop := &shop{TB: t, base: p.base}
	if _, err := io.WriteString(stdin, shop.pay(invoice)+"\n"); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	return string(rest)
}

// stripTypes compiles a program of TypeScript to one of JavaScript, in its file.
func stripTypes(t *testing.T, file string) {
	t.Helper()
	compiler := parttest.Cached(t, "setup-mirror.sh", "npm-mirror", "node_modules", "typescript", "lib", "typescript.js")
	const script = `const ts = require(process.argv[1]), fs = require("fs"), f = process.argv[2];
const r = ts.transpileModule(fs.readFileSync(f, "utf8"), {reportDiagnostics: true, compilerOptions: {module: "ESNext", target: "ES2022"}});
if (r.diagnostics.length) throw new Error(r.diagnostics.map((d) => d.messageText).join("\n"));
fs.writeFileSync(f, r.outputText);`
	if out, err := exec.CommandContext(t.Context(), parttest.Everyday(t, "node"), "-e", script, compiler, file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
