package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"go.almanac.example/index/searchpb"
	"go.almanac.example/internal/parttest"
	"go.almanac.example/server/servertest"
)

// TestRetry repeats paid searches over HTTP, gRPC and MCP after a reload, at another replica and after kill -9: each
// costs one credit.
//
// docs/contract.md, "Payments".
func TestRetry(t *testing.T) {
	testRetry(t, "sqlite:"+filepath.Join(t.TempDir(), "ledger.db"))
}

// testRetry is TestRetry on one ledger.
func testRetry(t *testing.T, ledger string) {
	flags := []string{"-ledger", ledger, "-state", t.TempDir()} // the key file is shared too
	one, other := startServe(t, flags...), startServe(t, flags...)
	credential := (&servertest.Client{T: t, URL: one.base}).Buy()

	asked := 0
	want := func(when string, p *process) {
		t.Helper()
		asked++
		p.searchHTTP(credential)
		p.searchGRPC(credential)
		p.searchMCP(credential, map[string]any{})
		p.searchMCP(credential, map[string]any{"almanac/idempotency-key": "one"})
		_, body := servertest.Ask(t, http.MethodGet, p.base+"/v1/credits", "", "Authorization", credential)
		if left := servertest.Decode[struct{ Remaining int }](t, body).Remaining; left != 96 {
			t.Errorf("%s: %d credits are left after asking 4 searches %d times, want 96", when, left, asked)
		}
	}
	want("first", one)
	want("again", one)
	one.signal(syscall.SIGHUP)
	one.waitLog(`"msg":"reloaded"`)
	want("after a reload", one)
	want("at another replica", other)
	one.signal(syscall.SIGKILL)
	one.wait()
	want("after kill -9", startServe(t, flags...))
}

func (p *process) searchHTTP(credential string) {
	p.t.Helper()
	if status, body := p.get("/v1/search?q=macaroon", "Authorization", credential, "Idempotency-Key", "one"); status != http.StatusOK {
		p.t.Fatalf("HTTP: %d %s", status, body)
	}
}

func (p *process) searchGRPC(credential string) {
	p.t.Helper()
	conn, err := grpc.NewClient(p.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		p.t.Fatal(err)
	}
	defer conn.Close()
	ctx := metadata.AppendToOutgoingContext(p.t.Context(), "authorization", credential, "idempotency-key", "one")
	if _, err := searchpb.NewSearchClient(conn).Search(ctx, &searchpb.SearchRequest{Q: "macaroon"}); err != nil {
		p.t.Fatalf("gRPC: %v", err)
	}
}

func (p *process) searchMCP(credential string, meta map[string]any) {
	p.t.Helper()
	body := (&servertest.Client{T: p.t, URL: p.base}).RPC("tools/call", map[string]any{
		"name": "search_passages", "_meta": meta,
		"arguments": map[string]any{"query": "macaroon", "l402": strings.TrimPrefix(credential, "L402 ")},
	})
	answer := servertest.Decode[struct {
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
	}](p.t, body)
	if answer.Result.IsError || len(answer.Result.Content) == 0 {
		p.t.Fatalf("MCP: %s", body)
	}
}

// TestKeysAreReloaded rotates the keys with the command of docs/operate.md, literally. SIGHUP reads the key file again: a
// key put first signs what is sold from then on, and one that was removed is refused. A key file that cannot be read
// leaves the keys as they were.
func TestKeysAreReloaded(t *testing.T) {
	for _, tool := range []string{"bash", "openssl"} {
		parttest.Everyday(t, tool)
	}
	state := t.TempDir()
	p := startServe(t, "-state", state)
	file := filepath.Join(state, "keys")
	old := (&servertest.Client{T: t, URL: p.base}).Buy()
	status := func(credential string) int {
		code, _ := p.get("/v1/search?q=macaroon", "Authorization", credential)
		return code
	}
	reload := func() { // "reloaded" is logged last, also after a key file that cannot be read
		t.Helper()
		const logged = `"msg":"reloaded"`
		before := strings.Count(p.logged(), logged)
		p.signal(syscall.SIGHUP)
		servertest.WaitUntil(t, logged, func() bool { return strings.Count(p.logged(), logged) > before })
	}
	replace := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		reload()
	}
	rotate := exec.Command("bash", "-euc", shellBlocks(section(t, document(t, "docs/operate.md"), "## Rotate the keys"))[0])
	rotate.Dir = state
	if out, err := rotate.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	reload()
	if got := status(old); got != http.StatusOK {
		t.Errorf("after rotation the old credential gets %d", got)
	}
	rotated, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fresh, _, _ := strings.Cut(string(rotated), "\n")
	replace("not a key\n")
	if !strings.Contains(p.logged(), "the keys stay as they were") {
		t.Error("the log says nothing of a faulty key file")
	}
	if got := status(old); got != http.StatusOK {
		t.Errorf("after a faulty key file the old credential gets %d", got)
	}
	bought := (&servertest.Client{T: t, URL: p.base}).Buy()
	replace(fresh + "\n")
	if got := status(old); got != http.StatusPaymentRequired {
		t.Errorf("a credential of a removed key gets %d", got)
	}
	if got := status(bought); got != http.StatusOK {
		t.Errorf("a credential of the first key gets %d", got)
	}
}
