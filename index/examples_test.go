package index

import (
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An answer is what a client reads over HTTP.
type answer struct {
	Code       string
	Total      int
	Suggestion string
	Entries    []struct {
		ID, Kind      string
		Missing       []string
		Category      string
		Type          string
		Tags          []string
		DatePublished *string `json:"date_published"`
		VerifiedAt    string  `json:"verified_at"`
		Passages      []Passage
	}
}

func (a *answer) ids() []string {
	var list []string
	for _, e := range a.Entries {
		list = append(list, e.ID)
	}
	return list
}

// get asks over HTTP. query is the query string, with spaces.
func get(t *testing.T, x *Index, query string) *answer {
	t.Helper()
	v, err := url.ParseQuery(strings.ReplaceAll(query, "+", "%2B"))
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	newHandler(x).ServeHTTP(w, httptest.NewRequest("GET", "/v1/search?"+v.Encode(), nil))
	a := new(answer)
	if err := json.Unmarshal(w.Body.Bytes(), a); err != nil {
		t.Fatal(err)
	}
	return a
}

// One idf for all spellings: a rare spelling does not outweigh the common one, and neither does a rare
// completion.
func TestSpellingsShareTheirRarity(t *testing.T) {
	x := realIndex(t)
	top := get(t, x, "q=402").ids()
	if i := slices.Index(top, "rfc-7252-coap"); i >= 0 && i < 3 {
		t.Errorf("402 returns CoAP, which has 4.02: %v", top)
	}
	if top[0] != "cashu-nut-24-http-402" && top[0] != "http-402-status-draft" && !strings.Contains(strings.Join(top[:3], " "), "l402") {
		t.Errorf("402 returns %v", top)
	}
	for _, e := range get(t, x, "q=bitc").Entries[:3] {
		if e.ID == "lnd" {
			t.Error("bitc returns lnd among the first three")
		}
	}
}

func TestExclusion(t *testing.T) {
	x := realIndex(t)
	for _, tt := range []struct{ query, without string }{
		{"q=lightning -l402", "l402"},
		{"q=stablecoin -regulation", "regulation"},
		{"q=bitcoin NOT lightning", "lightning"},
		{`q=wallet -"nostr wallet connect"`, "nostr wallet connect"},
		{`q=wallet NOT "nostr wallet connect"`, "nostr wallet connect"},
		{"q=payments -tag:lightning", "tag:lightning"},
		{"q=payments NOT tag:lightning", "tag:lightning"},
		{"q=payments -kind:library", "kind:library"},
		{"q=-tag:lightning", "tag:lightning"},
	} {
		a := get(t, x, tt.query+"&limit=50")
		if a.Total == 0 {
			t.Errorf("%s finds nothing", tt.query)
		}
		for _, e := range a.Entries {
			e.Category = "" // which is no reason to leave an entry out
			text := strings.ToLower(string(encode(e)))
			name, value, isFilter := strings.Cut(tt.without, ":")
			switch {
			case isFilter && name == "tag" && slices.Contains(e.Tags, value), isFilter && name == "kind" && e.Kind == value:
				t.Errorf("%s returns %s", tt.query, e.ID)
			case !isFilter && strings.Contains(text, tt.without):
				t.Errorf("%s returns %s, which has it", tt.query, e.ID)
			}
		}
	}
	// A hyphen inside a word or between spaces excludes nothing.
	for _, query := range []string{"q=proof-of-possession", "q=oauth - tokens", "q=not lightning"} {
		if a := get(t, x, query); a.Total == 0 {
			t.Errorf("%s finds nothing", query)
		}
	}
	if a := get(t, x, "q="+strings.Repeat("-a ", 9)); a.Code != "query_invalid" {
		t.Errorf("nine exclusions: %q", a.Code)
	}
}

// A hit carries the parts of the document that answer, with their sources.
func TestPassages(t *testing.T) {
	x := realIndex(t)
	a := get(t, x, "q=which facilitators support x402")
	if a.Entries[0].ID != "protocol:x402" || a.Entries[0].Passages[0].Title != "Facilitators" {
		t.Fatalf("which facilitators support x402 returns %v", encode(a.Entries[0]))
	}
	p := a.Entries[0].Passages[0]
	if p.Kind != PassageFact || !strings.Contains(p.Text, "CDP Facilitator") || p.Source == "" || p.VerifiedAt == "" ||
		!strings.HasSuffix(p.URL, "/protocols/x402/#facilitators") {
		t.Errorf("the passage is %s", encode(p))
	}
	for _, tt := range []struct{ query, id, kind, text string }{
		{"q=PAYMENT-SIGNATURE", "protocol:x402", PassageFact, "PAYMENT-SIGNATURE (request)"},
		{"q=0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "dataset:payment-networks", PassageRow, "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"},
		{"q=sub agent smaller budget", "article:handing-a-sub-agent-a-smaller-budget", PassageSection, ""},
		{"q=macaroons", "macaroons-ndss-2014", PassageSummary, "macaroons"},
		{"q=payment networks dataset", "dataset:payment-networks", "", ""},
	} {
		a := get(t, x, tt.query)
		i := slices.Index(a.ids(), tt.id)
		if i < 0 || i > 2 {
			t.Errorf("%s returns %v, want %s", tt.query, a.ids(), tt.id)
			continue
		}
		if !slices.ContainsFunc(a.Entries[i].Passages, func(p Passage) bool {
			return (tt.kind == "" || p.Kind == tt.kind) && strings.Contains(p.Text, tt.text)
		}) {
			t.Errorf("%s: %s has the passages %s", tt.query, tt.id, encode(a.Entries[i].Passages))
		}
	}
	for _, query := range []string{"q=payment", "q=invoice preimage", "kind=article", "kind=protocol&limit=50", "kind=dataset", "q=macarooon"} {
		for _, e := range get(t, x, query).Entries {
			if len(e.Passages) == 0 || len(e.Passages) > maxPassages {
				t.Errorf("%s: %s has %d passages", query, e.ID, len(e.Passages))
			}
			for _, p := range e.Passages {
				if p.Text == "" || p.Title == "" || p.VerifiedAt == "" || !strings.HasPrefix(p.URL, "http://") {
					t.Errorf("%s: passage %s", e.ID, encode(p))
				}
			}
		}
	}
}

// Hosts, paths and contracts are found.
func TestAddresses(t *testing.T) {
	x := realIndex(t)
	for query, contains := range map[string]string{
		"modelcontextprotocol.io":                    "mcp-specification-2026-07-28",
		"github.com/lightninglabs":                   "lnget-http-client",
		"rfc-editor.org":                             "rfc-9457-problem-details",
		"0x833589fc":                                 "protocol:x402",
		"0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913": "protocol:x402",
		"eip155:8453":                                "protocol:x402",
	} {
		a := get(t, x, "limit=50&q="+query)
		if !slices.Contains(a.ids(), contains) {
			t.Errorf("%s returns %v, without %s", query, a.ids(), contains)
		}
	}
	for _, e := range get(t, x, "q=modelcontextprotocol.io").Entries[:3] {
		if !strings.HasPrefix(e.ID, "mcp-") {
			t.Errorf("modelcontextprotocol.io returns %s", e.ID)
		}
	}
}

// Only what is in no document and is not English is corrected, and the answer says so.
func TestCorrections(t *testing.T) {
	x := realIndex(t)
	for query, want := range map[string]string{
		"prevent overspending by autonomous agent": "",
		"lightnig invoce":                          "lightning invoice",
		"computing pending charged blended":        "",
		"a stats censor":                           "",
		"l403":                                     "",
		"lightning macaron":                        "lightning macaroon",
	} {
		if a := get(t, x, "q="+query); a.Suggestion != want {
			t.Errorf("%s is searched as %q, want %q", query, a.Suggestion, want)
		}
	}
	for _, e := range get(t, x, "q=lightnig invoce").Entries[:3] {
		if len(e.Missing) > 0 {
			t.Errorf("lightnig invoce returns %s without %v", e.ID, e.Missing)
		}
	}
}

// Documents with all words come first, and the others name the words they miss. Words that only
// phrase a question do not count.
func TestMissingWords(t *testing.T) {
	x := realIndex(t)
	for _, query := range []string{"macaroon caveats", "agent wallet limits per day", "API bitcoin payment", "robot fleet security"} {
		most := 0
		for i, e := range get(t, x, "limit=50&q="+query).Entries {
			if most > 0 && len(e.Missing) == 0 {
				t.Errorf("%s: hit %d misses %v, the one before %d words", query, i, e.Missing, most)
			}
			most = max(most, len(e.Missing))
		}
		if most == 0 {
			t.Errorf("%s: no hit misses a word", query)
		}
	}
	for _, e := range get(t, x, "q=how do I pay for an API with bitcoin").Entries {
		for _, w := range e.Missing {
			if !slices.Contains([]string{"pay", "API", "bitcoin"}, w) {
				t.Errorf("%s misses %q", e.ID, w)
			}
		}
	}
	for _, e := range get(t, x, "q=BIP 38").Entries {
		if !slices.Contains(e.Missing, "38") {
			t.Errorf("BIP 38 returns %s, missing %v", e.ID, e.Missing)
		}
	}
}

func TestFilters(t *testing.T) {
	x := realIndex(t)
	union := get(t, x, "category=payments&category=iot&limit=50")
	if n := get(t, x, "category=payments").Total + get(t, x, "category=iot").Total; union.Total != n || n == 0 {
		t.Errorf("two categories have %d documents, one by one %d", union.Total, n)
	}
	if a := get(t, x, "q=tag:mcp tag:a2a&limit=50"); a.Total <= get(t, x, "tag=mcp").Total {
		t.Errorf("tag:mcp tag:a2a finds %d", a.Total)
	}
	newest := get(t, x, "q=payment&sort=newest&limit=50")
	last := "9999"
	for _, e := range newest.Entries {
		day := ""
		if e.DatePublished != nil {
			day = *e.DatePublished
		}
		if day > last || len(e.Missing) > 0 {
			t.Errorf("sort=newest returns %s of %s after %s, missing %v", e.ID, day, last, e.Missing)
		}
		last = day
	}
	last = "9999"
	for _, e := range get(t, x, "category=payments&sort=verified&limit=50").Entries {
		if e.VerifiedAt > last {
			t.Errorf("sort=verified returns %s of %s after %s", e.ID, e.VerifiedAt, last)
		}
		last = e.VerifiedAt
	}
	if all, none := get(t, x, "category=payments&verified_since=2000-01-01"), get(t, x, "category=payments&verified_since=2999-01-01"); all.Total == 0 || none.Total != 0 {
		t.Errorf("verified_since finds %d and %d", all.Total, none.Total)
	}
	for _, day := range []string{"from=1900-01-01", "to=2999-01-01"} {
		if all, dated := get(t, x, "kind=library"), get(t, x, "kind=library&"+day); dated.Total == 0 || dated.Total >= all.Total {
			t.Errorf("%s finds %d of %d entries, of which some have no date", day, dated.Total, all.Total)
		}
	}
	for query, code := range map[string]string{`q=""`: "query_missing", "": "query_missing", "sort=best&q=a": "parameter_invalid", "verified_since=x&q=a": "parameter_invalid",
		"q=a&" + strings.Repeat("tag=mcp&", MaxValues+1): "parameter_invalid"} {
		if a := get(t, x, query); a.Code != code {
			t.Errorf("%.40q is answered with %q, want %s", query, a.Code, code)
		}
	}
}

// Everyday words and short forms find the records that answer them, by the curated questions and the
// synonyms.
func TestEverydayWords(t *testing.T) {
	x := realIndex(t)
	for query, want := range map[string][]string{
		"KYC":           {"fatf-virtual-assets-guidance", "owasp-aml-agent-payments-cheat-sheet", "eu-transfer-of-funds", "fincen-2019-cvc-guidance"},
		"SBOM":          {"cyclonedx-specification", "eu-cyber-resilience-act", "in-toto-attestation", "slsa-1-2"},
		"micropayments": {"web-monetization", "interledger-protocol-v4", "lnget-http-client", "interledger-stream", "mpp-overview", "protocol:l402"},
		"subscription":  {"protocol:mpp", "mpp-subscription-intent", "stripe-machine-payments-mpp", "mpp-overview", "open-payments", "eu-sca-rts", "protocol:bolt12"},
		"DSGVO":         {"eu-gdpr"},
		"overspending": {"article:handing-a-sub-agent-a-smaller-budget", "base-spend-permissions", "coinbase-agentic-wallet", "nip-47-nostr-wallet-connect", "lnget-http-client", "l402sdk", "agentic-commerce-protocol", "protocol:acp",
			"mpp-managing-agent-spend", "article:what-an-agent-should-check-before-it-pays"},
		"catalogue": {"rfc-9727-api-catalog", "x402-bazaar", "dataset:library"},
	} {
		top := get(t, x, "q="+query).ids()
		if want != nil && !slices.ContainsFunc(top[:min(3, len(top))], func(id string) bool { return slices.Contains(want, id) }) {
			t.Errorf("%s returns %v", query, top)
		}
	}
	if a := get(t, x, "q=dsgvo").Entries[0]; a.ID != "eu-gdpr" {
		t.Errorf("dsgvo returns %s", a.ID)
	}
}

// TestComparisons: who compares two things reads first the passage that compares them.
func TestComparisons(t *testing.T) {
	wantFirst(t, map[string]string{
		"difference between L402 and x402": "x402 and L402 both answer 402.",
		"L402 versus MPP":                  "L402 is Lightning alone",
		"BOLT 11 vs BOLT 12":               "A BOLT 11 invoice (lnbc…) is paid once and expires",
		"how do MCP and A2A differ":        "MCP (Model Context Protocol) connects an agent to tools and data",

		"can a payment be refunded with L402, x402, MPP": "L402, refund: not stated",
		"do x402 and MPP need an account":                "x402, account needed: no account",
	})
}

// TestFactsAreSentences: a passage of a fact says of which protocol and which fact, and lists values with their details.
func TestFactsAreSentences(t *testing.T) {
	x := realIndex(t)
	for query, want := range map[string]string{
		"client libraries of L402":   "L402, client libraries: lsat-js (JavaScript) (https://github.com/Tierion/lsat-js); ",
		"HTTP status codes of L402":  "L402, HTTP status codes: 200, 401, 402",
		"which networks has x402":    "x402, networks: ",
		"specification of x402 url":  "x402, specification: https://",
		"facilitators of x402":       "x402, facilitators: ",
		"HTTP headers of x402 names": "x402, HTTP headers: ",
	} {
		said := false
		for _, e := range get(t, x, "q="+query).Entries {
			said = said || slices.ContainsFunc(e.Passages, func(p Passage) bool { return strings.HasPrefix(p.Text, want) })
		}
		if !said {
			t.Errorf("%s: no passage begins %q", query, want)
		}
	}
}

// wantFirst fails unless the first passage that answers each query begins as stated.
func wantFirst(t *testing.T, begins map[string]string) {
	t.Helper()
	x := realIndex(t)
	for query, want := range begins {
		hits := get(t, x, "q="+query).Entries
		if len(hits) == 0 || !slices.ContainsFunc(strings.Split(want, " | "), func(s string) bool { return strings.HasPrefix(hits[0].Passages[0].Text, s) }) {
			t.Errorf("%s: the first passage does not begin %q: %+v", query, want, hits)
		}
	}
}

// TestDefinitions: a question for the meaning of a word is answered first by the passage that defines it.
func TestDefinitions(t *testing.T) {
	wantFirst(t, map[string]string{
		"what is a preimage":                 "The payment preimage is the proof ",
		"what is a facilitator in x402":      "A facilitator in x402 is ",
		"what are macaroons?":                "A macaroon is a bearer credential",
		"define nutzap":                      "A nutzap ",
		"meaning of CAIP-2 id":               "A CAIP-2 id is a namespace ",
		"what is the meaning of facilitator": "A facilitator in x402 is ",
		"what does facilitator mean in x402": "A facilitator in x402 is ",
		"what does preimage mean?":           "The payment preimage is the proof ",
		"what does ACP stand for":            "Agentic Commerce Protocol (ACP) is ",
		"what does MPP stand for?":           "Machine Payments Protocol (MPP) is ",
		"what is an agent card?":             "An agent card in A2A is ",
		"What is a shared payment token":     "A Shared Payment Token (SPT) of Stripe is ",
		"shared payment token meaning":       "A Shared Payment Token (SPT) of Stripe is ",
		"what is a stablecoin":               "CMS says: UAE law defines a payment token, commonly called a stablecoin, as ",
		"what is mcp":                        "MCP (the Model Context Protocol) is ",
		"What is a cart mandate?":            "A Cart Mandate of AP2 0.1 is ",
		"what is AgentDojo":                  "This framework measures how tool-using agents ",
		"what is Lightning Network Daemon":   "This Lightning node is written in Go",
		"what is the MCP Python SDK":         "This official Python package b",
		"what is WebMCP?":                    "This community group draft def",
		"whats SPIFFE":                       "SPIFFE is ",
		"hodl invoice meaning":               "A hold invoice in lnd takes three steps", // by another name of it
		"lightning adress definition":        "A Lightning address looks like ",
		"what is a preimage lightning":       "The payment preimage is the proof ", // a name follows it
		"what is know your agent KYA":        "knowyouragent.network says: KYA means Know Your Agent",
		"which mandates does AP2 define":     "AP2 0.2 has two mandates", // which asks for no summary
	})
	for query, want := range map[string]string{
		"what is a zap request of Nostr": "zap request", "idempotency key definition": "idempotency key", "What's the price": "the price", "what is the limit of x402": "the limit",
		"who wrote x402": "", "what is it that we have to pay for here": "", "explain": "",
	} {
		if got, _, _ := asksToDefine(query); got != want {
			t.Errorf("%q asks for %q, want %q", query, got, want)
		}
	}
}

// TestSupportQuestions: whether a protocol takes a kind of money, or works over a transport, is answered first by the
// fact that says so.
func TestSupportQuestions(t *testing.T) {
	wantFirst(t, map[string]string{
		"does MPP support lightning":          "Machine Payments Protocol (MPP), payment rail: | Machine Payments Protocol (MPP), networks: ",
		"does MPP accept cards":               "Machine Payments Protocol (MPP), payment rail: | Machine Payments Protocol (MPP), networks: ",
		"does AP2 support stablecoins?":       "Agent Payments Protocol (AP2), payment rail: ",
		"can ACP use lightning":               "Agentic Commerce Protocol (ACP), payment rail: ",
		"does L402 support stablecoins":       "L402, networks: ",
		"does x402 support lightning":         "x402, networks: ",
		"does UCP work with MCP":              "Universal Commerce Protocol (UCP), transports: ",
		"does MPP work over gRPC":             "Machine Payments Protocol (MPP), transports: ",
		"does AP2 support A2A":                "Agent Payments Protocol (AP2), transports: ",
		"which clients pay x402 exact":        "x402, clients that paid it in our tests: ",
		"which blockchains does x402 run on":  "x402, payment rail: blockchain",                 // and not those of its first version
		"refund L402":                         "L402, refund: not stated in the pages we read.", // and no other fact
		"which payment methods does MPP take": "Machine Payments Protocol (MPP), payment rail: ",
		"status code 402":                     "L402, HTTP status codes: ", // not what has a status
	})
}

// TestRowsOfOtherSubjects: a dataset whose many rows have the words of a question, but none of which is about its
// subject, comes after the passage that answers; a question about the subject of the rows finds them.
func TestRowsOfOtherSubjects(t *testing.T) {
	wantFirst(t, map[string]string{
		"what is EIP-712 used for in x402":             "With EIP-3009 on EVM chains x402 uses EIP-712",
		"how does x402 use EIP-712":                    "With EIP-3009 on EVM chains x402 uses EIP-712",
		"what does error 32001 mean in MCP":            "Error -32001 has no meaning of its own in MCP",
		"which port does the lightening network use":   "lnd listens for other Lightning nodes on port 9735 | A Lightning node listens on TCP port 9735",
		"MegaETH MegaUSD decimals":                     "x402 on MegaETH ",
		"robots.txt maximum size a crawler must parse": "The maximum file size of robots.txt ",
	})
}

// TestLongQuestions: a question that tells its case is answered by the passage that has as much of it as six words, and one
// that has an identifier by the passage with that identifier.
func TestLongQuestions(t *testing.T) {
	wantFirst(t, map[string]string{
		"in AP2 our agent buys at night when the price falls and the user is not present, which mandate was signed beforehand": "Agent Payments Protocol (AP2), person involved: ",
		"my customer saw incorrect_or_unknown_payment_details again yesterday evening, whose mistake could that be":            "incorrect_or_unknown_payment_details, PERM|15",
	})
}

// TestArticlesAreProse: a passage of an article is prose, a row of a table says its headings, and programs and
// commands are left out.
func TestArticlesAreProse(t *testing.T) {
	const article = "One sentence\nover two lines, with `code` and [a link](https://x.example/).\n\n- an item\n- another\n  on two lines\n\n" +
		"| protocol | proof | what it proves |\n|---|---|---|\n| L402 | the preimage | the payment. |\n| x402 | a hash | |\n\n" +
		"| | L402 | MPP |\n|---|---|---|\n| scheme | L402 or LSAT | Payment |\n\n| bytes | what |\n|---|---|\n| 02 | version 2 |\n\n```python\nprint(1)\n```\n\n```sh\nkey=$(uuidgen)\n```\n\n```http\nGET / HTTP/1.1\n```\nThe end.\n"
	want := []string{"One sentence over two lines, with code and a link.", "an item\nanother on two lines",
		"L402. Proof: the preimage. What it proves: the payment.", "x402. Proof: a hash.", "scheme. L402: L402 or LSAT. MPP: Payment.", "02: version 2", "GET / HTTP/1.1\n\nThe end."}
	var got []string
	for _, part := range strings.Split(plainText(article), "\n\n") {
		if part = strings.TrimSpace(part); part != "" {
			got = append(got, part)
		}
	}
	if diff := cmp.Diff(strings.Join(want, "\n\n"), strings.Join(got, "\n\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
