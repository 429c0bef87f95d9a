package phoenixd_test

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"go.almanac.example/l402/node"
	"go.almanac.example/l402/node/invoicertest"
	"go.almanac.example/l402/node/nodetest"
	"go.almanac.example/l402/node/phoenixd"

	"github.com/btcsuite/btcd/chaincfg"
)

// A fake answers as phoenixd's interface is documented: form in, JSON out, errors in plain text, preimages of unpaid
// invoices for all who have the password.
type fake struct {
	*httptest.Server
	t            testing.TB
	passwordFile string

	mu        sync.Mutex
	now       time.Time
	password  string
	chain     string
	net       *chaincfg.Params
	override  http.HandlerFunc          // answers everything, when set
	answer    func(created) any         // what createinvoice answers, when set
	terms     func(*invoicertest.Terms) // edits every invoice
	open      bool                      // asks for no password to read payments
	form      map[string]string         // of the last createinvoice
	preimages nodetest.Preimages        // by payment hash
	created   int
}

// created is what createinvoice answers.
type created struct {
	AmountSat   int64  `json:"amountSat,omitempty"`
	PaymentHash string `json:"paymentHash,omitempty"`
	Serialized  string `json:"serialized,omitempty"`
}

func newFake(t testing.TB) *fake {
	t.Helper()
	f := &fake{
		t: t, passwordFile: filepath.Join(t.TempDir(), "password"), now: time.Now().Truncate(time.Second), password: rand.Text(),
		chain: "signet", net: &chaincfg.SigNetParams, preimages: nodetest.Preimages{},
	}
	f.writePassword(f.password)
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *fake) writePassword(password string) {
	f.t.Helper()
	if err := os.WriteFile(f.passwordFile, []byte(password+"\n"), 0o600); err != nil {
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
	return node.Settings{Address: f.URL, SecretFile: f.passwordFile, Network: "signet", Timeout: time.Minute, Now: f.Now, Log: slog.New(slog.DiscardHandler)}
}

func (f *fake) node(edit ...func(*node.Settings)) *node.Node {
	f.t.Helper()
	cfg := f.config()
	for _, e := range edit {
		e(&cfg)
	}
	n, err := phoenixd.New(cfg)
	if err != nil {
		f.t.Fatal(err)
	}
	return n
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	override := f.override
	f.mu.Unlock()
	if override != nil {
		override(w, r)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	user, password, _ := r.BasicAuth()
	hash, reads := strings.CutPrefix(r.URL.Path, "/payments/incoming/")
	switch {
	case (user != "" || password != f.password) && !(f.open && reads):
		http.Error(w, "Invalid authentication (use basic auth with the http password set in phoenix.conf)", http.StatusUnauthorized)
	case r.Method == http.MethodGet && r.URL.Path == "/getinfo":
		f.json(w, map[string]any{"nodeId": "02" + strings.Repeat("ab", 32), "channels": []any{}, "chain": f.chain, "blockHeight": 900_000, "version": "0.6.2"})
	case r.Method == http.MethodPost && r.URL.Path == "/createinvoice":
		f.createInvoice(w, r)
	case r.Method == http.MethodGet && reads && f.preimages[hash] != "":
		f.json(w, map[string]any{"paymentHash": hash, "preimage": f.preimages[hash], "isPaid": false, "receivedSat": 0, "fees": 0, "createdAt": f.now.UnixMilli()})
	default:
		http.Error(w, "Unknown endpoint (check api doc)", http.StatusNotFound)
	}
}

func (f *fake) json(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v)
}

func (f *fake) createInvoice(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Content-Type") != "application/x-www-form-urlencoded" || r.ParseForm() != nil {
		http.Error(w, "Request must be a form", http.StatusBadRequest)
		return
	}
	f.form = map[string]string{}
	for name := range r.PostForm {
		f.form[name] = r.PostForm.Get(name)
	}
	sats, err := strconv.ParseInt(f.form["amountSat"], 10, 64)
	seconds, err2 := strconv.ParseInt(f.form["expirySeconds"], 10, 64)
	description, ok := f.form["description"]
	switch {
	case err != nil || err2 != nil:
		http.Error(w, "Parameter amountSat has invalid type (should be integer)", http.StatusBadRequest)
		return
	case !ok:
		http.Error(w, "Must provide either a description or descriptionHash", http.StatusBadRequest)
		return
	case len(utf16.Encode([]rune(description))) > 128:
		http.Error(w, "Request parameter description is too long (max 128 characters)", http.StatusBadRequest)
		return
	}
	f.created++
	hash := f.preimages.Add()
	terms := invoicertest.Terms{Net: f.net, Hash: hash, MilliSats: sats * 1000, Memo: description, Expiry: time.Duration(seconds) * time.Second, At: f.now}
	if f.terms != nil {
		f.terms(&terms)
	}
	answer := created{sats, hex.EncodeToString(hash[:]), invoicertest.Invoice(f.t, terms)}
	if f.answer != nil {
		f.json(w, f.answer(answer))
		return
	}
	f.json(w, answer)
}
