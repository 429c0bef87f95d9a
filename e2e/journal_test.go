package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"go.almanac.example/cmd/almanac/buyer"
	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/client/clienttest"
	"go.almanac.example/http402/wallet"
	"go.almanac.example/internal/parttest"
)

// TestDamagedJournals: with a journal that is damaged or cannot be written, nothing is paid, the message says why, and
// the file stays as it is for whoever repairs it.
func TestDamagedJournals(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	flip := func(at int) func([]byte) []byte {
		return func(b []byte) []byte { b[(at+len(b))%len(b)] ^= 0x10; return b }
	}
	for name, tt := range map[string]struct {
		damage func(b []byte) []byte
		words  string
	}{
		"empty":                     {func([]byte) []byte { return nil }, "is empty"},
		"half":                      {func(b []byte) []byte { return b[:len(b)/2] }, "malformed"},
		"without its last line":     {func(b []byte) []byte { return b[:bytes.LastIndexByte(b[:len(b)-1], '\n')+1] }, "malformed"},
		"without its last byte":     {func(b []byte) []byte { return b[:len(b)-1] }, "malformed"},
		"another file":              {func([]byte) []byte { return bytes.Repeat([]byte("not a journal\n"), 4000) }, "no journal"},
		"a flipped bit":             {flip(700), "malformed"},
		"a flipped bit at its end":  {flip(-1), "malformed"},
		"a flipped bit in its name": {flip(0), "malformed"},
	} {
		t.Run(name, func(t *testing.T) {
			node := clienttest.NewNode()
			srv := httptest.NewServer(&clienttest.Seller{T: t, Payee: node, Price: 10, Credits: 100})
			defer srv.Close()
			s := newShopper(t, "ALMANAC_WALLET="+serveWallet(t, node))
			file := filepath.Join(s.dir, "almanac", "buyer.journal")
			s.want(0, nil, "get", srv.URL+"/a")
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			b = tt.damage(b)
			if err := os.WriteFile(file, b, 0o600); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{{"get", srv.URL + "/a"}, {"receipts"}, {"credits"}} {
				s.want(buyer.ExitStore, []string{file, tt.words}, args...)
			}
			if payments, _, _ := node.Payments(); payments != 1 {
				t.Errorf("%d payments, want the one from before", payments)
			}
			if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, b) {
				t.Errorf("the damaged file was changed (%v)", err)
			}
		})
	}
}

// TestRepairCountsPayments: after a repair the program buys again, within the limits that the wallet's payments leave; the
// payment for a challenge whose payment the journal lost is not made again, and opens what it was made for.
func TestRepairCountsPayments(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	node := clienttest.NewNode()
	srv := httptest.NewServer(&clienttest.Seller{T: t, Payee: node, Price: 10, Credits: 100})
	defer srv.Close()
	phoenix := httptest.NewServer(phoenixOf(t, node))
	defer phoenix.Close()
	secret := filepath.Join(t.TempDir(), "password")
	must(t, os.WriteFile(secret, []byte("x"), 0o600))
	s := newShopper(t, "ALMANAC_WALLET=phoenixd:"+phoenix.URL, "ALMANAC_WALLET_SECRET="+secret, "ALMANAC_NETWORK=regtest")
	file := filepath.Join(s.dir, "almanac", "buyer.journal")
	s.want(0, nil, "get", srv.URL+"/a")
	s.want(0, []string{file, "in order"}, "repair")
	b, err := os.ReadFile(file)
	must(t, err)

	second := bytes.IndexByte(b[len("almanac journal 1\n"):], '\n') + len("almanac journal 1\n") + 1 // after the challenge
	must(t, os.WriteFile(file, b[:second], 0o600))
	s.want(buyer.ExitStore, []string{"repair"}, "get", srv.URL+"/a")
	s.want(0, []string{"lines lost: 0; kept: 1 purchases, 0 credentials", "1, of 10 sat", file + ".damaged-"}, "repair")
	s.want(0, nil, "get", srv.URL+"/a")
	if payments, _, _ := node.Payments(); payments != 1 {
		t.Errorf("%d payments, want the one from before", payments)
	}

	must(t, os.WriteFile(file, nil, 0o600))
	s.want(0, []string{"kept: 0 purchases", "ever", "1, of 10 sat"}, "repair")
	s.want(buyer.ExitBudget, []string{"day"}, "get", "-max-day", "25", srv.URL+"/a") // 10 paid, 10 more and 10 of fees
	s.want(0, nil, "get", "-max-day", "30", srv.URL+"/a")
	s.want(0, []string{"20 sat"}, "credits")
}

