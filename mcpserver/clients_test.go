package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
	"go.almanac.example/l402"
	"go.almanac.example/tools"
)

func left(credits int) l402.Balance {
	return l402.Balance{Remaining: credits, ValidUntil: now.AddDate(0, 0, 30)}
}

// A charge is a credit taken from nobody.
type charge struct {
	left  l402.Balance
	waive func(context.Context) l402.Balance
}

func (c *charge) Balance() l402.Balance     { return c.left }
func (c *charge) PaymentReceipt() []byte    { return nil }
func (c *charge) Waive(ctx context.Context) { c.left = c.waive(ctx) }

// paid is a paid search whose node and ledger always say yes.
func paid() *tools.Paid {
	return &tools.Paid{
		Terms: catalog.DefaultTerms,
		Spend: func(context.Context, l402.Request) (tools.Charge, error) {
			return &charge{left: left(99), waive: func(context.Context) l402.Balance { return left(100) }}, nil
		},
		Balance: func(context.Context, string) (l402.Balance, error) { return left(99), nil },
		Challenge: func(context.Context, netip.Addr, error) (*l402.Challenge, error) {
			return &l402.Challenge{Terms: l402.Terms{PriceSats: 100, Credits: 100, Validity: 30 * 24 * time.Hour}, Macaroon: "AgEEbWFj", Invoice: "lnbcrt1u1test", ExpiresAt: now.Add(15 * time.Minute)}, nil
		},
	}
}

// seen is what a client saw of the server.
type seen struct {
	Version      string // of the protocol; the TypeScript client v1 does not tell
	Server       string
	Instructions int
	Tools        []string
	Resources    []string
	Templates    int
	Prompts      []string
	Entries      paged
	Payments     paged
	Changes      paged
	Called       map[string]bool
	Read         int
	Prompt       int
	Refused      bool
	Missing      int // the code of a resource that does not exist
	Paid         string
	Modern       bool
}

type paged struct{ Total, Seen, Distinct int }

// wanted is what every client must see. Tools, prompts and resources are those of the golden files, which are read by people.
func wanted(t *testing.T, c *catalog.Catalog) seen {
	t.Helper()
	w := seen{
		Server: "almanac", Prompt: 2, Refused: true, Missing: -32002, Paid: "L402",
		Tools: goldenNames(t, "tools-list.json", "tools", "name"), Prompts: goldenNames(t, "prompts-list.json", "prompts", "name"),
		Resources: goldenNames(t, "resources-list.json", "resources", "uri"), Templates: len(goldenNames(t, "resources-templates-list.json", "resourceTemplates", "name")),
		Called: map[string]bool{"list_categories": true, "fetch": true, "get_protocol_facts": true},
	}
	all := func(n int) paged { return paged{n, n, n} }
	payments, _ := c.Category("payments")
	w.Entries, w.Payments, w.Changes = all(len(c.Entries())), all(payments.Count), all(changesIn(c))
	w.Read = len(w.Resources) + 4
	return w
}

// goldenNames returns a member of each item of a list that a golden file has.
func goldenNames(t *testing.T, name, list, member string) []string {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata/golden", name))
	must(t, err)
	var doc map[string]json.RawMessage
	must(t, json.Unmarshal(body, &doc))
	var items []map[string]any
	must(t, json.Unmarshal(doc[list], &items))
	var names []string
	for _, item := range items {
		names = append(names, item[member].(string))
	}
	return names
}

func (s *seen) compare(t *testing.T, c *catalog.Catalog) {
	t.Helper()
	if s.Instructions == 0 || s.Instructions > 1500 {
		t.Errorf("the instructions have %d characters", s.Instructions)
	}
	s.Instructions = 0
	want := wanted(t, c)
	if s.Modern {
		want.Missing, want.Modern = -32602, true
	}
	if diff := cmp.Diff(want, *s); diff != "" {
		t.Errorf("what the client saw (-want +got):\n%s", diff)
	}
}

func TestTypeScriptClients(t *testing.T) {
	dir := npmDir(t)
	c, _ := realData(t)
	url := listen(t, serverOver(t, Options{Paid: paid()}))
	script, err := os.ReadFile("testdata/client.mjs")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"v1"}, {"v2", "legacy"}, {"v2", "auto"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, filepath.Join(dir, "node_modules", ".bin", "node"), append([]string{"--input-type=module", "-", url}, args...)...)
			var out, errs bytes.Buffer
			cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, bytes.NewReader(script), &out, &errs
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v\n%s", err, errs.String())
			}
			var got seen
			if err := json.Unmarshal(out.Bytes(), &got); err != nil {
				t.Fatalf("%v\n%s", err, out.String())
			}
			if want := map[string]string{"auto": "2026-07-28", "legacy": "2025-11-25", "v1": ""}[args[len(args)-1]]; got.Version != want {
				t.Errorf("negotiated %q, want %q", got.Version, want)
			}
			got.Version, got.Modern = "", args[0] == "v2" // which tells its user the code of 2026-07-28 for either
			got.compare(t, c)
		})
	}
}

func TestGoClient(t *testing.T) {
	c, _ := realData(t)
	url := listen(t, serverOver(t, Options{Paid: paid()}))
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			client := mcp.NewClient(&mcp.Implementation{Name: "almanac-test", Version: "1"}, nil)
			cs, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, DisableStandaloneSSE: true},
				&mcp.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			defer cs.Close()
			if got := cs.InitializeResult().ProtocolVersion; got != version {
				t.Errorf("negotiated %s", got)
			}
			got := use(t, cs)
			got.Modern = version == "2026-07-28"
			got.compare(t, c)
		})
	}
}

