package cln_test

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.almanac.example/l402/node"
	"go.almanac.example/l402/node/cln"
	"go.almanac.example/l402/node/invoicertest"
	"go.almanac.example/l402/node/nodetest"

	"github.com/btcsuite/btcd/chaincfg"
)

// A fake answers as clnrest does: JSON in and out, 201 for what worked, {code, message} for what did not, and a rune
// for each method.
type fake struct {
	*httptest.Server
	t                  testing.TB
	certFile, runeFile string

	mu       sync.Mutex
	now      time.Time
	rune     string
	methods  string // that the rune permits
	network  string
	net      *chaincfg.Params
	warnings map[string]string
	override http.HandlerFunc          // answers everything, when set
	invoice  http.HandlerFunc          // answers the method invoice, when set
	answer   func(map[string]any)      // edits what invoice answers
	terms    func(*invoicertest.Terms) // edits every invoice
	open     bool                      // answers without a rune, with preimages of unpaid invoices
	body     map[string]any            // of the last invoice
	labels   map[string]bool
	preimage nodetest.Preimages // by payment hash
}

func newFake(t testing.TB) *fake {
	t.Helper()
	dir := t.TempDir()
	f := &fake{
		t: t, certFile: filepath.Join(dir, "ca.pem"), runeFile: filepath.Join(dir, "rune"), now: time.Now().Truncate(time.Second),
		rune: rand.Text() + rand.Text() + "==", methods: "invoice getinfo", network: "regtest", net: &chaincfg.RegressionNetParams,
		labels: map[string]bool{}, preimage: nodetest.Preimages{},
	}
	f.write(f.runeFile, f.rune+"\n")
	f.Server = httptest.NewUnstartedServer(f)
	f.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	f.StartTLS()
	f.write(f.certFile, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: f.Certificate().Raw})))
	t.Cleanup(f.Close)
	return f
}

func (f *fake) write(file, text string) {
	f.t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fake) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

func (f *fake) set(edit func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	edit()
}

func (f *fake) config() node.Settings {
	return node.Settings{Address: f.URL, CertFile: f.certFile, SecretFile: f.runeFile, Network: "regtest", Timeout: time.Minute, Now: f.Now, Log: slog.New(slog.DiscardHandler)}
}

func (f *fake) node(edit ...func(*node.Settings)) *node.Node {
	f.t.Helper()
	cfg := f.config()
	for _, e := range edit {
		e(&cfg)
	}
	n, err := cln.New(cfg)
	if err != nil {
		f.t.Fatal(err)
	}
	return n
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}

func refuse(w http.ResponseWriter, status, code int, message string) {
	reply(w, status, map[string]any{"code": code, "message": message})
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	override, invoice := f.override, f.invoice
	f.mu.Unlock()
	if override != nil {
		override(w, r)
		return
	}
	method, ok := strings.CutPrefix(r.URL.Path, "/v1/")
	if ok && method == "invoice" && invoice != nil {
		invoice(w, r)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var params map[string]any
	switch header := r.Header.Get("Rune"); {
	case !ok || r.Method != http.MethodPost:
		refuse(w, http.StatusNotFound, -32601, "Path not registered")
	case header == "" && !f.open:
		refuse(w, http.StatusForbidden, 1501, "Not authorized: Missing rune")
	case header != f.rune && !f.open:
		refuse(w, http.StatusUnauthorized, 1501, "Not authorized: Not derived from master")
	case header != "" && !strings.Contains(f.methods, method):
		refuse(w, http.StatusUnauthorized, 1502, "Not permitted: method is not equal to invoice")
	case json.NewDecoder(r.Body).Decode(&params) != nil:
		refuse(w, http.StatusInternalServerError, -32602, "missing required parameter")
	case method == "getinfo":
		info := map[string]any{"id": "03" + strings.Repeat("cd", 32), "network": f.network, "blockheight": 900_000}
		for name, text := range f.warnings {
			info[name] = text
		}
		reply(w, http.StatusCreated, info)
	case method == "invoice":
		f.makeInvoice(w, params)
	case method == "listinvoices":
		hash, _ := params["payment_hash"].(string)
		found := map[string]any{"label": "x", "payment_hash": hash, "status": "unpaid"}
		if f.open {
			found["payment_preimage"] = f.preimage[hash]
		}
		reply(w, http.StatusCreated, map[string]any{"invoices": []any{found}})
	default:
		refuse(w, http.StatusNotFound, -32601, "Unknown command '"+method+"'")
	}
}

func (f *fake) makeInvoice(w http.ResponseWriter, params map[string]any) {
	f.body = params
	msat, _ := params["amount_msat"].(float64)
	seconds, _ := params["expiry"].(float64)
	memo, hasMemo := params["description"].(string)
	label, _ := params["label"].(string)
	switch {
	case msat < 1 || seconds < 1 || !hasMemo || label == "":
		refuse(w, http.StatusInternalServerError, -32602, "missing required parameter")
		return
	case f.labels[label]:
		refuse(w, http.StatusInternalServerError, 900, "Duplicate label '"+label+"'")
		return
	}
	f.labels[label] = true
	hash := f.preimage.Add()
	terms := invoicertest.Terms{Net: f.net, Hash: hash, MilliSats: int64(msat), Memo: memo, Expiry: time.Duration(seconds) * time.Second, At: f.now}
	if f.terms != nil {
		f.terms(&terms)
	}
	answer := map[string]any{
		"bolt11": invoicertest.Invoice(f.t, terms), "payment_hash": hex.EncodeToString(hash[:]), "payment_secret": strings.Repeat("00", 32),
		"expires_at": f.now.Unix() + int64(seconds), "created_index": 1, "warning_capacity": "Insufficient incoming channel capacity to pay invoice",
	}
	if f.answer != nil {
		f.answer(answer)
	}
	reply(w, http.StatusCreated, answer)
}
