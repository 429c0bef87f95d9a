package e2e

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/mcpserver"
	"go.almanac.example/server/servertest"
)

// compression is the second catalogue: twenty sources on compression formats.
const compression = "testdata/compression"

// foreignWords are those of the first catalogue's subject. A catalogue about something else has them only where it says
// how its searches are sold.
var foreignWords = regexp.MustCompile(`(?i)\b(payment[- ]protocols?|agent[- ]protocols?|payments? between machines|` +
	`machine[- ]payments?|machine[- ]to[- ]machine|m2m|how machines|machines? (can )?pays?|agents? (can )?pays?|` +
	`x402|l402|lsat|mpp|bolt ?-?1[12]|bip ?-?(21|173)|nwc|nostr|ap2|acp|ucp|a2a|` +
	`mandates?|facilitators?|stablecoins?|usdc|lightning|satoshis?|bitcoin|macaroons?|lnd|phoenixd|aperture|` +
	`ecash|caip-?\d*|eip-?712|evm|solana|merchants?|checkout|` +
	`robotics|autonomy|iot|mqtt|protocol facts|compared protocols|facts about protocols)\b`)

// An exception is a place where foreignWords may be: addresses, such as a path or "tool search_passages", and the part
// of their texts.
type exception struct {
	reason   string
	at, part *regexp.Regexp
}

func except(reason, at, part string) exception {
	return exception{reason, regexp.MustCompile("^(?:" + at + ")$"), regexp.MustCompile("(?s)" + part)}
}

// exceptions say how searches are sold, in the words of those who buy.
var exceptions = []exception{
	except("the terms of the sale and their schemas",
		`/\.well-known/l402(\.json)?|/schemas/(l402|l402-manifest|problem)\.schema\.json`, `.*`),
	except("the page that sells, and its script", `/search/`, `<section id="buy".*?</section>`),
	except("the page that sells, and its script", `/static/buy\.js`, `.*`),
	except("the link to the page that sells", `/`, `<h2 id="sale">.*?</section>`),
	except("the link to the interface that sells", `/llms\.txt|contents library://index\.md`,
		`\n- \[GET /v1/search[^\n]*`),
	except("the link to the interface that sells", `/search\.md`, `\nFull-text search \(paid\):[^\n]*`),
	except("the link to the interface that sells", `/catalog\.jsonld`, `"Paid search \(L402\)"`),
	except("the record of the page that sells, and its words", `/search/index\.json`, `\{"id":"buy"[^}]*\}`),
	except("the tool that sells", `tool search_passages|(resource|contents) skill://pay-for-search/SKILL\.md`, `.*`),
	except("the skill that buys", `/\.well-known/agent-skills/pay-for-search/SKILL\.md`, `.*`),
	except("the skill that buys", `/\.well-known/(agent-skills/index|ai-catalog|ard)\.json`,
		`"description": "(Pays for a search|Full-text search)[^"]*"|"pay for a full-text search over Lightning"|"use an L402 credential for a search"`),
	except("how the interface that sells is found", `/\.well-known/l402-services|/schemas/l402-services\.schema\.json`, `.*`),
	except("how the interface that sells is found", `/openapi\.json`, `/v1/search\?q=words searches[^"]*"`),
	except("what a sale leaves behind", `/privacy/|/privacy\.md|/api/privacy\.json`, `It keeps no preimage[^.]*\.|The Lightning node[^.]*\.`),
	except("the offer of the tool server", `initialize`,
		`"experimental":\{"payment":.*?\}\}\}\}|"almanac/payments":\{.*?\]\}|Only search_passages costs:[^.]*\.`),
	except("errors of the interface that sells", `/llms-full\.txt|/trust\.md|contents library://trust\.md`,
		"\n\\| `("+payErrors+")`[^\n]*"),
	except("errors of the interface that sells", `/trust/`, `<tr id="(`+payErrors+`)">.*?</tr>`),
	except("errors of the interface that sells", `/trust\.json|contents library://trust`,
		`"code": "(`+payErrors+`)".*?\}`),
	except("price and use of credits", `/llms-full\.txt|/trust\.md|contents library://trust\.md`,
		`\n## Credit limits\n.*?\n## `),
	except("price and use of credits", `/trust/`, `<h2 id="credits">.*?<h2`),
	except("price and use of credits", `/trust\.json|contents library://trust`, member(2, `credit_limits`)),
	except("price and use of credits", `/schemas/trust\.schema\.json`, member(8, `price_sats`)),
	except("the interface that sells", `/openapi\.json`,
		member(4, `/v1/(search|credits)|x-l402-[a-z]+|securitySchemes`)+`|`+
			member(2, `tags|x-l402-[a-z]+`)+`|`+
			member(6, `ProblemDocument`)),
	except("addresses of the terms of the sale and of their schemas", `.*`,
		`/(\.well-known/l402|schemas/l402)[a-z.-]*`),
	except("names of software in the program, and of its authors", `/notices\.txt`, `.*`),
}

