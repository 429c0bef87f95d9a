package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/index/find"
)

// searchFor searches and returns what was found.
func searchFor(t *testing.T, tools *Tools, query string) (results []searchResult) {
	t.Helper()
	a, err := tools.call(context.Background(), "search", fmt.Appendf(nil, `{"query":%s,"limit":8}`, encode(query)))
	if err != nil || a.Failed {
		t.Fatalf("%s: %v", query, err)
	}
	var out struct{ Results []searchResult }
	if err := json.Unmarshal(a.structured, &out); err != nil {
		t.Fatal(err)
	}
	return out.Results
}

// TestTasks: a question is answered by two calls, a search and a fetch of one of its first results,
// within a budget of tokens. A token is about four bytes; both forms of an answer count.
func TestTasks(t *testing.T) {
	tools := over(t)
	const budget = 6_500
	sum := 0
	for _, task := range []struct {
		question string
		record   string // that answers it, among the first three results
		section  string
		answer   string // words of it
	}{
		{"which sources on BOLT 12?", "protocol:bolt12", "", "bolts/blob/master/12-offer-encoding.md"},
		{"anything on refunds?", "protocol:x402", "refund", "void, refund or reclaim"},
		{"which networks does x402 support", "protocol:x402", "networks", "eip155:8453"},
		{"x402 facilitators", "x402-facilitators-directory", "", "production"},
		{"facilitators of the protocol x402", "protocol:x402", "facilitators", "CDP"},
		{"what should an agent check before it pays", "article:what-an-agent-should-check-before-it-pays", "", "invoice"},
		{"L402 headers", "protocol:l402", "http_headers", "WWW-Authenticate"},
		{"how does an L402 purchase run", "article:how-an-l402-purchase-runs", "", "macaroon"},
		{"Go SDK for MCP", "mcp-go-sdk", "", "github.com/modelcontextprotocol/go-sdk"},
		{"MCP specification 2026", "mcp-specification-2026-07-28", "", "2026-07-28"},
		{"EU AI act", "eu-ai-act", "", "eur-lex"},
		{"Nostr Wallet Connect", "protocol:nwc", "", "NIP-47"},
		{"stripe machine payments", "stripe-machine-payments-mpp", "", "tripe"},
		{"USDC contract addresses", "usdc-contract-addresses", "", "circle"},
		{"dataset of payment networks", "dataset:payment-networks", "", "chain"},
		{"github.com lightninglabs aperture", "aperture-l402-proxy", "", "aperture"},
		{"what do you promise and which error codes are there", "trust", "error-codes", "rate_limited"},
		{"how can I tip you", "support", "", "voluntary"},
		{"reading a bolt12 offer", "article:reading-a-bolt12-offer", "", "lno"},
		{"transfer with authorization eip 3009", "erc-3009-transfer-with-authorization", "", "3009"},
		{"lightnig", "tag:lightning", "", "lightning"},
	} {
		results := searchFor(t, tools, task.question)
		rank := slices.IndexFunc(results, func(r searchResult) bool { return r.ID == task.record })
		if rank < 0 || rank > 2 {
			t.Errorf("%s: %s has rank %d of %v", task.question, task.record, rank+1, results)
			continue
		}
		id := task.record
		if task.section != "" {
			id += "#" + task.section
		}
		a, err := tools.call(context.Background(), "fetch", fmt.Appendf(nil, `{"id":%q,"max_tokens":2000}`, id))
		if err != nil || a.Failed {
			t.Fatalf("%s: %v", id, err)
		}
		text := string(a.structured)
		if !strings.Contains(text, task.answer) {
			t.Errorf("%s: %s does not answer with %q: %.300s", task.question, id, task.answer, text)
		}
		b, _ := tools.call(context.Background(), "search", fmt.Appendf(nil, `{"query":%q}`, task.question))
		tokens := (len(b.encoded()) + len(a.encoded())) / tokenBytes
		if tokens > budget {
			t.Errorf("%s: %d tokens", task.question, tokens)
		}
		sum += tokens
		t.Logf("%-55s rank %d, %5d tokens", task.question, rank+1, tokens)
	}
	t.Logf("20 tasks: 40 calls, %d tokens", sum)
}

