package index

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"go.almanac.example/index/find"

	"github.com/google/go-cmp/cmp"
)

func ask(t testing.TB, x *Index, q Query) *Results {
	t.Helper()
	r, err := x.Search(context.Background(), q)
	if err != nil {
		t.Fatalf("search %+v: %v", q, err)
	}
	return r
}

func ids(r *Results) []string {
	list := make([]string, len(r.Entries))
	for i := range r.Entries {
		list[i] = r.Entries[i].ID()
	}
	return list
}

func TestHitsAreTheCatalogs(t *testing.T) {
	c := realCatalog(t)
	x := realIndex(t)
	pages := make(map[string]int)
	for _, e := range c.Entries() {
		pages[normalName(e.URL)]++
	}
	for _, e := range c.Entries() {
		r := ask(t, x, Query{Text: e.ID})
		if r.Entries[0].Entry != e {
			t.Errorf("%s: the first hit is %s, not the catalog's entry", e.ID, r.Entries[0].ID())
		}
		if len(e.URL) > MaxText || pages[normalName(e.URL)] > 1 { // which is no query, or of two entries
			continue
		}
		r = ask(t, x, Query{Text: e.URL})
		if r.Entries[0].Entry != e || len(r.Entries[0].Missing) > 0 {
			t.Errorf("%s: the first hit is %s, without %v", e.URL, r.Entries[0].ID(), r.Entries[0].Missing)
		}
	}
	want := len(c.Entries()) + len(c.Profiles()) + len(c.Articles()) + len(c.Datasets()) // a profile for each protocol
	for _, id := range c.VersionedIDs() {
		want += len(c.Versions(id))
	}
	if x.count != want {
		t.Errorf("the index has %d documents, want %d", x.count, want)
	}
}

func TestFiltersInWords(t *testing.T) {
	c := realCatalog(t)
	x := realIndex(t)
	for _, k := range c.Categories() {
		r := ask(t, x, Query{Text: "category:" + k.ID})
		if r.Total != k.Count {
			t.Errorf("category %s: %d found, want %d", k.ID, r.Total, k.Count)
		}
	}
	both := ask(t, x, Query{Text: "payment", Category: []string{"payments"}, Type: []string{"spec"}, Kind: []string{KindLibrary}})
	for _, h := range both.Entries {
		if h.Entry == nil || h.Entry.Category != "payments" || h.Entry.Type != "spec" {
			t.Errorf("found %s against the filters", h.ID())
		}
	}
	dated := ask(t, x, Query{Text: "kind:library", From: "2020-01-01", To: "2020-12-31", Limit: MaxLimit})
	for _, h := range dated.Entries {
		if d := h.Entry.Published(); d < "2020-01-01" || d > "2020-12-31" {
			t.Errorf("found %s of %s", h.ID(), d)
		}
	}
	if dated.Total == 0 {
		t.Error("nothing was published in 2020")
	}
	if in := ask(t, x, Query{Text: "kind:library from:2020-01-01 to:2020-12-31", Limit: MaxLimit}); !cmp.Equal(ids(in), ids(dated)) {
		t.Error("dates in the text find something else")
	}
}

func TestFiltersAloneComeNewestFirst(t *testing.T) {
	c := realCatalog(t)
	r := ask(t, realIndex(t), Query{Text: "tag:lightning kind:library", Limit: MaxLimit})
	if r.Total != len(c.WithTag("lightning")) {
		t.Errorf("found %d, the tag has %d", r.Total, len(c.WithTag("lightning")))
	}
	if !slices.IsSortedFunc(r.Entries, func(a, b Hit) int {
		return -strings.Compare(string(a.Entry.Published()), string(b.Entry.Published()))
	}) {
		t.Errorf("not the newest first: %v", ids(r))
	}
}

