package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/http402/explain"
	"go.almanac.example/index/find"
)

// ask calls a free tool and decodes its answer.
func ask[T any](t *testing.T, tools *Tools, tool, arguments string) (out T) {
	t.Helper()
	a, err := tools.call(context.Background(), tool, json.RawMessage(arguments))
	if err != nil || a.Failed {
		t.Fatalf("%s %s: %v %s", tool, arguments, err, a.text)
	}
	if err := json.Unmarshal([]byte(a.text), &out); err != nil {
		t.Fatalf("%s %s: %v in %s", tool, arguments, err, a.text)
	}
	return out
}

// TestFetchForms: several records are read at once, those that are not found beside them; match leaves the lines and rows with its words;
// a record is cited as its source, and returned as JSON; what does not fit says where the whole is.
func TestFetchForms(t *testing.T) {
	tools := over(t)
	several := ask[struct {
		Records  []fetched
		NotFound []notFound `json:"not_found"`
	}](t, tools, "fetch", `{"id":["mqtt-5","protocol:x402#refund"],"ids":"mcp-go-sdk,no-such"}`)
	if len(several.Records) != 3 || several.Records[1].ID != "protocol:x402" || len(several.NotFound) != 1 || several.NotFound[0].ID != "no-such" {
		t.Errorf("%+v", several)
	}
	rows := ask[fetched](t, tools, "fetch", `{"id":"dataset:payment-networks","match":"usdc eip155:8453"}`)
	for line := range strings.Lines(rows.Text) {
		if !strings.Contains(line, "USDC") || !strings.Contains(line, "eip155:8453") {
			t.Errorf("the row %s has not all words", line)
		}
	}
	if rows.Text == "" || !slices.ContainsFunc(rows.Metadata.Download, func(url string) bool { return strings.HasSuffix(url, ".jsonl") }) {
		t.Errorf("the rows are %+v", rows)
	}
	for _, arguments := range []string{`{"id":"protocol:x402","section":"refund, fees"}`, `{"id":"protocol:x402","sections":["refund","fees"]}`} {
		if both := ask[fetched](t, tools, "fetch", arguments); strings.Count(both.Text, "in the source: “") != 2 {
			t.Errorf("%s: %s", arguments, both.Text)
		}
	}
	if a := tools.CallFree(t.Context(), "fetch", []byte(`{"id":"article:robots-llms-txt-aipref-or-rsl","section":"robots.txt, RSL or pay per crawl?"}`)); a.Failed {
		t.Errorf("a heading with a comma: %s", a.text)
	}
	for _, one := range ask[struct{ Records []fetched }](t, tools, "fetch", `{"ids":["protocol:x402#refund","eu-mica#redemption"],"match":"interest"}`).Records {
		if !strings.Contains(one.Text, "in the source: “") { // a section that has not the words was asked for all the same
			t.Errorf("a match dropped the fact, or the words of its source: %+v", one)
		}
	}
	if words := ask[fetched](t, tools, "fetch", `{"id":"eu-mica","match":"interest Article 50"}`); strings.Count(words.Text, "in the source: “") != 1 {
		t.Errorf("what matches is not quoted once: %s", words.Text)
	}
	if a := tools.CallFree(t.Context(), "fetch", []byte(`{"id":"mqtt-5","match":"zqxj"}`)); !a.Failed || !strings.Contains(a.text, "Leave out match") {
		t.Errorf("%s", a.text)
	}
	if most := ask[fetched](t, tools, "fetch", `{"id":"eu-mica","match":"applies stablecoins zqxj"}`); !strings.Contains(most.Text, "stablecoins") || !strings.Contains(most.Text, "applies") {
		t.Errorf("the lines with most words are %s", most.Text)
	}
	if words := ask[fetched](t, tools, "fetch", `{"id":"protocol:x402#refund"}`); !strings.Contains(words.Text, "in the source: “") {
		t.Errorf("a fact of a protocol has no words of its source: %s", words.Text)
	}
	e, _ := tools.catalog.Entry("mqtt-5")
	if cited := ask[fetched](t, tools, "fetch", `{"id":"mqtt-5","format":"bibtex"}`); !strings.HasPrefix(cited.Text, "@misc{mqtt-5,") || !strings.Contains(cited.Text, e.URL) {
		t.Errorf("cited as %s", cited.Text)
	}
	for id, want := range map[string]string{"agentdojo": "year = {2024},\n  eprint = {2406.13352}", "open-x-embodiment": "year = {n.d.},\n  note = {Undated; read 20"} {
		if cited := ask[fetched](t, tools, "fetch", `{"id":"`+id+`","format":"bibtex"}`); !strings.Contains(cited.Text, want) {
			t.Errorf("cited as %s", cited.Text)
		}
	}
	for id, want := range map[string]string{"x402": "@misc{x402-specification-v2,", "mpp": "url = {https://paymentauth.org/}"} { // with its specification
		if cited := ask[fetched](t, tools, "fetch", `{"id":"protocol:`+id+`","format":"bibtex"}`); strings.Count(cited.Text, "@misc{") != 2 || !strings.Contains(cited.Text, want) {
			t.Errorf("cited as %s", cited.Text)
		}
	}
	if law := ask[fetched](t, tools, "fetch", `{"id":"us-code-12-5903"}`); law.Metadata.Versions != nil { // other sections are no other editions
		t.Errorf("%s are editions of a section of a law", law.Metadata.Versions)
	}
	csl := ask[struct {
		Record []struct{ Type, Title, URL string }
	}](t, tools, "fetch", `{"id":"mqtt-5","format":"csl"}`)
	if len(csl.Record) != 1 || csl.Record[0].URL != e.URL || csl.Record[0].Title != e.Title {
		t.Errorf("cited as %+v", csl)
	}
	if whole := ask[struct{ Record struct{ Summary string } }](t, tools, "fetch", `{"id":"mqtt-5","format":"json"}`); whole.Record.Summary != e.Summary {
		t.Errorf("the record is %+v", whole)
	}
	if a := tools.CallFree(t.Context(), "fetch", []byte(`{"id":"category:payments","format":"json"}`)); !a.Failed || !strings.Contains(a.text, "Download it from http") {
		t.Errorf("%.300s", a.text)
	}
}

