package laws

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A layer is a row of the table of packages.
type layer struct {
	number  int
	name    string // of the package, below the module
	imports string // what of ours it may import; * is everything
	owns    string // as ARCHITECTURE.md says it
}

// module is the path of the repository's main module. The paths of the others begin with it.
const module = "go.almanac.example"

// layers is the architecture: every package, from the bottom up. A package may import only packages above it in this
// list, and of those only the ones its row allows. The table in ARCHITECTURE.md and docs/architecture.svg are generated
// from it: go test ./internal/laws -run TestArchitectureTable -update
var layers = []layer{
	{0, "internal/wirejson", "", "the JSON encoder of published documents"},
	{0, "internal/nearest", "", "the nearest words of a vocabulary, for \"did you mean\""},
	{0, "internal/accept", "", "`Accept` headers: weights, media ranges, content codings"},
	{0, "internal/problem", "internal/wirejson", "the table of error codes; problems over HTTP, gRPC and JSON-RPC"},
	{0, "internal/rpc", "internal/wirejson internal/problem", "JSON-RPC messages of MCP, read and checked for every transport"},
	{0, "http402/netaddr", "", "addresses of this machine, of private networks and of the Internet"},
	{0, "internal/peer", "http402/netaddr", "client networks, their limits and queues"},
	{0, "catalog", "internal/wirejson internal/problem", "the published types and documents, every address"},
	{0, "fixtures", "", "the curated files, embedded"},
	{0, "http402/bech32", "", "the encoding of invoices and offers"},
	{0, "http402/bolt11", "http402/bech32", "Lightning invoices, read and written"},
	{0, "http402/bolt12", "http402/bech32", "a decoder of Lightning offers"},
	{0, "http402/challenge", "http402/bech32 http402/bolt11", "the offers of a 402 in every scheme and transport; credentials"},
	{0, "l402/mpp", "http402/challenge", "the formats of the scheme Payment (MPP)"},
	{0, "l402", "internal/accept internal/peer internal/problem http402/bolt11 http402/challenge l402/mpp", "challenge, credential, paywall; the interfaces of ledger and node"},

	{1, "http402/shape", "http402/bolt11 http402/challenge", "signatures of 402s, and the clients that pay them"},
	{1, "http402/explain", "http402/bech32 http402/bolt11 http402/bolt12 http402/challenge http402/shape", "the meaning of a text that somebody holds from a payment"},
	{1, "catalog/payaddr", "http402/bolt12", "payment addresses"},
	{1, "catalog/load", "internal/wirejson internal/nearest catalog catalog/payaddr", "strict reading and linting of the curated files"},
	{1, "curate/links", "http402/netaddr internal/wirejson catalog catalog/load", "the link checker"},
	{1, "curate/sources", "internal/wirejson catalog catalog/load curate/links", "the check that sources still have their quotes"},
	{1, "index/searchpb", "", "the messages of search over gRPC, generated"},
	{1, "index/text", "", "words, stems and spellings"},
	{1, "index/postings", "index/text", "the inverted index: words and their documents"},
	{1, "index/find", "", "records of the free search"},
	{1, "index", "internal/wirejson internal/nearest internal/peer internal/problem catalog index/searchpb index/text index/postings index/find", "search over a catalog, over HTTP and gRPC; the free search"},
	{1, "httpmirror/file", "", "files of the mirror and their codings"},
	{1, "httpmirror/phrase", "catalog", "numbers, dates and addresses in words"},
	{1, "httpmirror/markdown", "catalog httpmirror/phrase", "Markdown: documents written, articles rendered"},
	{1, "httpmirror/skills", "catalog", "skills: texts that teach a model to use the tools"},
	{1, "httpmirror/metadata", "internal/wirejson catalog httpmirror/file httpmirror/phrase httpmirror/markdown", "JSON-LD, DCAT, OpenAPI, feeds"},
	{1, "httpmirror/html", "catalog httpmirror/file httpmirror/phrase httpmirror/markdown httpmirror/metadata index index/find", "the pages"},
	{1, "httpmirror/export", "catalog httpmirror/file", "the mirror as a folder of files"},
	{1, "httpmirror", "internal/accept internal/wirejson internal/problem catalog httpmirror/file httpmirror/phrase httpmirror/markdown httpmirror/metadata httpmirror/skills httpmirror/html httpmirror/export index index/find", "the kinds of document; serving and negotiation"},
	{1, "l402/ledger", "l402", "accounts in SQLite and PostgreSQL"},
	{1, "http402/nip47", "", "the client of Nostr Wallet Connect"},
	{1, "http402/wallet", "", "the interface of a buyer's wallet"},
	{1, "http402/wallet/rest", "http402/challenge http402/netaddr http402/wallet", "calls of nodes over HTTP"},
	{1, "l402/node", "l402 http402/bolt11 http402/netaddr http402/wallet/rest", "common parts of nodes: turns, checks, errors"},
	{1, "l402/node/lnd", "l402 l402/node http402/wallet/rest", "invoices from an lnd node"},
	{1, "l402/node/phoenixd", "l402 l402/node http402/wallet/rest", "invoices from phoenixd"},
	{1, "l402/node/cln", "l402 l402/node http402/wallet/rest", "invoices from Core Lightning"},
	{1, "l402/node/lnurl", "l402 l402/node http402/bech32 http402/bolt11 http402/wallet", "invoices from the service behind a Lightning address"},
	{1, "l402/node/nwc", "l402 l402/node http402/nip47 http402/wallet/rest", "invoices from a wallet over Nostr Wallet Connect"},
	{1, "l402/node/demo", "internal/peer l402 internal/problem http402/bolt11", "a node for demonstrations"},
	{1, "http402/wallet/lnd", "http402/wallet http402/wallet/rest", "payments with an lnd node"},
	{1, "http402/wallet/cln", "http402/wallet http402/wallet/rest", "payments with Core Lightning"},
	{1, "http402/wallet/phoenixd", "http402/wallet http402/wallet/rest", "payments with phoenixd"},
	{1, "http402/wallet/nwc", "http402/wallet http402/nip47", "payments over Nostr Wallet Connect"},
	{1, "http402/wallet/demo", "http402/wallet http402/wallet/rest", "payments of the demo"},
	{1, "http402/journal", "", "a buyer's payments and credentials, in one file"},
	{1, "http402/client", "http402/bolt11 http402/challenge http402/journal http402/netaddr http402/wallet", "the buyer: pays for a 402 within a budget, and never twice"},
	{1, "http402/probe", "http402/client http402/challenge http402/shape", "a report on a seller for its paying clients"},
	{1, "cmd/almanac/buyer", "internal/wirejson http402/probe http402/challenge http402/client http402/bolt11 http402/journal http402/netaddr http402/wallet http402/wallet/cln http402/wallet/demo http402/wallet/lnd http402/wallet/nwc http402/wallet/phoenixd http402/wallet/rest", "the buyer's commands: settings, get, receipts, probe"},
	{1, "cmd/almanac/bridge", "internal/rpc http402/client http402/challenge http402/journal", "a stdio MCP server that forwards a remote one and pays"},
	{1, "server/ops", "http402/netaddr internal/peer catalog l402 internal/problem", "metrics, access log, client addresses, limits"},

	{2, "tools", "internal/wirejson internal/nearest internal/problem catalog l402 http402/explain index index/find httpmirror httpmirror/file httpmirror/html httpmirror/markdown httpmirror/phrase", "the MCP tools, resources and prompts"},
	{3, "mcpserver", "internal/accept internal/wirejson internal/problem internal/rpc internal/peer catalog index http402/explain tools", "the MCP endpoint"},
	{4, "server", "internal/wirejson http402/netaddr internal/peer internal/problem catalog catalog/load index index/searchpb httpmirror httpmirror/file tools mcpserver server/ops l402 http402/explain l402/ledger l402/node l402/node/lnd l402/node/phoenixd l402/node/cln l402/node/lnurl l402/node/nwc l402/node/demo", "the service: snapshot, reload, listeners, payments"},
	{5, "cmd/almanac", "*", "the commands and their flags"},
}