// use does with the Go client what testdata/client.mjs does with the others.
func use(t *testing.T, cs *mcp.ClientSession) *seen {
	t.Helper()
	ctx := t.Context()
	call := func(name string, arguments any) *mcp.CallToolResult {
		r, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: arguments})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return r
	}
	init := cs.InitializeResult()
	s := &seen{Server: init.ServerInfo.Name, Instructions: len(init.Instructions), Called: map[string]bool{}}
	for tool, err := range cs.Tools(ctx, nil) {
		must(t, err)
		s.Tools = append(s.Tools, tool.Name)
	}
	for r, err := range cs.Resources(ctx, nil) {
		must(t, err)
		s.Resources = append(s.Resources, r.URI)
	}
	for _, err := range cs.ResourceTemplates(ctx, nil) {
		must(t, err)
		s.Templates++
	}
	for p, err := range cs.Prompts(ctx, nil) {
		must(t, err)
		s.Prompts = append(s.Prompts, p.Name)
	}
	s.Entries = pages(t, call, "list_entries", map[string]any{"limit": 7})
	s.Payments = pages(t, call, "list_entries", map[string]any{"category": "payments", "limit": 50})
	s.Changes = pages(t, call, "list_changes", map[string]any{"limit": 50, "since": "2026-11-21",
		"change": []string{"fact", "added", "correction", "wording", "upkeep", "reading"}})
	for name, arguments := range map[string]any{"list_categories": nil,
		"fetch": map[string]any{"ids": []string{"mcp-go-sdk"}}, "get_protocol_facts": map[string]any{"protocols": []string{"l402"}}} {
		r := call(name, arguments)
		s.Called[name] = !r.IsError && json.Valid([]byte(textOf(r)))
	}
	for _, uri := range append(s.Resources, "library://entry/mcp-go-sdk", "library://protocol/l402", "dataset://card/library", "library://category/iot") {
		r, err := cs.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
		must(t, err)
		if r.Contents[0].Text != "" {
			s.Read++
		}
	}
	p, err := cs.GetPrompt(ctx, &mcp.GetPromptParams{Name: "compare_protocols", Arguments: map[string]string{"a": "l402", "b": "x402"}})
	must(t, err)
	s.Prompt = len(p.Messages)
	s.Refused = call("list_entries", map[string]any{"category": "lightning"}).IsError
	var missing *jsonrpc.Error
	if _, err := cs.ReadResource(ctx, &mcp.ReadResourceParams{URI: "library://entry/no-such"}); errors.As(err, &missing) {
		s.Missing = int(missing.Code)
	}
	if r := call("search_passages", map[string]any{"query": "macaroon"}); r.IsError {
		s.Paid = fmt.Sprint(r.StructuredContent.(map[string]any)["payment_required"].(map[string]any)["scheme"])
	}
	return s
}

func textOf(r *mcp.CallToolResult) string { return r.Content[0].(*mcp.TextContent).Text }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// changesIn counts the changes of the history up to the day of the tests: the edited members of records, or the records.
func changesIn(c *catalog.Catalog) (n int) {
	for _, day := range c.HistoryDays() {
		if day > catalog.DateOf(now) {
			continue
		}
		for _, e := range c.HistoryEvents(day) {
			edited, isNew := 0, e.Change == "added"
			for _, m := range e.Members {
				isNew = isNew || m.Name == "id" && string(m.Old) == "null"
				if e.Change == "edited" && !catalog.VerifiedMember(m.Name) && !strings.HasPrefix(m.Name, "evidence[") {
					edited++
				}
			}
			if isNew {
				edited = 1
			}
			n += max(1, edited)
		}
	}
	return n
}

// pages goes through a list by its cursors and counts what it sees.
func pages(t *testing.T, call func(string, any) *mcp.CallToolResult, name string, arguments map[string]any) (p paged) {
	t.Helper()
	distinct := make(map[string]bool)
	for range 400 {
		r := call(name, arguments)
		raw := []byte(textOf(r))
		var got struct {
			Total   int
			Entries []json.RawMessage
			Next    string `json:"next_cursor"`
		}
		if err := json.Unmarshal(raw, &got); err != nil || r.IsError {
			t.Fatalf("%s(%v): %v %s", name, arguments, err, raw)
		}
		for _, e := range got.Entries {
			p.Seen++
			distinct[string(e)] = true
		}
		p.Total, p.Distinct = got.Total, len(distinct)
		if got.Next == "" {
			return p
		}
		arguments["cursor"] = got.Next
	}
	t.Fatalf("%s: the pages do not end", name)
	return p
}

// TestInspector lints the tools as the Inspector does, in both eras, and calls one.
func TestInspector(t *testing.T) {
	dir := npmDir(t)
	url := listen(t, serverOver(t, Options{Paid: paid()}))
	cli := filepath.Join("node_modules", "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")
	for _, era := range []string{"legacy", "modern"} {
		for _, args := range [][]string{
			{"--method", "tools/list", "--strict"},
			{"--method", "tools/call", "--tool-name", "list_entries", "--tool-args-json", `{"category":"payments","limit":1}`},
			{"--method", "resources/read", "--uri", "library://entry/mcp-go-sdk"},
			{"--method", "prompts/get", "--prompt-name", "whats_new"},
		} {
			out, errs, code := node(t, dir, append([]string{cli, "--cli", url, "--transport", "http", "--protocol-era", era}, args...)...)
			if code != 0 {
				t.Errorf("%s %v: exit %d\n%s\n%s", era, args, code, out, errs)
			}
		}
	}
}