func TestPagesAddUp(t *testing.T) {
	x := realIndex(t)
	for _, q := range []Query{{Text: "payment protocol agents"}, {Text: "tag:http"}, {Text: "lightning", Kind: []string{KindLibrary}, Limit: 7}} {
		var paged []string
		page := q
		for {
			r := ask(t, x, page)
			paged = append(paged, ids(r)...)
			if page.Cursor = r.NextCursor; page.Cursor == "" {
				if len(paged) != min(r.Total, MaxDepth) {
					t.Errorf("%v: the pages have %d hits, the total is %d", q, len(paged), r.Total)
				}
				break
			}
		}
		q.Limit = MaxLimit
		if first := ids(ask(t, x, q)); !cmp.Equal(paged[:len(first)], first) {
			t.Errorf("%v: pages of different sizes have different orders", q)
		}
		slices.Sort(paged)
		if n := len(slices.Compact(slices.Clone(paged))); n != len(paged) {
			t.Errorf("%v: a hit is on two pages", q)
		}
	}
}

// everySyntax is every kind of query.
var everySyntax = []Query{
	{Text: "macaroon"}, {Text: "BOLT 12"}, {Text: "bolt12 offer"}, {Text: `"wallet connect"`}, {Text: `"lightning network" -"wallet"`}, {Text: "key-send keysend"},
	{Text: "tag:lightning"}, {Text: "tag:lightning wallet -tag:http"}, {Text: "kind:protocol"}, {Text: "-macaroon payment"}, {Text: "payment NOT invoice"},
	{Text: "macar"}, {Text: "li"}, {Text: "lightn invoi"}, {Text: "robto"}, {Text: "lihgtnnig walet"}, {Text: "stabelcoin regulaton"}, {Text: "zzzzqqqq"},
	{Text: "what is the"}, {Text: "to be or not to be"}, {Text: "lnd"}, {Text: "https://docs.lightning.engineering"}, {Text: "edition one"},
	{Text: "agent payment lightning invoice wallet token header robot security identity discovery browser budget network stablecoin macaroon challenge protocol dataset"},
	{Text: "payment", Sort: SortNewest}, {Text: "payment", Sort: SortVerified, Limit: MaxLimit}, {Text: "protocol", From: "2015-01-01", To: "2026-06-30"},
	{Text: "network", VerifiedSince: "2026-10-01"}, {Tag: []string{"lightning", "http"}}, {Kind: []string{KindLibrary}, Sort: SortNewest, Limit: MaxLimit},
	{Text: "lightning AND (wallet OR invoice)"}, {Text: "who is behind x402"}, {Text: "Fielding"},
}

// answersOf returns the answers to every kind of query, with the second page of each.
func answersOf(t *testing.T, x *Index) (list []string) {
	t.Helper()
	for _, q := range everySyntax {
		r, err := x.Search(t.Context(), q)
		if err != nil {
			t.Fatalf("%+v: %v", q, err)
		}
		list = append(list, string(r.appendTo(nil)))
		if q.Cursor = r.NextCursor; q.Cursor != "" {
			list = append(list, string(ask(t, x, q).appendTo(nil)))
		}
	}
	return list
}

// TestReplicasAgree: two indexes of the same data answer every query alike and read each other's cursors, although Bleve
// numbers their documents differently.
func TestReplicasAgree(t *testing.T) {
	a, b := realIndex(t), freshIndex(t, Options{Timeout: time.Minute})
	if diff := cmp.Diff(answersOf(t, a), answersOf(t, b)); diff != "" {
		t.Error(diff)
	}
	first := ask(t, a, Query{Text: "payment", Limit: 20})
	next := ask(t, b, Query{Text: "payment", Limit: 20, Cursor: first.NextCursor})
	if slices.Contains(ids(first), next.Entries[0].ID()) {
		t.Error("the second page repeats the first")
	}
}