// testSupport are packages that only tests import.
var testSupport = map[string]string{
	"internal/parttest":                "",
	"l402/bolt11test":                  "",
	"l402/node/lnd/simnet":             "internal/parttest",
	"l402/node/invoicertest":           "l402",
	"http402/client/clienttest":        "http402/bolt11 http402/wallet",
	"http402/wallet/wallettest":        "http402/wallet",
	"server/servertest":                "catalog internal/problem fixtures internal/parttest",
	"e2e":                              "",
	"e2e/clients":                      "",
	"internal/laws":                    "",
	"mcpserver/conformance":            "",
	"catalog/catalogtest":              "internal/wirejson catalog",
	"httpmirror/markdown/markdowntest": "",
	"l402/node/nwc/nip47test":          "",
	"l402/node/nodetest":               "l402 l402/node",
	"http402/testvectors":              "http402/shape",
	"http402/testvectors/shapeserver":  "http402/testvectors http402/bolt11 http402/challenge",
	"http402/testvectors/requests":     "http402/testvectors http402/bolt11",
}

// l402Packages are the packages that know what a macaroon and a payment hash are.
var l402Packages = []string{"l402", "l402/mpp", "l402/node", "l402/node/lnd", "l402/node/phoenixd", "l402/node/cln", "l402/node/lnurl", "l402/node/nwc", "l402/node/demo", "l402/ledger", "l402/node/invoicertest", "server/ops"}