// TestSearchQuotes: a record that is found can be fetched, and is quoted with a bounded text; at most eight are found.
func TestSearchQuotes(t *testing.T) {
	tools := over(t)
	for _, query := range []string{"lightning", "payments", "agent", "mcp", "standards", "ai", strings.Repeat("lightning agents ", 10)} {
		results := searchFor(t, tools, query)
		if len(results) == 0 || len(results) > find.MaxFound {
			t.Errorf("%s: %d results", query, len(results))
		}
		for i, r := range results {
			if _, err := tools.locate(r.ID); err != nil || r.Title == "" || r.URL == "" || r.Text == "" {
				t.Errorf("%s: %+v: %v", query, r, err)
			}
			if i > 0 && (len(r.Text) > maxHitLine+len(" …") || r.More != nil) {
				t.Errorf("%s: %s is quoted with %d bytes", query, r.ID, len(r.Text))
			}
		}
	}
	for _, query := range []string{"zqxjkvbwpt", "?!", "the of and", "😀"} {
		if results := searchFor(t, tools, query); len(results) > 0 {
			t.Errorf("%q found %v", query, results)
		}
	}
}

// TestEveryRecordIsFound: every record is among the results for its title.
func TestEveryRecordIsFound(t *testing.T) {
	tools := over(t)
	missed := 0
	for _, e := range tools.catalog.Entries() {
		if len(e.Title) > maxQuery {
			continue
		}
		if !slices.ContainsFunc(searchFor(t, tools, e.Title), func(r searchResult) bool { return r.ID == e.ID }) {
			missed++
			t.Logf("%s is not found by its title %s", e.ID, e.Title)
		}
	}
	if missed > len(tools.catalog.Entries())/100 {
		t.Errorf("%d of %d entries are not found by their titles", missed, len(tools.catalog.Entries()))
	}
}

// TestSearchAnswers: the text of the first result answers a question about one field, with the field's own source and day.
func TestSearchAnswers(t *testing.T) {
	tools := over(t)
	for query, want := range map[string]struct{ id, field string }{
		"how are refunds made with BOLT 12?":          {"protocol:bolt12", "refund"},
		"steward of Visa TAP":                         {"protocol:visa-tap", "steward"},
		"licence of Cashu NUT-24":                     {"protocol:cashu-nut-24", "licence"},
		"latest release of L402":                      {"protocol:l402", "latest_release"},
		"MPP idempotency":                             {"protocol:mpp", "idempotency"},
		"AP2 status":                                  {"protocol:ap2", "status"},
		"how does a server verify an L402 credential": {"protocol:l402", "pay_flow"},
		"cloudflare pay per crawl proof":              {"protocol:cloudflare-pay-per-crawl", "proof_where"},
	} {
		r := searchFor(t, tools, query)[0]
		_, name, _ := strings.Cut(want.id, ":")
		v, _ := tools.protocols.find(name).value(want.field)
		if r.ID != want.id || r.Section != want.field || r.Source != v.Source || r.VerifiedAt != v.VerifiedAt {
			t.Errorf("%s: %+v, want %s", query, r, want.field)
		}
	}
}

// TestNothingFoundNamesChanges: a search whose words no record has together finds those with the rest, says which words they lack, and
// names the tool for news, which is free. A question
// that no passage answers as a whole gets the call that compares the versions it asks about.
func TestNothingFoundNamesChanges(t *testing.T) {
	a := over(t).CallFree(t.Context(), "search", []byte(`{"query":"hearsay about x402"}`))
	for _, want := range []string{`"id":"protocol:x402"`, `"missing":["`, "list_changes for what is new."} {
		if !strings.Contains(a.text, want) {
			t.Errorf("no %s in %s", want, a.text)
		}
	}
	if a := over(t).CallFree(t.Context(), "search", []byte(`{"query":"zqxjkvbwpt"}`)); !strings.Contains(a.text, `"results":[]`) || !strings.Contains(a.text, "list_changes for what is new.") {
		t.Errorf("%s", a.text)
	}
	whole := `{"query":"We built our merchant endpoint against the Agentic Commerce Protocol version 2025-12-12. Which later dated versions are there and what main additions does each bring?"}`
	if a := over(t).CallFree(t.Context(), "search", []byte(whole)); !strings.Contains(a.text, `get_protocol_facts says what changed since: {\"protocols\":[\"acp\"],\"from\":\"2025-12-12\"}`) {
		t.Errorf("%s", a.text)
	}
}