// TestVersionsCompared: two versions of a protocol are compared field by field, each difference with the source, the day and the words of
// both; lists have what one alone has.
func TestVersionsCompared(t *testing.T) {
	tools := over(t)
	for _, to := range []string{"", `,"to":"v2"`, `,"to":"newest"`} {
		got := ask[versionAnswer](t, tools, "get_protocol_facts", `{"protocols":["x402"],"from":"V1","evidence":true`+to+`}`)
		i := slices.IndexFunc(got.Changed, func(c fieldChange) bool { return c.Field == "http_headers" })
		if i < 0 || len(got.Same)+len(got.Changed) == 0 {
			t.Fatalf("%+v", got)
		}
		c := got.Changed[i]
		if !strings.Contains(string(c.Was.Value), "X-PAYMENT") || strings.Contains(string(c.Is.Value), "X-PAYMENT") || c.Was.Quote == "" || c.Is.Quote == "" || c.Was.Source == c.Is.Source || got.Sources[c.Is.Source-1].VerifiedAt == "" {
			t.Errorf("the headers changed: %+v", c)
		}
	}
	between := ask[versionAnswer](t, tools, "get_protocol_facts", `{"protocol":"acp","from":"2025-09-29","to":"2026-01-30","fields":["spec_url"]}`)
	if len(between.Changed) != 1 || !strings.Contains(between.To, "2026-01-30") {
		t.Errorf("%+v", between)
	}
	if begun := ask[versionAnswer](t, tools, "get_protocol_facts", `{"protocol":"ap2","from":"0.1"}`); !strings.Contains(begun.From, "0.1.0") {
		t.Errorf("the beginning of one version is read as %+v", begun)
	}
	for _, arguments := range []string{`{"protocols":["x402","l402"],"from":"v1"}`, `{"protocols":["x402"],"from":"v9"}`, `{"protocols":["acp"],"from":"2026-01"}`, `{"protocols":["x402"],"to":"v2"}`} {
		if a := tools.CallFree(t.Context(), "get_protocol_facts", []byte(arguments)); !a.Failed {
			t.Errorf("%s: %s", arguments, a.text)
		}
	}
}

// TestOneFieldEach: a field that two documents have is one for readers, under either name.
func TestOneFieldEach(t *testing.T) {
	tools := over(t)
	a, b := `{"fields":["http_status_codes","payment_rail"]}`, `{"fields":["status_codes","rail"]}`
	if diff := cmp.Diff(ask[any](t, tools, "get_protocol_facts", a), ask[any](t, tools, "get_protocol_facts", b)); diff != "" {
		t.Error(diff)
	}
	values, _ := factsOf(t, tools, a)
	for _, id := range []string{"cloudflare-pay-per-crawl", "visa-tap", "lnurl-pay"} {
		if v := values[id]["payment_rail"]; string(v.Value) == "null" {
			t.Errorf("the rail of %s is null: %s", id, v.Reason)
		}
	}
}