// buyerPackages are those of them that buy. They know nothing of the seller's, so that others can import them alone.
var buyerPackages = []string{"http402/client", "http402/challenge", "http402/explain", "http402/client/clienttest"}

// guarded are modules that only some packages may import, by the prefix of the import path.
var guarded = map[string][]string{
	"github.com/blevesearch/": {"index/text", "index/postings"},
	// The bridge is a server to its host and a client of the remote server; it serves nothing of the catalogue.
	"github.com/modelcontextprotocol/":   {"tools", "mcpserver", "mcpserver/conformance", "cmd/almanac/bridge", "internal/rpc"},
	"gopkg.in/macaroon.v2":               slices.Concat(l402Packages, buyerPackages, []string{"http402/wallet/rest", "http402/testvectors/requests", "http402/testvectors/shapeserver"}),
	"github.com/lightningnetwork/lnd":    l402Packages,
	"modernc.org/sqlite":                 {"l402/ledger", "http402/journal"},
	"github.com/jackc/pgx/":              {"l402/ledger"},
	"github.com/nbd-wtf/go-nostr":        {"l402/node/nwc/nip47test"},
	"go.almanac.example/fixtures":        {"server", "server/servertest", "cmd/almanac"},
	"github.com/yuin/goldmark":           {"httpmirror/markdown", "httpmirror/markdown/markdowntest"},
	"github.com/microcosm-cc/bluemonday": {"httpmirror/markdown"},
}

// TestImports: a package is in the table, and imports what its row allows.
func TestImports(t *testing.T) {
	allowed := make(map[string]string)
	for name, imports := range testSupport {
		allowed[name] = imports
	}
	for _, l := range layers {
		for imp := range strings.FieldsSeq(l.imports) {
			if _, below := allowed[imp]; !below && imp != "*" {
				t.Errorf("the table lets %s import %s, which is not below it: imports go down only", l.name, imp)
			}
		}
		allowed[l.name] = l.imports
	}
	for name, imports := range importsByPackage(t) {
		may, ok := allowed[name]
		if !ok {
			t.Errorf("package %s is not in the table: give it a layer", name)
			continue
		}
		for _, imp := range imports {
			ours, isOurs := strings.CutPrefix(imp, module+"/")
			if isOurs && may != "*" && !slices.Contains(strings.Fields(may), ours) {
				t.Errorf("%s imports %s; its row allows: %s", name, imp, may)
			}
			for prefix, only := range guarded {
				if strings.HasPrefix(imp, prefix) && !slices.Contains(only, name) {
					t.Errorf("%s imports %s; only %s may", name, imp, strings.Join(only, ", "))
				}
			}
		}
	}
}

// importsByPackage returns the imports of each package of the modules of the program, by its name below module.
func importsByPackage(t *testing.T) map[string][]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "../../...", module+"/http402/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	packages := make(map[string][]string)
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages[strings.TrimPrefix(p.ImportPath, module+"/")] = p.Imports
	}
	if len(packages) < 10 {
		t.Fatalf("go list found %d packages only", len(packages))
	}
	return packages
}
