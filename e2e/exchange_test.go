package e2e

import (
	"bufio"
	"bytes"
	"html"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/http402/testvectors"
	"go.almanac.example/http402/testvectors/shapeserver"
	"go.almanac.example/internal/parttest"
)

// exchangeLine runs a program of the page of a protocol, which is in the file $1.
var exchangeLine = map[string][]string{
	"curl":       {"bash", "-euo", "pipefail"},
	"TypeScript": {"node"},
	"Python":     {"python3"},
	"Go":         {"go", "run"},
}

// TestExchanges runs every program that the pages of protocols show, as the pages have it: it asks, somebody pays the invoice or signs
// the transfer that it prints, and it asks again with the proof.
func TestExchanges(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	p := startServe(t, "-fixtures", "")
	const invoice, transfer = "Pay this invoice: ", "Sign this transfer: "
	mock := httptest.NewServer(shapeserver.New(testvectors.Shapes()))
	t.Cleanup(mock.Close)
	for protocol, want := range map[string]string{"l402": `"entries":[{"id":"macaroon`, "mpp": `"entries":[{"id":"macaroon`, "x402": `{"article":"x402-v2"}`} {
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
				settle := settler{invoice, (&shop{TB: t, base: p.base}).pay}
				program := code[2]
				if protocol == "x402" {
					settle = settler{transfer, func(typed string) string { return signTyped(t, typed) }}
					program = strings.NewReplacer("https://www.x402.org/protected/evm/exact/erc3009", mock.URL+"/http/x402-v2", "0xYOUR_ADDRESS", signer).Replace(program)
				}
				found := runExchange(t, code[1], program, settle)
				if !strings.Contains(found, want) {
					t.Errorf("the program ends with %.300s", found)
				}
			})
		}
	}
}

// A settler returns the proof of what a program asks for in its first line, after a prompt.
type settler struct {
	prompt string
	prove  func(asked string) string
}

// signer is the address of the throwaway key of signTyped.
const signer = "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A"

// signTyped returns the signature of EIP-712 data by signer.
func signTyped(t *testing.T, typed string) string {
	t.Helper()
	account := parttest.Cached(t, "setup-402.sh", "npm-402", "node_modules", "viem", "_cjs", "accounts", "index.js")
	const script = `const {privateKeyToAccount} = require(process.argv[1]);
privateKeyToAccount("0x" + "11".repeat(32)).signTypedData(JSON.parse(process.argv[2])).then((s) => process.stdout.write(s));`
	out, err := exec.CommandContext(t.Context(), parttest.Everyday(t, "node"), "-e", script, account, typed).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// runExchange runs a program, settles what it asks for, and returns the rest of its output.
func runExchange(t *testing.T, language, code string, settle settler) string {
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
	asked, ok := strings.CutPrefix(strings.TrimSpace(asked), settle.prompt)
	if !ok {
		stdin.Close()
		cmd.Wait()
		t.Fatalf("the program prints %q\n%s", asked, stderr.String())
	}
	if _, err := io.WriteString(stdin, settle.prove(asked)+"\n"); err != nil {
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