func TestSpellings(t *testing.T) {
	x := realIndex(t)
	for _, same := range [][]string{
		{"bolt12", "BOLT 12", "bolt-12", "Bolt #12", "BOLT_12", "bolt 012", "ＢＯＬＴ１２"},
		{"eip 3009", "EIP-3009", "erc3009", "ERC 3009"},
		{"nip-47", "NIP47", "nwc", "nostr wallet connect", "Nostr Wallet Connect (NWC)"},
		{"L402", "l-402", "L 402", "l402"},
		{"ROS 2", "ROS2", "ros-2"},
	} {
		first := ids(ask(t, x, Query{Text: same[0], Kind: []string{KindLibrary}}))[0]
		for _, s := range same[1:] {
			if got := ids(ask(t, x, Query{Text: s, Kind: []string{KindLibrary}})); !slices.Contains(got[:min(3, len(got))], first) {
				t.Errorf("%q gives %v, without %s, which %q gives first", s, got, first, same[0])
			}
		}
	}
	for _, tt := range []struct{ joined, apart string }{
		{"RobotFleet", "Robot Fleet"}, {"HoldInvoices", "Hold Invoices"},
	} {
		if a, b := ask(t, x, Query{Text: tt.joined}), ask(t, x, Query{Text: tt.apart}); !cmp.Equal(ids(a), ids(b)) || a.Total == 0 {
			t.Errorf("%s gives %v, %s gives %v", tt.joined, ids(a), tt.apart, ids(b))
		}
	}
	if r := ask(t, x, Query{Text: "MCP"}); r.Suggestion != "" || !strings.Contains(string(r.Entries[0].appendTo(nil)), "MCP") {
		t.Errorf("MCP gives %s, suggestion %q", r.Entries[0].ID(), r.Suggestion)
	}
}

func TestPhrases(t *testing.T) {
	x := realIndex(t)
	for _, tt := range []struct {
		text    string
		want    []string
		without string
	}{
		{`"wallet connect"`, []string{"nip-47-nostr-wallet-connect"}, "bip-32-hd-wallets"},
		{`"proof of possession"`, []string{"rfc-9449-dpop"}, ""},
		{`“problem details”`, []string{"rfc-9457-problem-details"}, ""},
		{`"Roy T. Fielding"`, []string{"rfc-9110-http-semantics"}, ""}, // a name of a person, which has no stem
		{`"BOLT 12"`, []string{"bolt-12-offers"}, "bolt-11-invoices"},
		{`"connect wallet"`, nil, "nip-47-nostr-wallet-connect"},
	} {
		got := ids(ask(t, x, Query{Text: tt.text, Limit: MaxLimit}))
		for _, id := range tt.want {
			if !slices.Contains(got, id) {
				t.Errorf("%s gives %v, without %s", tt.text, got, id)
			}
		}
		if slices.Contains(got, tt.without) {
			t.Errorf("%s gives %s, which does not have it", tt.text, tt.without)
		}
	}
}

func TestGuesses(t *testing.T) {
	x := realIndex(t)
	r := ask(t, x, Query{Text: "lightning macaron"})
	if r.Suggestion != "lightning macaroon" {
		t.Errorf("suggestion %q", r.Suggestion)
	}
	r = ask(t, x, Query{Text: "macaroo"})
	if r.Suggestion != "" || r.Total == 0 {
		t.Errorf("the beginning of a word gives suggestion %q, hits %v", r.Suggestion, ids(r))
	}
	for _, text := range []string{"l403", "bolt13", "qqqq"} {
		if r := ask(t, x, Query{Text: text}); r.Total != 0 || r.Suggestion != "" || r.Entries == nil {
			t.Errorf("%s gives %v, suggestion %q", text, ids(r), r.Suggestion)
		}
	}
}

func TestStopWordsAlone(t *testing.T) {
	x := realIndex(t)
	if r := ask(t, x, Query{Text: "what is the"}); r.Total != 0 {
		t.Errorf("stop words alone find %v", ids(r))
	}
	if a, b := ask(t, x, Query{Text: "the caveats"}), ask(t, x, Query{Text: "caveats"}); !cmp.Equal(ids(a), ids(b)) {
		t.Errorf("a stop word changes the hits: %v, %v", ids(a), ids(b))
	}
}

// TestManyWords: every word of a long query is looked for.
func TestManyWords(t *testing.T) {
	x := realIndex(t)
	text := strings.Repeat("payment protocol agent server client http lightning specification network open ", 2) +
		"data tools service interface standard message request format macaroons"
	var p parsed
	if err := x.parse(&p, Query{Text: text}); err != nil {
		t.Fatal(err)
	}
	pl, err := x.plan(t.Context(), &p)
	if err != nil {
		t.Fatal(err)
	}
	for word := range strings.FieldsSeq(text) {
		if !slices.ContainsFunc(pl.clauses, func(c clause) bool { return c.term == word }) {
			t.Errorf("%s is not looked for", word)
		}
	}
}