// payErrors are the codes of errors whose remedies speak of payments.
const payErrors = `payment_required|credential_malformed|credential_invalid|payment_unproven|node_unavailable`

// member matches a member of a JSON object that is indented so far.
func member(indent int, names string) string {
	space := strings.Repeat(" ", indent)
	return `\n` + space + `"(` + names + `)": ([{\[].*?\n` + space + `[}\]]|[^\n]*)`
}

// A library is the second catalogue as the program serves it.
type library struct {
	*testing.T
	*process
	files map[string]string // the texts of its manifest, by path
}

// openLibrary serves the second catalogue and reads every file that its manifest lists.
func openLibrary(t *testing.T, args ...string) *library {
	t.Helper()
	p := startServe(t, append([]string{"-fixtures", compression}, args...)...)
	l := &library{t, p, map[string]string{}}
	_, body := l.get("/manifest.json")
	manifest := servertest.Decode[struct{ Files []struct{ Path string } }](t, []byte(body))
	l.files["/manifest.json"] = body
	for _, f := range manifest.Files {
		res, body := servertest.Ask(t, http.MethodGet, l.base+f.Path, "")
		if res.StatusCode != http.StatusOK {
			t.Errorf("%s of the manifest: status %d", f.Path, res.StatusCode)
		}
		l.files[f.Path] = string(body)
	}
	if len(l.files) < 300 {
		t.Fatalf("%d files", len(l.files))
	}
	return l
}

// TestSecondCatalogue: a catalogue about another subject is served, searched, bought from and read by agents,
// and nothing in it is of the first one's subject.
func TestSecondCatalogue(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	l := openLibrary(t)
	t.Run("searches", func(t *testing.T) { (&library{t, l.process, l.files}).search() })
	t.Run("words", func(t *testing.T) { (&library{t, l.process, l.files}).words() })
}

// search finds a record by its title for nothing, and buys the passages that answer questions.
func (l *library) search() {
	s := &servertest.Client{T: l, URL: l.base}
	if _, body := l.get("/search/?q=zstd"); !strings.Contains(body, `href="/library/entry/zstd/"`) {
		l.Error("the free search does not find zstd")
	}
	credential := s.Buy()
	for question, want := range map[string][2]string{
		"magic number of zstd":      {"zstandard-format", "0xFD2FB528"},
		"who wrote zlib":            {"zlib", "Jean-loup Gailly and Mark Adler"},
		"signature of png":          {"png-third-edition", "89 50 4E 47 0D 0A 1A 0A"},
		"can libdeflate stream":     {"libdeflate", "cannot stream"},
		"licence of brotli":         {"brotli", "MIT"},
		"file extension of snappy?": {"snappy-format", ".sz"},
	} {
		path := "/v1/search?q=" + url.QueryEscape(question)
		res, body := s.Do(http.MethodGet, path, "", "Authorization", credential)
		answer := servertest.Decode[struct {
			Entries []struct {
				ID       string
				Passages []struct{ Text string }
			}
		}](l, body)
		if res.StatusCode != http.StatusOK || len(answer.Entries) == 0 || answer.Entries[0].ID != want[0] ||
			!strings.Contains(answer.Entries[0].Passages[0].Text, want[1]) {
			l.Errorf("%s: status %d, %.600s", question, res.StatusCode, body)
		}
	}
}

