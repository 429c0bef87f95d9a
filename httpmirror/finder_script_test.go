package httpmirror

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/html"
	"go.almanac.example/index/text"
	"go.almanac.example/internal/parttest"
)

// scriptFinds is what testdata/find.mjs prints: what the script finds for each query, the nearest records of each address, and
// the stem of each word.
type scriptFinds struct {
	Found   [][]string // paths
	Totals  []int
	ReadAs  [][]string
	Unknown [][]string
	Near    [][]string
	Stems   []string
}

// runScript runs the script of the pages in Node over the index of a mirror.
func runScript(t *testing.T, m *Mirror, queries, addresses, words []string) (out scriptFinds) {
	t.Helper()
	node := parttest.Program(t, "node", "setup-mirror.sh")
	dir := t.TempDir()
	for path, name := range map[string]string{"/static/find.js": "find.mjs", catalog.FindJSONPath: "index.json", html.WordsPath: "english.txt"} {
		f, ok := m.File(path)
		if !ok {
			t.Fatalf("nothing is at %s", path)
		}
		if err := os.WriteFile(filepath.Join(dir, name), f.Body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	in, err := json.Marshal(map[string][]string{"queries": queries, "addresses": addresses, "words": words})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "testdata/find.mjs", dir)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	printed, err := cmd.Output()
	if err != nil {
		t.Fatalf("find.mjs: %v", err)
	}
	if err := json.Unmarshal(printed, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// The script of the pages finds what the tool server finds, in the same order, unless that looks up an identifier: for the lookups, every curated question, every
// title, beginnings of words and misspellings, in the real library and in a small one.
func TestOneRanking(t *testing.T) {
	for name, m := range map[string]*Mirror{"real": realMirror(t), "small": smallMirror(t)} {
		queries := []string{"what is a facilitator in x402", "what are macaroons", "", " ", "the of and", "?!", "😀", "lightnig", "specificati", "zqxjkvbwpt", "don't", "DID", "did", "agents' wallets", "x 402", "BOLT #12", "bip-0021",
			"key-send", "keysend", "café", "Ｌ４０２", "hotel", "penguin", "kubernetes", "macaron", "stripe's API", "4.02", "2026-11-22", strings.Repeat("lightning agents ", 10)}
		for _, list := range lookupFiles {
			for _, l := range lookups(t, list) {
				queries = append(queries, l.query)
				for n := range l.query {
					queries = append(queries, l.query[:n])
				}
			}
		}
		for _, e := range m.cat.Entries() {
			queries = append(append(queries, e.Title, e.Publisher, e.URL), m.cat.Questions(e.ID)...)
		}
		addresses := []string{"/library/entry/mqtt5/", "/library/entry/x402/", "/protocol/l402", "/protocols/x401/", "/", "", "/articles/reading-a-bolt-12-offer/index.html",
			"/tags/lightening/", "/datasets/payments", "/library/entry/" + strings.Repeat("a", 300), "/Trust", "/entry/eu_gdpr.html"}
		got := runScript(t, m, queries, addresses, nil)
		for i, query := range queries {
			found := findIn(t, m, query)
			if found.Exact {
				continue
			}
			want, wantReadAs, wantUnknown := []string{}, append([]string{}, found.ReadAs...), append([]string{}, found.Unknown...)
			for _, r := range found.Records {
				want = append(want, r.Path)
			}
			if diff := cmp.Diff(want, got.Found[i]) + cmp.Diff(found.Total, got.Totals[i]) + cmp.Diff(wantReadAs, got.ReadAs[i]) + cmp.Diff(wantUnknown, got.Unknown[i]); diff != "" {
				t.Errorf("%s: %q: -tool server +page:\n%s", name, query, diff)
			}
		}
		for i, address := range addresses {
			want := []string{}
			for _, r := range nearIn(t, m, address) {
				want = append(want, r.Path)
			}
			if diff := cmp.Diff(want, got.Near[i]); diff != "" {
				t.Errorf("%s: %q: -server +page:\n%s", name, address, diff)
			}
		}
	}
}

// The script stems as the index does, every common word of English.
func TestOneStemmer(t *testing.T) {
	a, err := text.NewAnalyzer(smallMirror(t).cat.Lexicon())
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(text.English())
	got := runScript(t, smallMirror(t), nil, nil, words)
	wrong := 0
	for i, w := range words {
		want := a.Stem(w)
		if got.Stems[i] != want {
			if wrong++; wrong <= 20 {
				t.Errorf("%s: the script has %s, the index %s", w, got.Stems[i], want)
			}
		}
	}
	t.Logf("%d words, %d differ", len(words), wrong)
}