// phoenixOf answers as phoenixd does, with a node's payments.
func phoenixOf(t *testing.T, node *clienttest.Node) http.Handler {
	record := func(hash, preimage string) map[string]any {
		return map[string]any{"paymentHash": hash, "preimage": preimage, "isPaid": true, "sent": 10, "fees": 0,
			"createdAt": time.Now().UnixMilli(), "completedAt": time.Now().UnixMilli()}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /payinvoice", func(w http.ResponseWriter, r *http.Request) {
		inv, err := bolt11.Decode(r.FormValue("invoice"))
		if err != nil {
			t.Error(err)
		}
		if _, err := node.Pay(r.Context(), wallet.Payment{Hash: inv.Hash, AmountMilliSats: inv.MilliSats}); err != nil {
			t.Error(err)
		}
		io.WriteString(w, "{}")
	})
	mux.HandleFunc("GET /payments/outgoingbyhash/{hash}", func(w http.ResponseWriter, r *http.Request) {
		if preimage, ok := node.Proofs()[r.PathValue("hash")]; ok {
			json.NewEncoder(w).Encode(record(r.PathValue("hash"), preimage))
			return
		}
		w.WriteHeader(http.StatusNotFound)
	})
	mux.HandleFunc("GET /payments/outgoing", func(w http.ResponseWriter, r *http.Request) {
		page := []map[string]any{}
		for hash, preimage := range node.Proofs() {
			page = append(page, record(hash, preimage))
		}
		json.NewEncoder(w).Encode(page)
	})
	return mux
}

// TestUnwritableJournals: nothing is paid where the disk is full or read-only, at first or later.
func TestUnwritableJournals(t *testing.T) {
	for name, tt := range map[string]struct {
		size  string // of the file system
		flags uintptr
		first int // exit status of a first purchase
	}{
		"full":           {"size=4k", 0, buyer.ExitStore},
		"read-only":      {"size=4m", syscall.MS_RDONLY | syscall.MS_REMOUNT, buyer.ExitStore},
		"read-only then": {"size=4m", syscall.MS_RDONLY | syscall.MS_REMOUNT, 0},
	} {
		t.Run(name, func(t *testing.T) {
			node := clienttest.NewNode()
			srv := httptest.NewServer(&clienttest.Seller{T: t, Payee: node, Price: 10, Credits: 1})
			defer srv.Close()
			s := newShopper(t, "ALMANAC_WALLET="+serveWallet(t, node))
			dir := t.TempDir()
			if err := syscall.Mount("almanac", dir, "tmpfs", 0, tt.size+",mode=0700"); err != nil {
				parttest.Missing(t, "no file system can be mounted here; root can: %v", err)
			}
			t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
			get := []string{"get", "-journal", filepath.Join(dir, "j.db"), srv.URL + "/a"}
			if tt.first == 0 {
				s.want(0, nil, get...)
			}
			if tt.flags != 0 {
				if err := syscall.Mount("almanac", dir, "tmpfs", tt.flags, tt.size); err != nil {
					t.Fatal(err)
				}
			}
			before, _, _ := node.Payments()
			s.want(buyer.ExitStore, []string{"journal"}, get...)
			if after, _, _ := node.Payments(); after != before {
				t.Errorf("%d payments without a journal", after-before)
			}
		})
	}
}
