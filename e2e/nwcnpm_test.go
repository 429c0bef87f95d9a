package e2e

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/nbd-wtf/go-nostr"

	"go.almanac.example/internal/parttest"
	"go.almanac.example/l402/node/lnd/simnet"
)

// A npmWallet is a relay and a wallet service of other people, from npm, over the merchant's node.
type npmWallet struct {
	t               *testing.T
	env             []string
	cmd             *exec.Cmd
	address, Wallet string
}

// npmCache returns where .ci/setup-nwc.sh has put the packages.
func npmCache(t *testing.T) string {
	t.Helper()
	return filepath.Dir(parttest.Cached(t, "setup-nwc.sh", "npm-nwc", "installed-lock.json"))
}

// start runs the relay and the wallet at a port, 0 for any.
func (w *npmWallet) start(port string) {
	w.t.Helper()
	w.cmd = exec.Command("node", "../l402/node/nwc/testdata/wallet.mjs")
	w.cmd.Env = append(append(os.Environ(), w.env...), "PORT="+port)
	w.cmd.Stderr = os.Stderr
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		w.t.Fatalf("the wallet does not start: %v", err)
	}
	var at struct{ Address, Wallet string }
	if err := json.Unmarshal(line, &at); err != nil {
		w.t.Fatal(err)
	}
	w.address, w.Wallet = at.Address, at.Wallet
}

func (w *npmWallet) stop() {
	w.cmd.Process.Kill()
	w.cmd.Wait()
}

// TestNostrWalletConnectOfOthers: what other people's relay and wallet service speak is what the program speaks:
// purchase, reuse, both away and back.
func TestNostrWalletConnectOfOthers(t *testing.T) {
	cache := npmCache(t)
	sim := simnet.Start(t)
	lightning := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		method := map[string]string{"/make": "make_invoice", "/lookup": "lookup_invoice"}[r.URL.Path]
		if answer := (lightningWallet{sim}).handle(method, body); err == nil && answer["result"] != nil {
			json.NewEncoder(rw).Encode(answer["result"])
			return
		}
		http.Error(rw, "no", http.StatusInternalServerError)
	}))
	t.Cleanup(lightning.Close)
	secret := nostr.GeneratePrivateKey()
	client, err := nostr.GetPublicKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	key := make([]byte, 32)
	rand.Read(key)
	w := &npmWallet{t: t, env: []string{"CACHE=" + cache, "LIGHTNING=" + lightning.URL, "WALLET_SECRET=" + hex.EncodeToString(key), "CLIENT_PUBKEY=" + client}}
	w.start("0")
	t.Cleanup(func() { w.stop() })
	s := openNWCShop(t, sim, "nostr+walletconnect://"+w.Wallet+"?relay="+w.address+"&secret="+secret)
	s.buy("at first")
	_, port, err := net.SplitHostPort(w.address[len("ws://"):])
	if err != nil {
		t.Fatal(err)
	}
	w.stop()
	s.wantDown("relay and wallet are away")
	w.start(port)
	s.buy("they are back")
	s.wantSecret(secret)
}
