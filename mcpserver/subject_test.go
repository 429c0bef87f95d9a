package mcpserver

import (
	"regexp"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror"
	"go.almanac.example/index"
	"go.almanac.example/tools"
)

// foreign are words of payment protocols.
var foreign = regexp.MustCompile(`(?i)payment protocol|agent protocol|x402|bolt ?12|\bap2\b|get_protocol_facts|compare_protocols|"protocol"|macaroon caveats`)

// birds is an endpoint over a library about something else than payments, which sells its searches.
func birds(t *testing.T) *Server {
	t.Helper()
	e := &catalog.Entry{ID: "erithacus-rubecula", Title: "European Robin", URL: "https://birds.example/robin", Publisher: "Example Ornithologists",
		Type: "docs", Category: "songbirds", Summary: "A small bird of gardens, with an orange breast.", Tags: []string{"garden"}, VerifiedAt: "2026-11-20"}
	c := catalog.New(catalog.Records{
		Identity:   catalog.Identity{Name: "Nest", Subject: "the birds of European gardens", Headline: "Birds", Description: "Birds of gardens.", Protocols: []string{}},
		Categories: []catalog.CategoryRecord{{ID: "songbirds", Label: "Songbirds"}}, Tags: []catalog.TagRecord{{ID: "garden", Label: "Gardens"}},
		Entries: []*catalog.Entry{e}, Trust: catalog.TrustRecord{}, Support: catalog.SupportRecord{Updated: "2026-11-20"},
	}, catalog.Options{Site: catalog.DefaultSite, GeneratedAt: now, Payments: catalog.PaymentsLive})
	x, err := index.New(c, index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := httpmirror.Build(c, httpmirror.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := New(c, x, m, Options{Paid: paid(), Now: clock, Deadline: callTimeout})
	return s
}

// TestSubjectOfTheData: a server over birds speaks of birds: the tools, prompts and kinds of records about
// payment protocols are not there, and its examples are records that it has.
func TestSubjectOfTheData(t *testing.T) {
	s := birds(t)
	texts := make(map[string]string)
	for _, method := range []string{"server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
		texts[method] = string(send(s, request(true, body(true, method, ""))).Result)
	}
	for name, params := range map[string]string{
		"prompts/get": `"name":"whats_new","arguments":{}`,
	} {
		if texts[name] = string(send(s, request(true, body(true, name, params))).Result); texts[name] == "" {
			t.Errorf("%s is refused", name)
		}
	}
	for _, call := range []string{`search {"kind":"x"}`, `search {"query":" "}`, `fetch {"id":"robin"}`, `list_entries {"category":1}`, `list_changes {"kind":"x"}`, `search_passages {"query":" "}`} {
		tool, arguments, _ := strings.Cut(call, " ")
		texts[call] = callTool(t, s, true, tool, arguments).Content[0].Text
	}
	for name, text := range texts {
		if found := foreign.FindAllString(text, -1); found != nil {
			t.Errorf("%s speaks of %q:\n%s", name, found, text)
		}
	}
	for name, want := range map[string]string{
		"server/discover": "Checked data on the birds of European gardens: ",
		"tools/list":      `{\"type\":[\"docs\"]}`, "prompts/get": "library on the birds of European gardens",
		`fetch {"id":"robin"}`: "erithacus-rubecula#summary",
	} {
		if !strings.Contains(texts[name], want) {
			t.Errorf("%s lacks %s:\n%s", name, want, texts[name])
		}
	}
	if text := callTool(t, s, true, "fetch", `{"id":"erithacus-rubecula#summary"}`).Content[0].Text; !strings.Contains(text, "orange breast") {
		t.Errorf("the record of the example is read as %s", text)
	}
	long := tools.Summary(catalog.Identity{Subject: strings.Repeat("birds and ", 20)})
	if n := len([]rune(long)); n > 100 || !strings.HasSuffix(long, "…") {
		t.Errorf("a long subject has the summary %q", long)
	}
}
