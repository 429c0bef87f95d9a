package lnurl_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.almanac.example/l402/node"
	"go.almanac.example/l402/node/invoicertest"
	"go.almanac.example/l402/node/lnurl"
	"go.almanac.example/l402/node/nodetest"

	"github.com/btcsuite/btcd/btcutil/bech32"
	"github.com/btcsuite/btcd/chaincfg"
)

// metadata is the description of the address of a fake.
const metadata = `[["text/plain","Searches"],["text/identifier","ann@localhost"]]`

// An offer is the first answer of a service.
type offer struct {
	Tag         string `json:"tag,omitempty"`
	Callback    string `json:"callback"`
	Metadata    string `json:"metadata"`
	MinSendable any    `json:"minSendable"`
	MaxSendable any    `json:"maxSendable"`
}

// An answer is the second.
type answer struct {
	PR     string   `json:"pr,omitempty"`
	Routes []string `json:"routes"`
	Verify any      `json:"verify,omitempty"`
}

// A fake is a service behind the address ann@, which answers as LUD-06 and LUD-21 are written.
type fake struct {
	*httptest.Server
	t testing.TB

	mu        sync.Mutex
	now       time.Time
	override  http.HandlerFunc          // answers everything, when set
	offer     func(*offer)              // edits the first answer
	terms     func(*invoicertest.Terms) // edits every invoice
	answer    func(*answer)             // edits the second answer
	careless  bool                      // verify shows preimages of unpaid invoices
	preimages nodetest.Preimages
	net       *chaincfg.Params
	offered   int
	status    int    // of good answers; 0: 200
	mark      string // before each answer
}

func newFake(t testing.TB) *fake {
	f := &fake{t: t, now: time.Now().Truncate(time.Second), preimages: nodetest.Preimages{}, net: &chaincfg.SigNetParams}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
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
	return node.Settings{Address: "ann@" + strings.TrimPrefix(f.URL, "http://"), PriceSats: 100, Network: "signet", Timeout: time.Minute, Now: f.Now, Log: slog.New(slog.DiscardHandler)}
}

func (f *fake) node(edit ...func(*node.Settings)) *node.Node {
	f.t.Helper()
	cfg := f.config()
	for _, e := range edit {
		e(&cfg)
	}
	n, err := lnurl.New(cfg)
	if err != nil {
		f.t.Fatal(err)
	}
	return n
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.override != nil {
		f.override(w, r)
		return
	}
	if f.status > 0 {
		w.WriteHeader(f.status)
	}
	io.WriteString(w, f.mark)
	switch hash, verifies := strings.CutPrefix(r.URL.Path, "/verify/"); {
	case verifies:
		var preimage any
		if f.careless {
			preimage = f.preimages[hash]
		}
		json.NewEncoder(w).Encode(map[string]any{"status": "OK", "settled": false, "preimage": preimage, "pr": ""})
	case r.URL.Path == "/.well-known/lnurlp/ann":
		f.offered++
		o := offer{"payRequest", f.URL + "/callback?user=ann", metadata, 1000, 1_000_000_000_000}
		if f.offer != nil {
			f.offer(&o)
		}
		json.NewEncoder(w).Encode(o)
	case r.URL.Path == "/callback" && strings.Contains(r.URL.RawQuery, "&z=") && !strings.HasPrefix(r.URL.RawQuery, "user=ann&z=%20&a=~&"):
		io.WriteString(w, `{"status":"ERROR","reason":"the signature is wrong"}`)
	case r.URL.Path == "/callback" && r.URL.Query().Get("user") == "ann":
		amount, err := strconv.ParseInt(r.URL.Query().Get("amount"), 10, 64)
		if err != nil {
			io.WriteString(w, `{"status":"ERROR","reason":"no amount"}`)
			return
		}
		hash := f.preimages.Add()
		terms := invoicertest.Terms{Net: f.net, Hash: hash, MilliSats: amount, DescriptionHash: sha256.Sum256([]byte(metadata)), Expiry: time.Hour, At: f.now}
		if f.terms != nil {
			f.terms(&terms)
		}
		a := answer{invoicertest.Invoice(f.t, terms), []string{}, f.URL + "/verify/" + hex.EncodeToString(hash[:])}
		if f.answer != nil {
			f.answer(&a)
		}
		json.NewEncoder(w).Encode(a)
	default:
		http.Error(w, `{"status":"ERROR","reason":"no such user"}`, http.StatusNotFound)
	}
}