// TestSearchIsCutOff: three records are listed, a kind and a limit are kept, and the site's own
// pages and all protocols are records.
func TestSearchIsCutOff(t *testing.T) {
	tools := over(t)
	ask := func(arguments string) (out struct{ Results []searchResult }) {
		a := tools.CallFree(t.Context(), "search", []byte(arguments))
		if a == nil || a.Failed || json.Unmarshal(a.structured, &out) != nil {
			t.Fatalf("%s: %v", arguments, a)
		}
		return out
	}
	if got := ask(`{"query":"Go SDK for MCP"}`).Results; len(got) != freeHits || got[0].ID != "mcp-go-sdk" {
		t.Errorf("%d results: %v", len(got), got)
	}
	if got := ask(`{"query":"lightning","limit":"2"}`).Results; len(got) != 2 {
		t.Errorf("%d results, want 2", len(got))
	}
	if got := ask(`{"query":-32042,"limit":["2.0"]}`).Results; len(got) != 2 {
		t.Errorf("%d results for a number, want 2", len(got))
	}
	for _, r := range ask(`{"query":"lightning","kind":"Entry"}`).Results {
		if _, ok := tools.catalog.Entry(r.ID); !ok {
			t.Errorf("%s is no entry", r.ID)
		}
	}
	if got := ask(`{"query":"payments","tag":["l402"],"limit":20}`).Results; len(got) < 10 { // beyond the best of all records
		t.Errorf("%d of a tag are found", len(got))
	}
	if got := ask(`{"query":"compare protocols"}`).Results; got[0].ID != "compare" || !strings.HasSuffix(got[0].URL, catalog.ComparePath) {
		t.Errorf("the comparison is not the first: %+v", got[0])
	}
	for _, p := range tools.catalog.Choices().Protocols {
		if got := ask(`{"query":` + string(encode(p.ID)) + `,"limit":8}`).Results; !slices.ContainsFunc(got, func(r searchResult) bool { return r.ID == "protocol:"+p.ID }) {
			t.Errorf("%s is not found by its id", p.ID)
		}
	}
}

