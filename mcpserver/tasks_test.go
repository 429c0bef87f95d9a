package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A task is a question of a model's, with the calls that answer it. before are the calls that a model made with the
// tools of the version without search and fetch, from their descriptions and from what they answered; a call that has
// "pages" follows next_cursor to the end.
type task struct {
	question      string
	answer        string // what an answer says
	before, after []toolUse
}

type toolUse struct {
	tool, arguments string
	pages           bool
}

func use1(tool, arguments string) toolUse   { return toolUse{tool, arguments, false} }
func useAll(tool, arguments string) toolUse { return toolUse{tool, arguments, true} }

// tasks are typical questions.
var tasks = []task{
	{"Which sources are there on BOLT 12?", "12-offer-encoding",
		[]toolUse{use1("list_entries", `{"tag":"bolt12"}`), use1("list_tags", `{}`), use1("list_entries", `{"tag":"lightning","limit":50}`)},
		[]toolUse{use1("search", `{"query":"which sources on BOLT 12?"}`)}},
	{"Is there anything on refunds?", "refund",
		[]toolUse{use1("list_entries", `{"query":"refund"}`), use1("list_categories", `{}`), use1("list_entries", `{"category":"payments","limit":50,"detail":"full"}`), use1("list_entries", `{"category":"bitcoin-lightning","limit":50,"detail":"full"}`)},
		[]toolUse{use1("search", `{"query":"anything on refunds?"}`), use1("fetch", `{"id":"bolt-12-offers"}`)}},
	{"On which networks can x402 pay?", "eip155:8453",
		[]toolUse{use1("get_protocol_facts", `{"protocols":["x402"],"fields":["networks"]}`)},
		[]toolUse{use1("get_protocol_facts", `{"protocols":["x402"],"fields":["networks"]}`)}},
	{"What should an agent check before it pays?", "amount",
		[]toolUse{use1("list_categories", `{}`), use1("list_changes", `{"kind":["article"]}`), use1("get_entry", `{"ids":["article:what-an-agent-should-check-before-it-pays"]}`)},
		[]toolUse{use1("search", `{"query":"what should an agent check before it pays"}`), use1("fetch", `{"id":"article:what-an-agent-should-check-before-it-pays"}`)}},
	{"How does an L402 purchase run?", "macaroon",
		[]toolUse{use1("get_protocol_facts", `{"protocols":["l402"]}`)},
		[]toolUse{use1("get_protocol_facts", `{"protocols":["l402"],"fields":["pay_flow"]}`)}},
	{"How do the headers and the flow of L402 and x402 differ?", "PAYMENT-SIGNATURE",
		[]toolUse{use1("get_protocol_facts", `{"protocols":["l402","x402"],"fields":["http_headers","pay_flow"]}`)},
		[]toolUse{use1("get_protocol_facts", `{"protocols":["l402","x402"],"fields":["http_headers","pay_flow"]}`)}},
	{"Where is the Go SDK for MCP?", "github.com/modelcontextprotocol/go-sdk",
		[]toolUse{use1("list_tags", `{}`), use1("list_entries", `{"tag":"mcp","limit":50}`)},
		[]toolUse{use1("search", `{"query":"Go SDK for MCP"}`)}},
	{"Where is the EU AI Act, and when was it read?", "verified_at",
		[]toolUse{use1("list_entries", `{"category":"regulation","limit":50}`)},
		[]toolUse{use1("search", `{"query":"EU AI act"}`), use1("get_entry", `{"ids":["eu-ai-act"]}`)}},
	{"Which error codes does this service have?", "rate_limited",
		[]toolUse{use1("list_changes", `{"kind":["support"]}`), use1("get_entry", `{"ids":["support:trust-checklist"]}`)},
		[]toolUse{use1("fetch", `{"id":"trust","section":"error-codes"}`)}},
	{"Give me the rows of the data set of payment networks.", `eip155:8453`,
		[]toolUse{use1("list_changes", `{"kind":["dataset"]}`), use1("get_entry", `{"ids":["dataset:payment-networks"]}`)},
		[]toolUse{use1("search", `{"query":"dataset of payment networks"}`), use1("fetch", `{"id":"dataset:payment-networks#rows"}`)}},
	{"How many records of each kind are new since 2026-11-01?", "library",
		[]toolUse{useAll("list_changes", `{"from":"2026-11-01","to":"2026-11-22","limit":50}`)},
		[]toolUse{use1("list_changes", `{"since":"2026-11-01","change":"added","limit":1}`)}},
	{"Which are the five newest specifications?", "date_published",
		[]toolUse{useAll("list_entries", `{"type":"spec","limit":50,"fields":["id","title","url","date_published"]}`)},
		[]toolUse{use1("list_entries", `{"type":"spec","sort":"newest","limit":5}`)}},
	{"Which standards are about Lightning?", "lightning",
		[]toolUse{use1("list_tags", `{}`), use1("list_entries", `{"tag":"lightning","limit":50}`)},
		[]toolUse{use1("list_entries", `{"tag":["lightning","standards"]}`)}},
	{"What of the IETF is in the library?", "IETF",
		[]toolUse{useAll("list_entries", `{"limit":50,"fields":["id","title","url","publisher"]}`)},
		[]toolUse{use1("list_entries", `{"publisher":"IETF","limit":50,"fields":["id","title","url","publisher"]}`)}},
	{"Who says what the USDC contracts are?", "circle",
		[]toolUse{use1("list_tags", `{}`), use1("list_entries", `{"tag":"stablecoins","limit":50}`)},
		[]toolUse{use1("search", `{"query":"USDC contract addresses"}`)}},
	{"What is Nostr Wallet Connect?", "NIP-47",
		[]toolUse{use1("get_protocol_facts", `{"protocols":["nwc"]}`)},
		[]toolUse{use1("get_protocol_facts", `{"protocols":["nwc"]}`)}},
	{"Where does Stripe describe machine payments?", "stripe.com",
		[]toolUse{use1("list_tags", `{}`), use1("list_entries", `{"tag":"mpp"}`)},
		[]toolUse{use1("search", `{"query":"stripe machine payments"}`)}},
	{"How is a BOLT 12 offer read?", "lno",
		[]toolUse{use1("list_changes", `{"kind":["article"]}`), use1("get_entry", `{"ids":["article:reading-a-bolt12-offer"]}`)},
		[]toolUse{use1("search", `{"query":"reading a bolt12 offer"}`), use1("fetch", `{"id":"article:reading-a-bolt12-offer"}`)}},
	{"How can I tip you?", "voluntary",
		[]toolUse{use1("get_support_methods", `{}`)},
		[]toolUse{use1("get_support_methods", `{}`)}},
	{"Which lightnig wallets are there? (misspelt)", "allet",
		[]toolUse{use1("list_entries", `{"tag":"lightnig"}`), use1("list_entries", `{"tag":"lightning","limit":50}`)},
		[]toolUse{use1("search", `{"query":"lightnig wallets"}`)}},
}