func TestLaw(t *testing.T) {
	f := newFake(t)
	invoicertest.Test(t, invoicertest.Subject{
		Invoicer: f.node(), Net: &chaincfg.SigNetParams, Now: f.Now, Expiry: time.Hour,
		Break: func() { f.set(func() { f.override = says(http.StatusInternalServerError, "no") }) },
		Mend:  func() { f.set(func() { f.override, f.now = nil, f.now.Add(time.Second) }) },
	})
}

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status); io.WriteString(w, body) }
}

// TestServiceFaults breaks one thing at a time, wants the fault told apart, and the next call to work once it is mended.
func TestServiceFaults(t *testing.T) {
	override := func(h http.HandlerFunc) func(*fake) { return func(f *fake) { f.override = h } }
	offers := func(edit func(*offer)) func(*fake) { return func(f *fake) { f.offer = edit } }
	invoice := func(edit func(*invoicertest.Terms)) func(*fake) { return func(f *fake) { f.terms = edit } }
	answers := func(edit func(*answer)) func(*fake) { return func(f *fake) { f.answer = edit } }
	for _, tt := range []struct {
		name, reason, advice string
		edit                 func(*fake)
	}{
		{"refuses with status 200", node.ReasonRefused, "closed", override(says(200, `{"status":"ERROR","reason":"closed"}`))},
		{"no such address", node.ReasonNotNode, "spelling", override(says(404, "not found"))},
		{"too many requests", node.ReasonRefused, "-challenge-rate", override(says(429, "slow down"))},
		{"is away", node.ReasonStarting, "away", override(says(502, "<html>"))},
		{"another status", node.ReasonRefused, "refuses the call", override(says(400, "{}"))},
		{"a page instead of an answer", node.ReasonGarbled, "LUD-06", override(says(200, "<!DOCTYPE html>"))},
		{"a redirect out of TLS or in circles", node.ReasonNotNode, "spelling", override(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusFound) })},
		{"an endless answer", node.ReasonGarbled, "524288", override(says(200, strings.Repeat(" ", 1<<20)))},
		{"closes the connection", node.ReasonUnreachable, "broke", override(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })},
		{"an LNURL to withdraw from", node.ReasonNotNode, "withdrawRequest", offers(func(o *offer) { o.Tag = "withdrawRequest" })},
		{"no tag", node.ReasonNotNode, "payRequest", offers(func(o *offer) { o.Tag = "" })},
		{"a callback without TLS", node.ReasonGarbled, "callback", offers(func(o *offer) { o.Callback = "http://example.com/" })},
		{"a callback that is a file", node.ReasonGarbled, "callback", offers(func(o *offer) { o.Callback = "file:///etc/passwd" })},
		{"takes more only", node.ReasonRefused, "-price", offers(func(o *offer) { o.MinSendable = 100_001 })},
		{"takes less only", node.ReasonRefused, "-price", offers(func(o *offer) { o.MaxSendable = 99_999 })},
		{"no invoice", node.ReasonGarbled, "it has no invoice", answers(func(a *answer) { a.PR = "" })},
		{"less than asked", node.ReasonWrongInvoice, "100 sat", invoice(func(t *invoicertest.Terms) { t.MilliSats-- })},
		{"more than asked", node.ReasonWrongInvoice, "100 sat", invoice(func(t *invoicertest.Terms) { t.MilliSats++ })},
		{"an expired invoice", node.ReasonWrongInvoice, "expired", invoice(func(t *invoicertest.Terms) { t.At = t.At.Add(-2 * time.Hour) })},
		{"an invoice for a quarter", node.ReasonWrongInvoice, "longer", invoice(func(t *invoicertest.Terms) { t.Expiry = 90 * 24 * time.Hour })},
		{"an invoice of another network", node.ReasonWrongInvoice, "signet", func(f *fake) { f.net = &chaincfg.MainNetParams }},
		{"an invoice that shows its preimage", node.ReasonWrongInvoice, "preimage", invoice(func(t *invoicertest.Terms) { t.Secret = [32]byte{1}; t.Hash = sha256.Sum256(t.Secret[:]) })},
		{"anybody can read preimages", node.ReasonReadable, "anybody", func(f *fake) { f.careless = true }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			f.set(func() { tt.edit(f) })
			n := f.node()
			_, err := n.AddInvoice(t.Context(), invoicertest.Request())
			nodetest.Want(t, err, tt.reason, tt.advice, "no secret")
			f.set(func() { f.now = f.now.Add(4 * time.Second) })
			nodetest.Want(t, n.Ready(t.Context()), tt.reason, "", "no secret")
			f.set(func() {
				f.override, f.offer, f.terms, f.answer, f.careless, f.net, f.now = nil, nil, nil, nil, false, &chaincfg.SigNetParams, f.now.Add(4*time.Second)
			})
			if err := n.Ready(t.Context()); err != nil {
				t.Errorf("Ready when mended: %v", err)
			}
			if _, err := n.AddInvoice(t.Context(), invoicertest.Request()); err != nil {
				t.Errorf("AddInvoice when mended: %v", err)
			}
		})
	}
}