// TestSearchHandsOver: what a query names is among the first results, with what it asks for beside it.
func TestSearchHandsOver(t *testing.T) {
	tools := over(t)
	for _, tt := range []struct{ query, first, also, member string }{
		{"what does JSON-RPC error -32042 mean", "mpp-mcp-transport", "mcp-base-protocol-2026-07-28", ""}, // its two meanings
		{"does LND support BOLT 12", "", "lndk-bolt12-for-lnd", ""},
		{"can ACP be paid over Lightning", "acp-payment-handlers", "protocol:acp", ""},
		{"Visa Mastercard agent payments", "", "visa-intelligent-commerce-docs", ""},
		{"which clients support L402", "", "protocol:l402", ""},
		{"x402 facilitators", "protocol:x402", "circle-x402-facilitators", ""},
		{"x402 error insufficient_funds", "x402-specification-v2", "", ""},
		{"latest MCP protocol revision", "", "", `"versions":["mcp-specification-2`},
		{"bulk download of the library", "dataset:library", "", "/dataset/library.jsonl"},
		{"quote the token passthrough sentence of MCP", "mcp-security-best-practices", "", `"quote":"`},
		{"compare x402 and L402", "", "article:x402-l402-or-mpp", "get_protocol_facts"},
		{"what happened in x402 since 2026-02-01", "", "", `by days: {\"since\":\"2026-02-01\",\"record\":\"x402\"}`},
		{"x402 news in October 2026", "", "", `{\"since\":\"2026-10-01\",\"until\":\"2026-10-31\",\"record\":\"x402\"}`},
		{"legal deadlines from now until the end of 2099", "", "", `\"until\":\"2099-12-31\",\"change\":[\"calendar\"]`},
		{"status 402", "", "rfc-9110-status-codes", ""}, // and no status of a text
		{"x402 version 3", "protocol:x402", "", "Nothing here names version 3 of x402. Its versions: x402 v1, x402 2 (newest)."},
		{"x402 v4", "protocol:x402", "", "Its versions: "},
		{"AP2 0.9?", "protocol:ap2", "", "Its versions: "},
		{"is LSAT superseded by L402, what changed", "protocol:l402", "", `{\"protocols\":[\"l402\"],\"from\":\"LSAT\"}`},
		{"how is x402 paid over MCP", "x402-transport-mcp", "", "in _meta under x402/payment."}, // no passage answers, statements do
		{"NIP-47 error codes", "nwc-error-codes", "", "RATE_LIMITED"},                           // another statement about errors
		{"Go client libraries for L402 and x402", "", "protocol:x402", "Go SDK ("},
		{"download the whole library as a file", "", "dataset:library", "/dataset/library.csv"},
		{"does L402 support refunds?", "protocol:l402", "", `pages read, which is never a no; among them:","more":["https://`},
		{"which protocols have refunds", "", "protocol:mpp", `get_protocol_facts {\"fields\":[\"refund\"]} has this of all protocols.`},
		{"what changed in x402 since 2026-02-01", "", "", `{"changes":["2026-`},                           // with the answer first
		{"what changed in A2A since 2026-02-01", "", "", `{\"since\":\"2026-02-01\",\"record\":\"a2a\"}`}, // a tag
		{"what is new in regulation since November 2026", "", "", `applies) calendar eu-`},
		{"list the released versions of ACP with their dates", "protocol:acp", "", `"2025-09-29 release protocol:acp: `},
		{"how many specifications of agent identity are there", "", "", `list_entries counts and lists these: {\"tag\":[\"identity\"],\"type\":[\"spec\"],\"sort\":\"newest\"}`},
		{"list everything published in November 2026 about payments", "", "", `{\"category\":\"payments\",\"since\":\"2026-11-01\",\"until\":\"2026-11-30\",\"sort\":\"newest\"}`},
		{"what was known of x402 before November 2026", "", "", `{\"until\":\"2026-10-31\",\"record\":\"x402\"}`},
		{"verbatim quotes on the refunds of x402 and L402", "", "", `\"fields\":[\"refund\"],\"evidence\":true}`},
		{"list sources published by Stripe since June 2026", "", "", `{\"publisher\":\"Stripe\",\"since\":\"2026-06-01\",\"sort\":\"newest\"}`},
		{"temporary_channel_failure " + strings.Repeat("of a payment ", 30), "", "bolt-4-onion-routing", "only its beginning was searched for"},
	} {
		a := tools.CallFree(t.Context(), "search", []byte(`{"query":`+quoted(tt.query)+`}`))
		var out struct{ Results []searchResult }
		if a.Failed || json.Unmarshal([]byte(a.text), &out) != nil || len(out.Results) == 0 {
			t.Fatalf("%s: %s", tt.query, a.text)
		}
		ids := catalog.Convert(out.Results, func(r searchResult) string { return r.ID })
		if tt.first != "" && ids[0] != tt.first || tt.also != "" && !slices.Contains(ids, tt.also) || !strings.Contains(a.text, tt.member) {
			t.Errorf("%s: %v, want %s, %s and %s", tt.query, ids, tt.first, tt.also, tt.member)
		}
		if strings.Count(a.text, `"versions":`) > 1 {
			t.Errorf("%s: other editions are named twice", tt.query)
		}
	}
}

// TestPastedPayments: a tool that gets a text from a payment in place of words names the tool for it.
func TestPastedPayments(t *testing.T) {
	tools := over(t)
	const invoice = "lnbc1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdpl2pkx2ctnv5sxxmmwwd5kgetjypeh2ursdae8g6twvus8g6rfwvs8qun0dfjkxaq8rkx3yf5tcsyz3d73gafnh3cax9rn449d9p5uxz9ezhhypd0elx87sjle52x86fux2ypatgddc6k63n7erqz25le42c4u4ecky03ylcqca784w"
	for _, arguments := range []string{
		`{"query":"HTTP/1.1 402 Payment Required\r\ncrawler-price: USD 0.01\r\nserver: cloudflare\r\n\r\n"}`,
		`{"q":"what is ` + invoice + ` for?"}`,
	} {
		if a := tools.CallFree(t.Context(), "search", []byte(arguments)); !a.Failed || !strings.Contains(a.text, "Call explain_402") {
			t.Errorf("%s: %s", arguments, a.text)
		}
	}
	for _, question := range []string{"what does an HTTP 402 answer with the header WWW-Authenticate: L402 mean for a client?",
		"In MPP, what do the parameters of WWW-Authenticate: Payment id=, realm=, method= and intent= mean for a client?",
		"is the header PAYMENT-SIGNATURE: base64-encoded-payment-payload right for x402 version 2?"} {
		if a := tools.CallFree(t.Context(), "search", []byte(`{"query":`+quoted(question)+`}`)); a.Failed {
			t.Errorf("%s: %s", question, a.text)
		}
	}
}