// TestNamesInUse: a word by which people call a record finds it first.
func TestNamesInUse(t *testing.T) {
	x := realIndex(t)
	for word, want := range map[string]string{
		"MCP": "mcp-specification-2026-07-28", "a2a": "a2a-specification-1-0", "macaroon": "macaroons-ndss-2014", "VASP": "fatf-virtual-assets-guidance",
	} {
		if first := ask(t, x, Query{Text: word}).Entries[0]; first.ID() != want {
			t.Errorf("%s finds %s first", word, first.ID())
		}
	}
}

// TestAddressOfAPage: the address of an entry's page finds the entry, and the id of a tag below it finds nothing.
func TestAddressOfAPage(t *testing.T) {
	x := realIndex(t)
	if docs := x.documentsNamed("http://" + x.pages + "mqtt-5/"); len(docs) != 1 || x.records[docs[0]].ID != "mqtt-5" {
		t.Errorf("the page of mqtt-5 names the documents %v", docs)
	}
	if r := ask(t, x, Query{Text: x.pages + "mcp"}); r.Total != 0 {
		t.Errorf("the address of no entry finds %d", r.Total)
	}
}

// TestDefinitionsComeFirst: who asks what a record is, and nothing about it, reads its summary first.
func TestDefinitionsComeFirst(t *testing.T) {
	x := realIndex(t)
	for _, text := range []string{"what is Arazzo", "LangGraph", "MCP registry", "what is PKCE", "SPIFFE"} {
		if first := ask(t, x, Query{Text: text}).Entries[0].Passages[0]; first.Kind != PassageSummary {
			t.Errorf("%s is answered with the %s %q", text, first.Kind, first.Text)
		}
	}
	if first := ask(t, x, Query{Text: "which license does LangGraph have"}).Entries[0].Passages[0]; first.Kind == PassageSummary {
		t.Errorf("a question about a record is answered with its summary")
	}
}

func TestEmptyIndex(t *testing.T) {
	x, err := NewEntries(nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"macaroon", `"a phrase"`, "misspeled", "tag:none", "the"} {
		if r := ask(t, x, Query{Text: text}); r.Total != 0 {
			t.Errorf("%s: %d found in nothing", text, r.Total)
		}
	}
}

// TestAnswersAreFirstPassages: the free search has the order of the paid search, and shows its first passages.
func TestAnswersAreFirstPassages(t *testing.T) {
	x := realIndex(t)
	for _, query := range []string{"what does x402 cost", "macaroon", "how long is a BOLT 12 invoice valid", "who is behind x402", "ros 2 security"} {
		hits := ask(t, x, Query{Text: query, Limit: MaxLimit}).Entries
		records := make([]find.Record, len(hits))
		for i := range hits {
			records[i].ID = hits[i].ID()
		}
		slices.Reverse(records) // whatever their order, but that a page keeps its place
		answers, err := x.Answers(t.Context(), query, append([]find.Record{{ID: "tag:mcp"}}, records...))
		if err != nil || answers[0].ID != "tag:mcp" || answers[0].Passages != nil {
			t.Fatalf("%q: a page has the place and the passage %v, error %v", query, answers[0], err)
		}
		for i, a := range answers[1:] {
			if a.ID != hits[i].ID() || a.Passages != nil && a.Passages[0] != hits[i].Passages[0] {
				t.Errorf("%q: record %d is %s with %v, want %s", query, i, a.ID, a.Passages, hits[i].ID())
			}
		}
	}
}

// TestNamedRecord: a question that names a record, by its id or a curated question, is answered by it, and not by another
// that mentions its subject.
func TestNamedRecord(t *testing.T) {
	x := realIndex(t)
	for _, tt := range []struct{ question, id, has string }{
		{"when do the EU AI Act high-risk rules apply", "eu-ai-act", "2 December 2027"},
		{"pass^k metric tau bench", "tau-bench", "pass^k"},
		{"which headers does a crawler see with cloudflare pay per crawl", "cloudflare-pay-per-crawl", "crawler-price"},
	} {
		if h := ask(t, x, Query{Text: tt.question, Limit: 1}).Entries; len(h) == 0 || h[0].ID() != tt.id || !strings.Contains(h[0].Passages[0].Text, tt.has) {
			t.Errorf("%s: %v, want %s", tt.question, h, tt.id)
		}
	}
}