// TestExplainedProtocol: an explanation names the specification of each protocol once.
func TestExplainedProtocol(t *testing.T) {
	d := over(t).data
	of := func(schemes ...string) (r explain.Reading) {
		for _, s := range schemes {
			r.Offers = append(r.Offers, explain.Offer{Offer: challenge.Offer{Scheme: s}})
		}
		return r
	}
	l402, _ := d.catalog.Protocol("l402")
	mpp, _ := d.catalog.Protocol("mpp")
	both := "Spec:   " + l402.SpecURL.Value + ", " + mpp.SpecURL.Value + "\n"
	if got := d.specifications(of("l402", "payment", "l402")); got != both {
		t.Errorf("%q, want %q", got, both)
	}
	for _, scheme := range []string{"crawler-price", "cashu"} { // without facts
		if got := d.specifications(of(scheme)); !strings.Contains(got, "https://") {
			t.Errorf("%q of %s", got, scheme)
		}
	}
	r := of("x402")
	r.Offers[0].Version = 1
	if got := d.specifications(r); !strings.Contains(got, "x402 v1 (2025-") {
		t.Errorf("%q of an earlier version", got)
	}
	if got := d.specifications(explain.Reading{}); got != "" {
		t.Errorf("%q of no protocol", got)
	}
}

// TestUndated: a list of days says how many entries have no known date, and lists them on request.
func TestUndated(t *testing.T) {
	tools := over(t)
	type page struct {
		Total int
		Note  string
	}
	dated := ask[page](t, tools, "list_entries", `{"tag":["mcp"],"since":"2026-03-01"}`)
	all := ask[page](t, tools, "list_entries", `{"tag":["mcp"],"since":"2026-03-01","undated":true}`)
	if more := all.Total - dated.Total; more == 0 || !strings.HasPrefix(dated.Note, fmt.Sprint(more)) || all.Note != "" {
		t.Errorf("%+v and %+v", dated, all)
	}
}

// TestSearchIsPaged: the pages of a search add up to its total; each hit's section can be fetched.
func TestSearchIsPaged(t *testing.T) {
	tools := over(t)
	type page struct {
		Results []searchResult
		Total   int
		Next    string `json:"next_cursor"`
	}
	for _, query := range []string{`"query":"lightning invoice"`, `"query":"identity","type":["spec"]`, `"query":"agent","tag":["identity"]`} {
		seen, first := map[string]bool{}, page{}
		for cursor := ""; ; {
			p := ask[page](t, tools, "search", `{`+query+`,"limit":20,"cursor":"`+cursor+`"}`)
			if cursor == "" {
				first = p
			}
			for _, r := range p.Results {
				if seen[r.ID] {
					t.Errorf("%s is on two pages of %s", r.ID, query)
				}
				seen[r.ID] = true
				if a := tools.CallFree(t.Context(), "fetch", []byte(`{"id":`+quoted(r.ID+"#"+r.Section)+`}`)); r.Section != "" && a.Failed {
					t.Errorf("%s: %s", r.ID, a.text)
				}
			}
			if cursor = p.Next; cursor == "" {
				break
			}
		}
		if len(seen) != min(first.Total, find.MaxMore) || len(seen) == 0 {
			t.Errorf("%s: %d of %d", query, len(seen), first.Total)
		}
	}
}

// TestHandles: a handle stands for its credential, and for no other; one that is not known is refused with the remedy.
func TestHandles(t *testing.T) {
	h := NewHandles()
	name := h.handle("macaroon:preimage")
	if got, err := h.credential(name); got != "macaroon:preimage" || err != nil || len(name) > 30 {
		t.Errorf("%s is %q, %v", name, got, err)
	}
	if got, err := h.credential("macaroon:preimage"); got != "macaroon:preimage" || err != nil {
		t.Errorf("a credential is %q, %v", got, err)
	}
	if _, err := h.credential(handlePrefix + "x"); err == nil || !strings.Contains(err.Error(), "do not pay again") {
		t.Errorf("an unknown handle: %v", err)
	}
}