// TestServicesDiffer: what services may write in their own way sells (LUD-06).
func TestServicesDiffer(t *testing.T) {
	limits := func(least, most string) func(*fake) {
		return func(f *fake) {
			f.offer = func(o *offer) { o.MinSendable, o.MaxSendable = json.RawMessage(least), json.RawMessage(most) }
		}
	}
	for name, edit := range map[string]func(*fake){
		"the description of another": func(f *fake) { f.terms = func(t *invoicertest.Terms) { t.DescriptionHash[0]++ } },
		"a description in words": func(f *fake) {
			f.terms = func(t *invoicertest.Terms) { t.DescriptionHash, t.Memo = [32]byte{}, "Searches" }
		},
		"a callback whose query must stay as it is": func(f *fake) {
			f.offer = func(o *offer) { o.Callback = f.URL + "/callback?user=ann&z=%20&a=~" }
		},
		"a callback without its host": func(f *fake) { f.offer = func(o *offer) { o.Callback = "/callback?user=ann" } },
		"pictures": func(f *fake) {
			f.offer = func(o *offer) {
				picture := strings.Repeat("A", 136_536)
				o.Metadata = `[["text/plain","x"],["image/png;base64","` + picture + `"],["image/jpeg;base64","` + picture + `"]]`
			}
		},
		"an invoice for a month":     func(f *fake) { f.terms = func(t *invoicertest.Terms) { t.Expiry = 30 * 24 * time.Hour } },
		"an invoice in capitals":     func(f *fake) { f.answer = func(a *answer) { a.PR = strings.ToUpper(a.PR) } },
		"an invoice with its scheme": func(f *fake) { f.answer = func(a *answer) { a.PR = "lightning:" + a.PR } },
		"an invoice with a line end": func(f *fake) { f.answer = func(a *answer) { a.PR += "\n" } },
		"no verification":            func(f *fake) { f.answer = func(a *answer) { a.Verify = false } },
		"verification that is none":  func(f *fake) { f.answer = func(a *answer) { a.Verify = map[string]string{"url": ""} } },
		"a byte order mark":          func(f *fake) { f.mark = "\ufeff" },
		"another status":             func(f *fake) { f.status = http.StatusCreated },
		"exponents":                  limits("1e3", "1E+11"), "fractions": limits("1000.0", "100000.5"), "no end": limits("0", "1e400"),
		"more than 64 bits": limits("-1", "99999999999999999999999"), "digits in quotes": limits(`"1000"`, `"100000000"`),
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.set(func() { edit(f) })
			if _, err := f.node().AddInvoice(t.Context(), invoicertest.Request()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestReadinessIsPolite: a service that works is asked for its terms once a minute, however often readiness is asked for.
func TestReadinessIsPolite(t *testing.T) {
	f := newFake(t)
	n := f.node()
	for range 120 {
		if err := n.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.set(func() { f.now = f.now.Add(5 * time.Second) })
	}
	if f.offered != 10 {
		t.Errorf("asked %d times in ten minutes, want 10", f.offered)
	}
}

// TestLightningAddresses: every way of writing an address leads to the same service, and others are refused before any call.
func TestLightningAddresses(t *testing.T) {
	f := newFake(t)
	at := f.URL + "/.well-known/lnurlp/ann"
	bits, err := bech32.ConvertBits([]byte(at), 8, 5, true)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := bech32.Encode("lnurl", bits)
	if err != nil {
		t.Fatal(err)
	}
	host := strings.TrimPrefix(f.URL, "http://")
	for _, address := range []string{"ann@" + host, "Ann@" + host, "lightning:ann@" + host, "LIGHTNING:ANN@" + host, "Lightning://ann@" + host, "LIGHTNING:" + encoded, encoded, strings.ToUpper(encoded), "lightning:" + encoded, at,
		" ann@" + host + "\n", "https://shop.example/ann?lightning=" + encoded, "HTTPS://SHOP.EXAMPLE/ANN?A=B&LIGHTNING=" + strings.ToUpper(encoded) + "#top"} {
		n := f.node(func(c *node.Settings) { c.Address = address })
		if _, err := n.AddInvoice(t.Context(), invoicertest.Request()); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"", "ann", "ann@", "@example.com", "ann@example.com/x", "a nn@example.com", "http://example.com/x", "ftp://example.com/",
		"https://ann:secret@example.com/", encoded[:len(encoded)-1], "lnurlp://", "lnbc1pvjluez"} {
		if _, err := lnurl.New(node.Settings{Address: address, Network: "signet", Log: slog.New(slog.DiscardHandler)}); err == nil || !strings.Contains(err.Error(), "-lnurl-address") {
			t.Errorf("%q: %v", address, err)
		}
	}
	if _, err := lnurl.New(node.Settings{Address: "ann@example.com", Network: "moon", Log: slog.New(slog.DiscardHandler)}); err == nil {
		t.Error("a network that does not exist is accepted")
	}
}

// TestRedirectOfADomain: an address of one's own domain may lead to the service that holds the account.
func TestRedirectOfADomain(t *testing.T) {
	f := newFake(t)
	domain := httptest.NewServer(http.RedirectHandler(f.URL+"/.well-known/lnurlp/ann", http.StatusFound))
	defer domain.Close()
	n := f.node(func(c *node.Settings) { c.Address = "sales@" + strings.TrimPrefix(domain.URL, "http://") })
	if _, err := n.AddInvoice(t.Context(), invoicertest.Request()); err != nil {
		t.Error(err)
	}
}

// TestNoVerification: a service without LUD-21 sells as well.
func TestNoVerification(t *testing.T) {
	f := newFake(t)
	f.answer = func(a *answer) { a.Verify = "" }
	var log bytes.Buffer
	n := f.node(func(c *node.Settings) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	inv, err := n.AddInvoice(t.Context(), invoicertest.Request())
	if err != nil || inv.ExpiresAt.Sub(f.Now()) != time.Hour {
		t.Errorf("invoice until %s: %v", inv.ExpiresAt, err)
	}
	if log.Len() > 0 {
		t.Errorf("logged %s", &log)
	}
}