// words reports each foreign word with its address, and each exception that nothing needs.
func (l *library) words() {
	texts := l.overMCP()
	for path, body := range l.files {
		if !strings.Contains(http.DetectContentType([]byte(body)), "image/") {
			texts[path] = body
		}
	}
	missing := []string{"/no-such-page", "/api/entries/no-such.json", "/library/entry/zst/"}
	for _, path := range slices.Concat(mcpserver.CardPaths, missing) {
		_, texts["GET "+path] = l.get(path)
	}
	for at, own := range map[string]string{
		"initialize": "compression formats", "GET /mcp/server-card": "squeeze: compression formats",
		"/": "squeeze", "/library/": "compression formats", "/changes/feed.atom": "squeeze",
		"/llms.txt": "# squeeze\n", "/openapi.json": `"title": "squeeze"`,
	} {
		if !strings.Contains(texts[at], own) {
			l.Errorf("%s does not say %q", at, own)
		}
	}
	used := make([]bool, len(exceptions))
	found := 0
	for _, at := range slices.Sorted(maps.Keys(texts)) {
		text := texts[at]
		for i, e := range exceptions {
			if !e.at.MatchString(at) {
				continue
			}
			rest := e.part.ReplaceAllString(text, "")
			used[i] = used[i] || len(foreignWords.FindAllString(rest, -1)) < len(foreignWords.FindAllString(text, -1))
			text = rest
		}
		for _, m := range foreignWords.FindAllStringIndex(text, -1) {
			found++
			near := strings.Fields(text[max(0, m[0]-60):min(len(text), m[1]+40)])
			l.Errorf("%s: %q in …%s…", at, text[m[0]:m[1]], strings.Join(near, " "))
		}
	}
	for i, e := range exceptions {
		if !used[i] {
			l.Errorf("%s, %s (%s) needs no exception", e.at, e.part, e.reason)
		}
	}
	l.Logf("%d texts, %d foreign words", len(texts), found)
}

// overMCP returns the texts of this service over MCP, by kind and name.
func (l *library) overMCP() map[string]string {
	l.Helper()
	ctx := l.Context()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "almanac-test", Version: "1"}, nil).Connect(ctx,
		&mcp.StreamableClientTransport{Endpoint: l.base + "/mcp", DisableStandaloneSSE: true}, nil)
	if err != nil {
		l.Fatal(err)
	}
	defer c.Close()
	texts := map[string]string{}
	add := func(at string, v any, err error) {
		l.Helper()
		body, encodeErr := json.Marshal(v)
		if err != nil || encodeErr != nil {
			l.Errorf("%s: %v, %v", at, err, encodeErr)
		}
		texts[at] = string(body)
	}
	add("initialize", c.InitializeResult(), nil)
	for t, err := range c.Tools(ctx, nil) {
		add("tool "+t.Name, t, err)
	}
	for r, err := range c.ResourceTemplates(ctx, nil) {
		add("template "+r.URITemplate, r, err)
	}
	for r, err := range c.Resources(ctx, nil) {
		add("resource "+r.URI, r, err)
		read, err := c.ReadResource(ctx, &mcp.ReadResourceParams{URI: r.URI})
		if err != nil {
			l.Fatal(err)
		}
		texts["contents "+r.URI] = read.Contents[0].Text
	}
	for p, err := range c.Prompts(ctx, nil) {
		add("prompt "+p.Name, p, err)
		args := map[string]string{}
		for _, a := range p.Arguments {
			args[a.Name] = "zstd"
			if a.Name == "date" {
				args[a.Name] = "2026-11-23"
			}
		}
		got, err := c.GetPrompt(ctx, &mcp.GetPromptParams{Name: p.Name, Arguments: args})
		add("messages "+p.Name, got, err)
	}
	for tool, args := range map[string]any{"list_entries": nil, "list_categories": nil, "list_changes": nil,
		"search": map[string]any{"query": "zstd"}, "fetch": map[string]any{"id": "zstd"}} {
		r, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
		add("call "+tool, r, err)
	}
	return texts
}