// A taskCost is what a task took.
type taskCost struct {
	calls, tokens int
	answered      bool
}

// cost runs the calls of a task. A token is counted as four bytes of the text that a model reads.
func (k *task) cost(uses []toolUse, call func(tool, arguments string) toolResult) (c taskCost) {
	for _, u := range uses {
		for arguments := u.arguments; ; {
			r := call(u.tool, arguments)
			c.calls++
			c.tokens += (len(r.Content[0].Text) + 3) / 4
			c.answered = c.answered || !r.IsError && strings.Contains(r.Content[0].Text, k.answer)
			var page struct {
				Next string `json:"next_cursor"`
			}
			if _ = json.Unmarshal(r.Structured, &page); !u.pages || page.Next == "" {
				break
			}
			arguments = strings.TrimSuffix(u.arguments, "}") + `,"cursor":` + quoted(page.Next) + "}"
		}
	}
	return c
}

// TestTaskCosts: every typical task is answered within the calls that docs/mcp.md publishes, which are two at most, and within a quarter more
// tokens, since the data grow.
func TestTaskCosts(t *testing.T) {
	s := serverOver(t, Options{})
	call := func(tool, arguments string) toolResult { return callTool(t, s, false, tool, arguments) }
	doc, err := os.ReadFile("../docs/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	var all, published taskCost
	for i := range tasks {
		k := &tasks[i]
		row := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(k.question) + ` \|.*\| (\d+) \| ([\d,]+) \|$`).FindSubmatch(doc)
		c := k.cost(k.after, call)
		if row == nil {
			t.Errorf("docs/mcp.md has no row of %q, which takes %d calls and %d tokens", k.question, c.calls, c.tokens)
			continue
		}
		calls, _ := strconv.Atoi(string(row[1]))
		tokens, _ := strconv.Atoi(strings.ReplaceAll(string(row[2]), ",", ""))
		if !c.answered || c.calls != calls || c.calls > 2 || c.tokens > tokens+tokens/4 {
			t.Errorf("%s answered %v with %d calls and %d tokens; published are %d and %d", k.question, c.answered, c.calls, c.tokens, calls, tokens)
		}
		all.calls, all.tokens = all.calls+c.calls, all.tokens+c.tokens
		published.calls, published.tokens = published.calls+calls, published.tokens+tokens
	}
	t.Logf("%d tasks: %d calls, %d tokens; published %d calls, %d tokens", len(tasks), all.calls, all.tokens, published.calls, published.tokens)
}

// TestTaskTable prints the table of docs/mcp.md, with the figures of an endpoint of the version before search and fetch.
func TestTaskTable(t *testing.T) {
	url := os.Getenv("ALMANAC_TASKS_BEFORE")
	if url == "" {
		t.Skip("ALMANAC_TASKS_BEFORE names no endpoint to compare with")
	}
	s := serverOver(t, Options{})
	now := func(tool, arguments string) toolResult { return callTool(t, s, false, tool, arguments) }
	then := func(tool, arguments string) (r toolResult) {
		rep, err := http.DefaultClient.Do(remoteCall(t, url, tool, arguments))
		if err != nil {
			t.Fatal(err)
		}
		defer rep.Body.Close()
		var answer struct{ Result *toolResult }
		if err := json.NewDecoder(rep.Body).Decode(&answer); err != nil || answer.Result == nil {
			t.Fatalf("%s(%s): %v", tool, arguments, err)
		}
		return *answer.Result
	}
	var b bytes.Buffer
	var before, after taskCost
	for i := range tasks {
		k := &tasks[i]
		was, is := k.cost(k.before, then), k.cost(k.after, now)
		answered := "yes"
		if !was.answered {
			answered = "no"
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %d | %s |\n", k.question, was.calls, thousands(was.tokens), answered, is.calls, thousands(is.tokens))
		before.calls, before.tokens = before.calls+was.calls, before.tokens+was.tokens
		after.calls, after.tokens = after.calls+is.calls, after.tokens+is.tokens
	}
	fmt.Fprintf(&b, "| **all %d** | %d | %s | | %d | %s |\n", len(tasks), before.calls, thousands(before.tokens), after.calls, thousands(after.tokens))
	t.Logf("\n%s", b.String())
}

func remoteCall(t *testing.T, url, tool, arguments string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body(false, "tools/call", toolCall(tool, arguments))))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	return r
}

func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}
