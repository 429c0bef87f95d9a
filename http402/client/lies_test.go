package client_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/client"
	"go.almanac.example/http402/client/clienttest"
	"go.almanac.example/http402/journal"
	"go.almanac.example/http402/wallet"
)

// A lie is a 402 that must not be paid, made from the parts of one that would be.
type lie struct {
	name   string
	header func(l *liar) []string // WWW-Authenticate
	body   func(l *liar) string   // JSON
	reason client.Reason
	words  []string
}

// A liar makes invoices and headers.
type liar struct {
	t    *testing.T
	node *clienttest.Node
}

// invoice makes one for 100 sat, edited.
func (l *liar) invoice(edit func(*clienttest.Terms)) (string, [32]byte) {
	terms := clienttest.Terms{MilliSats: 100_000}
	if edit != nil {
		edit(&terms)
	}
	return l.node.Invoice(l.t, terms)
}

// l402 is an honest header but for its terms.
func (l *liar) l402(edit func(*clienttest.Terms)) []string {
	text, hash := l.invoice(edit)
	return []string{clienttest.L402Header(clienttest.Macaroon(l.t, hash), text)}
}

// on is an invoice of another network.
func (l *liar) on(prefix string) []string {
	other := clienttest.NewNode()
	other.Prefix = prefix
	text, hash := other.Invoice(l.t, clienttest.Terms{MilliSats: 100_000})
	return []string{clienttest.L402Header(clienttest.Macaroon(l.t, hash), text)}
}

// charge is a Payment header whose request is written by f from an honest invoice.
func (l *liar) charge(f func(invoice string, hash [32]byte) string, more string) []string {
	text, hash := l.invoice(nil)
	return []string{fmt.Sprintf(`Payment id="x", realm="r", method="lightning", intent="charge", request="%s"%s`,
		base64.RawURLEncoding.EncodeToString([]byte(f(text, hash))), more)}
}

func honest(invoice string, hash [32]byte) string {
	return fmt.Sprintf(`{"amount":"100","currency":"sat","methodDetails":{"invoice":"%s","paymentHash":"%x"}}`, invoice, hash)
}

// edited is an honest request with something replaced.
func edited(old, new string) func(string, [32]byte) string {
	return func(invoice string, hash [32]byte) string { return strings.Replace(honest(invoice, hash), old, new, 1) }
}

// replaced is an honest L402 header with something of its invoice or macaroon replaced.
func (l *liar) replaced(edit func(macaroon, invoice string) string) []string {
	text, hash := l.invoice(nil)
	return []string{edit(clienttest.Macaroon(l.t, hash), text)}
}

var lies = []lie{
	{name: "macaroon of another payment", header: func(l *liar) []string {
		text, hash := l.invoice(nil)
		hash[0] ^= 1
		return []string{clienttest.L402Header(clienttest.Macaroon(l.t, hash), text)}
	}, reason: client.HashMismatch, words: []string{"the challenge is for payment hash", "but the invoice for"}},
	{name: "last bit of the hash", header: func(l *liar) []string {
		text, hash := l.invoice(nil)
		hash[31] ^= 1
		return []string{clienttest.L402Header(clienttest.Macaroon(l.t, hash), text)}
	}, reason: client.HashMismatch},
	{name: "bare hash of another payment", header: func(l *liar) []string {
		text, _ := l.invoice(nil)
		return []string{`LSAT macaroon="` + clienttest.Macaroon(l.t, [32]byte{9}) + `", invoice="` + text + `"`}
	}, reason: client.HashMismatch},
	{name: "body names another hash", header: func(l *liar) []string { return l.l402(nil) },
		body: func(*liar) string { return `{"payment_hash":"` + strings.Repeat("ab", 32) + `"}` }, reason: client.HashMismatch, words: []string{"the answer names payment hash abab"}},
	{name: "dearer than told", header: func(l *liar) []string { return l.l402(func(t *clienttest.Terms) { t.MilliSats = 200_000 }) },
		body: func(*liar) string { return `{"price_sats":100}` }, reason: client.AmountMismatch, words: []string{"100 sat", "200 sat"}},
	{name: "cheaper than told", header: func(l *liar) []string { return l.l402(func(t *clienttest.Terms) { t.MilliSats = 50_000 }) },
		body: func(*liar) string { return `{"amount_sats":"100"}` }, reason: client.AmountMismatch, words: []string{"100 sat", "50 sat"}},
	{name: "dearer by a millisatoshi", header: func(l *liar) []string { return l.l402(func(t *clienttest.Terms) { t.MilliSats = 100_001 }) },
		body: func(*liar) string { return `{"price_sats":100}` }, reason: client.AmountMismatch, words: []string{"100.001 sat"}},
	{name: "free by its body", header: func(l *liar) []string { return l.l402(nil) },
		body: func(*liar) string { return `{"price_sats":0}` }, reason: client.AmountMismatch, words: []string{"says 0 sat", "100 sat"}},
	{name: "a fraction dearer by its body", header: func(l *liar) []string { return l.l402(nil) },
		body: func(*liar) string { return `{"amount_sats":100.5}` }, reason: client.AmountMismatch, words: []string{"100.5 sat"}},
	{name: "a price of endless digits", header: func(l *liar) []string { return l.l402(nil) },
		body: func(*liar) string { return `{"price_sats":1e999999999}` }, reason: client.AmountMismatch},
	{name: "over the limit of a payment", header: func(l *liar) []string { return l.l402(func(t *clienttest.Terms) { t.MilliSats = 1_000_001 }) },
		reason: client.OverPayment, words: []string{"1000.001 sat", "1000 sat"}},
	{name: "a whole bitcoin", header: func(l *liar) []string { return l.l402(func(t *clienttest.Terms) { t.MilliSats = 100_000_000_000 }) },
		reason: client.OverPayment, words: []string{"100000000 sat"}},
	{name: "more than there are", header: func(l *liar) []string { return l.l402(func(t *clienttest.Terms) { t.MilliSats = 1 << 60 }) },
		reason: client.OverPayment},
	{name: "open amount", header: func(l *liar) []string { return l.l402(func(t *clienttest.Terms) { t.MilliSats = 0 }) },
		reason: client.BadInvoice, words: []string{"leaves its amount open"}},
	{name: "expired", header: func(l *liar) []string { return l.l402(func(t *clienttest.Terms) { t.Age = time.Hour }) },
		reason: client.Expired, words: []string{"the invoice expired at", "and it is"}},
	{name: "expired a second ago", header: func(l *liar) []string {
		return l.l402(func(t *clienttest.Terms) { t.Age, t.Expiry = 11*time.Second, 10*time.Second })
	}, reason: client.Expired},
	{name: "sold until yesterday", header: func(l *liar) []string {
		text, hash := l.invoice(nil)
		return []string{clienttest.L402Header(clienttest.Macaroon(l.t, hash, "shop_valid_until=1600000000"), text)}
	}, reason: client.Expired, words: []string{"valid until 2020-09-13"}},
	{name: "mainnet", header: func(l *liar) []string { return l.on("lnbc") }, reason: client.WrongNetwork, words: []string{"of mainnet", "of regtest"}},
	{name: "testnet", header: func(l *liar) []string { return l.on("lntb") }, reason: client.WrongNetwork, words: []string{"of testnet"}},
	{name: "signet", header: func(l *liar) []string { return l.on("lntbs") }, reason: client.WrongNetwork, words: []string{"of signet"}},
	{name: "simnet", header: func(l *liar) []string { return l.on("lnsb") }, reason: client.WrongNetwork, words: []string{"of simnet"}},
	{name: "invoice of letters", header: func(l *liar) []string {
		return l.replaced(func(m, _ string) string { return clienttest.L402Header(m, "lnbcrt1nothing") })
	}, reason: client.BadInvoice, words: []string{"cannot be read"}},
	{name: "not an invoice", header: func(l *liar) []string {
		return l.replaced(func(m, _ string) string { return clienttest.L402Header(m, "lno1offer") })
	}, reason: client.BadInvoice, words: []string{"not BOLT 11"}},
	{name: "an address", header: func(l *liar) []string {
		return l.replaced(func(m, _ string) string {
			return clienttest.L402Header(m, "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq")
		})
	}, reason: client.BadInvoice},
	{name: "a changed letter", header: func(l *liar) []string {
		return l.replaced(func(m, inv string) string {
			last := byte('q')
			if inv[len(inv)-1] == 'q' {
				last = 'p'
			}
			return clienttest.L402Header(m, inv[:len(inv)-1]+string(last))
		})
	}, reason: client.BadInvoice, words: []string{"cannot be read"}},
	{name: "a changed amount", header: func(l *liar) []string {
		return l.replaced(func(m, inv string) string {
			return clienttest.L402Header(m, strings.Replace(inv, "lnbcrt1u", "lnbcrt2u", 1))
		})
	}, reason: client.BadInvoice},
	{name: "half an invoice", header: func(l *liar) []string {
		return l.replaced(func(m, inv string) string { return clienttest.L402Header(m, inv[:len(inv)/2]) })
	}, reason: client.BadInvoice},
	{name: "a huge invoice", header: func(l *liar) []string {
		return l.replaced(func(m, _ string) string { return clienttest.L402Header(m, "lnbcrt1"+strings.Repeat("q", 9000)) })
	}, reason: client.BadInvoice, words: []string{"9007 characters"}},
	{name: "an invoice with a line end", header: func(l *liar) []string {
		return l.replaced(func(m, inv string) string { return clienttest.L402Header(m, inv[:20]+"\t"+inv[20:]) })
	}, reason: client.BadInvoice},
	{name: "no invoice", header: func(l *liar) []string {
		return l.replaced(func(m, _ string) string { return `L402 macaroon="` + m + `"` })
	},
		reason: client.NoChallenge, words: []string{"has no invoice"}},
	{name: "no macaroon", header: func(l *liar) []string {
		return l.replaced(func(_, inv string) string { return `L402 invoice="` + inv + `"` })
	}, reason: client.NoChallenge, words: []string{"neither a macaroon nor a token"}},
	{name: "a macaroon cut off", header: func(l *liar) []string {
		return l.replaced(func(m, inv string) string { return clienttest.L402Header(m[:40], inv) })
	}, reason: client.NoChallenge, words: []string{"cut off"}},
	{name: "a token that no credential can carry", header: func(l *liar) []string {
		return l.replaced(func(_, inv string) string { return clienttest.L402Header("not base64!", inv) })
	}, reason: client.NoChallenge, words: []string{"characters"}},
	{name: "a token in JSON for another payment", header: func(l *liar) []string {
		return l.replaced(func(_, inv string) string {
			return clienttest.L402Header(base64.StdEncoding.EncodeToString([]byte(`{"paymentHash":"`+strings.Repeat("ab", 32)+`"}`)), inv)
		})
	}, reason: client.HashMismatch},
	{name: "a huge macaroon", header: func(l *liar) []string {
		return l.replaced(func(_, inv string) string { return clienttest.L402Header(strings.Repeat("A", 12000), inv) })
	}, reason: client.NoChallenge, words: []string{"12000 characters"}},
	{name: "two invoices", header: func(l *liar) []string {
		other, _ := l.invoice(nil)
		return l.replaced(func(m, inv string) string { return clienttest.L402Header(m, inv) + `, invoice="` + other + `"` })
	}, reason: client.NoChallenge, words: []string{"read in two ways"}},
	{name: "two macaroons", header: func(l *liar) []string {
		return l.replaced(func(m, inv string) string { return clienttest.L402Header(m, inv) + `, macaroon="` + m + `"` })
	}, reason: client.NoChallenge, words: []string{"read in two ways"}},
	{name: "token and macaroon differ", header: func(l *liar) []string {
		return l.replaced(func(m, inv string) string {
			return `L402 macaroon="` + m + `", invoice="` + inv + `", token="` + clienttest.Macaroon(l.t, [32]byte{1}) + `"`
		})
	}, reason: client.NoChallenge, words: []string{"differ"}},
	{name: "version 7", header: func(l *liar) []string {
		return l.replaced(func(m, inv string) string { return `L402 version="7", macaroon="` + m + `", invoice="` + inv + `"` })
	}, reason: client.NoChallenge, words: []string{`"7"`, "version 0"}},
	{name: "nested quotes in the invoice", header: func(l *liar) []string {
		return l.replaced(func(m, inv string) string { return `L402 macaroon="` + m + `", invoice="ln"` + inv + `"` })
	}, reason: client.BadInvoice},
	{name: "escaped quotes in the macaroon", header: func(l *liar) []string {
		return l.replaced(func(m, inv string) string { return `L402 macaroon="\"` + m + `\"", invoice="` + inv + `"` })
	}, reason: client.NoChallenge},
	{name: "a quote that never closes", header: func(l *liar) []string {
		return l.replaced(func(m, inv string) string { return `L402 macaroon="` + m + `, invoice=` + inv })
	}, reason: client.NoChallenge},
	{name: "the challenge as text of another", header: func(l *liar) []string {
		return l.replaced(func(m, inv string) string {
			return `Payment id="` + strings.ReplaceAll(clienttest.L402Header(m, inv), `"`, `\"`) + `"`
		})
	}, reason: client.NoChallenge},
	{name: "charge dearer than its invoice", header: func(l *liar) []string { return l.charge(edited(`"100"`, `"500"`), "") },
		reason: client.AmountMismatch, words: []string{"500 sat", "100 sat"}},
	{name: "charge cheaper than its invoice", header: func(l *liar) []string { return l.charge(edited(`"100"`, `"1"`), "") },
		reason: client.AmountMismatch, words: []string{"says 1 sat"}},
	{name: "charge for another hash", header: func(l *liar) []string {
		return l.charge(func(inv string, hash [32]byte) string { hash[3] ^= 4; return honest(inv, hash) }, "")
	}, reason: client.HashMismatch},
	{name: "charge on another network", header: func(l *liar) []string {
		return l.charge(edited(`"methodDetails":{`, `"methodDetails":{"network":"mainnet",`), "")
	}, reason: client.WrongNetwork, words: []string{"mainnet", "regtest"}},
	{name: "charge that has expired", header: func(l *liar) []string { return l.charge(honest, `, expires="2020-01-01T00:00:00Z"`) },
		reason: client.Expired, words: []string{"2020-01-01"}},
	{name: "charge that expires never", header: func(l *liar) []string { return l.charge(honest, `, expires="tomorrow"`) },
		reason: client.NoChallenge, words: []string{"tomorrow"}},
	{name: "charge in dollars", header: func(l *liar) []string { return l.charge(edited(`"sat"`, `"usd"`), "") },
		reason: client.NoChallenge, words: []string{`"usd"`}},
	{name: "charge in bitcoin", header: func(l *liar) []string { return l.charge(edited(`"sat"`, `"BTC"`), "") },
		reason: client.NoChallenge, words: []string{`"BTC"`}},
	{name: "charge of a fraction", header: func(l *liar) []string { return l.charge(edited(`"100"`, `"100.0"`), "") }, reason: client.NoChallenge},
	{name: "charge of an exponent", header: func(l *liar) []string { return l.charge(edited(`"100"`, `"1e2"`), "") }, reason: client.NoChallenge},
	{name: "charge of less than nothing", header: func(l *liar) []string { return l.charge(edited(`"100"`, `"-100"`), "") }, reason: client.NoChallenge},
	{name: "charge of 2^64 + 100", header: func(l *liar) []string { return l.charge(edited(`"100"`, `"18446744073709551716"`), "") }, reason: client.NoChallenge},
	{name: "charge without an invoice", header: func(l *liar) []string {
		return l.charge(func(string, [32]byte) string { return `{"amount":"100","currency":"sat"}` }, "")
	}, reason: client.NoChallenge, words: []string{"no methodDetails.invoice"}},
	{name: "charge of an array", header: func(l *liar) []string { return l.charge(func(string, [32]byte) string { return `[]` }, "") },
		reason: client.NoChallenge},
	{name: "charge by card", header: func(l *liar) []string {
		return []string{strings.Replace(l.charge(honest, "")[0], "lightning", "stripe", 1)}
	}, reason: client.NoChallenge, words: []string{`"stripe"`}},
	{name: "a session", header: func(l *liar) []string {
		return []string{strings.Replace(l.charge(honest, "")[0], "charge", "session", 1)}
	}, reason: client.NoChallenge, words: []string{`"session"`}},
	{name: "a charge that wants a cookie", header: func(l *liar) []string { return l.charge(honest, `, header="Cookie"`) },
		reason: client.NoChallenge, words: []string{`"Cookie"`}},
	{name: "a charge with two requests", header: func(l *liar) []string { return l.charge(honest, `, request="e30"`) },
		reason: client.NoChallenge, words: []string{"request is repeated"}},
	{name: "a charge without an id", header: func(l *liar) []string {
		return []string{strings.Replace(l.charge(honest, "")[0], `id="x", `, "", 1)}
	}, reason: client.NoChallenge, words: []string{"id is missing"}},
	{name: "a huge request", header: func(l *liar) []string {
		return l.charge(func(string, [32]byte) string { return strings.Repeat("A", 15000) }, "")
	}, reason: client.NoChallenge},
}

// TestLies: nothing that is malformed or untrue is paid, and the refusal says what was wrong.
func TestLies(t *testing.T) {
	if len(lies) < 57 { // with the three of TestUnsafePlaces there are sixty
		t.Errorf("only %d lies", len(lies))
	}
	for _, tt := range lies {
		t.Run(tt.name, func(t *testing.T) {
			l := &liar{t: t, node: clienttest.NewNode()}
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				for _, v := range tt.header(l) {
					w.Header().Add("WWW-Authenticate", v)
				}
				if tt.body != nil {
					w.Header().Set("Content-Type", "application/problem+json")
				}
				w.WriteHeader(402)
				if tt.body != nil {
					io.WriteString(w, tt.body(l))
				}
			}))
			defer srv.Close()
			c := buyer(t, l.node, usual)
			resp, err := (&http.Client{Transport: &client.Transport{Client: c}}).Get(srv.URL)
			if err == nil {
				resp.Body.Close()
				t.Fatalf("status %d without an error", resp.StatusCode)
			}
			wantRefusal(t, err, tt.reason, append(tt.words, "not paid")...)
			wantNothingPaid(t, l.node, c)
		})
	}
}

// TestHonest: the same parts, put together honestly, are paid. Otherwise TestLies would show nothing.
func TestHonest(t *testing.T) {
	for name, header := range map[string]func(*liar) []string{
		"L402":   func(l *liar) []string { return l.l402(nil) },
		"charge": func(l *liar) []string { return l.charge(honest, "") },
		"one honest among lies": func(l *liar) []string {
			return append(l.on("lnbc"), append(l.charge(edited(`"100"`, `"5"`), ""), l.l402(nil)...)...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := &liar{t: t, node: clienttest.NewNode()}
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "" {
					return
				}
				w.Header()["Www-Authenticate"] = header(l)
				w.WriteHeader(402)
			}))
			defer srv.Close()
			resp, err := (&http.Client{Transport: &client.Transport{Client: buyer(t, l.node, usual)}}).Get(srv.URL)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if n, _, _ := l.node.Payments(); n != 1 || resp.StatusCode != 200 {
				t.Errorf("status %d after %d payments", resp.StatusCode, n)
			}
		})
	}
}

// buyer returns a client with a wallet and a budget.
func buyer(t *testing.T, node *clienttest.Node, budget client.Budget, edits ...func(*client.Config)) *client.Client {
	t.Helper()
	j, err := journal.Open(t.Context(), filepath.Join(t.TempDir(), "journal.db"))
	if err != nil {
		t.Fatal(err)
	}
	cfg := client.Config{Wallet: node, Journal: j, Budget: budget, Networks: []string{bolt11.Regtest}}
	for _, edit := range edits {
		edit(&cfg)
	}
	c, err := client.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func wantNothingPaid(t *testing.T, node *clienttest.Node, c *client.Client) {
	t.Helper()
	if n, msat, orders := node.Payments(); n != 0 || orders != 0 {
		t.Errorf("%d payments of %d msat, %d orders; want none", n, msat, orders)
	}
	if s, _, err := c.Spending(t.Context()); err != nil || s.Total != 0 {
		t.Errorf("%d msat are set aside (%v), want none", s.Total, err)
	}
}

// TestCheaperOffer: of two honest challenges the cheaper is paid, wherever it stands.
func TestCheaperOffer(t *testing.T) {
	for _, prices := range [][2]int64{{500_000, 100_000}, {100_000, 500_000}} {
		l := &liar{t: t, node: clienttest.NewNode()}
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "" {
				return
			}
			for _, price := range prices {
				w.Header().Add("WWW-Authenticate", l.l402(func(t *clienttest.Terms) { t.MilliSats = price })[0])
			}
			w.WriteHeader(http.StatusPaymentRequired)
		}))
		defer srv.Close()
		resp, err := (&http.Client{Transport: &client.Transport{Client: buyer(t, l.node, usual)}}).Get(srv.URL)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if n, msat, _ := l.node.Payments(); n != 1 || msat != 100_000 {
			t.Errorf("offered %d: %d payments of %d msat, want one of 100,000", prices, n, msat)
		}
	}
}

// TestAllowedPayees: only the hosts and nodes that are named get paid.
func TestAllowedPayees(t *testing.T) {
	l := &liar{t: t, node: clienttest.NewNode()}
	srv := httptest.NewServer(&clienttest.Seller{T: t, Payee: l.node, Price: 100, Credits: 100})
	defer srv.Close()
	text, _ := l.invoice(nil)
	inv, err := bolt11.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		hosts, payees []string
		paid          bool
	}{
		{[]string{"seller.example"}, nil, false}, {nil, []string{strings.Repeat("02", 33)}, false},
		{[]string{"127.0.0.1"}, []string{inv.Payee}, true},
	} {
		c := buyer(t, l.node, usual, func(c *client.Config) { c.Hosts, c.Payees = tt.hosts, tt.payees })
		resp, err := (&http.Client{Transport: &client.Transport{Client: c}}).Get(srv.URL)
		if !tt.paid {
			wantRefusal(t, err, client.NotAllowed)
			wantNothingPaid(t, l.node, c)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
}

// TestLeavingIsTold: a caller who leaves before the wallet was told to pay hears that nothing was paid, and that is so;
// one who leaves later hears that it was told.
func TestLeavingIsTold(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before bool
		reason client.Reason
		orders int
	}{{"before the order", true, client.CallerLeft, 0}, {"after the order", false, client.Pending, 1}} {
		t.Run(tt.name, func(t *testing.T) {
			l := &liar{t: t, node: clienttest.NewNode()}
			srv := httptest.NewServer(&clienttest.Seller{T: t, Payee: l.node, Price: 100, Credits: 100})
			defer srv.Close()
			ctx, leave := context.WithCancel(t.Context())
			left := make(chan struct{})
			goOn := func() { leave(); <-left }
			if !tt.before {
				l.node.Hooks(func(context.Context, wallet.Payment) (bool, error) { goOn(); return false, nil }, nil)
			}
			c := buyer(t, l.node, usual, func(c *client.Config) {
				if tt.before {
					c.Approve = func(context.Context, client.Quote) error { goOn(); return nil }
				}
			})
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, err = (&http.Client{Transport: &client.Transport{Client: c}}).Do(req)
			close(left)
			wantRefusal(t, err, tt.reason)
			if err := c.Close(); err != nil { // waits for a payment under way
				t.Fatal(err)
			}
			if _, _, orders := l.node.Payments(); orders != tt.orders {
				t.Errorf("%d orders, want %d", orders, tt.orders)
			}
		})
	}
}

// TestUnsafePlaces: an honest challenge is not paid where it came from is wrong.
func TestUnsafePlaces(t *testing.T) {
	l := &liar{t: t, node: clienttest.NewNode()}
	seller := &clienttest.Seller{T: t, Payee: l.node, Price: 100, Credits: 100}
	srv := httptest.NewServer(seller)
	defer srv.Close()
	to, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := buyer(t, l.node, usual)
	// The name of a machine elsewhere, which answers as the seller does.
	elsewhere := roundTripper(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.URL.Scheme, r.URL.Host = to.Scheme, to.Host
		return http.DefaultTransport.RoundTrip(r)
	})
	redirect := httptest.NewServer(http.RedirectHandler(srv.URL+"/a", http.StatusTemporaryRedirect))
	defer redirect.Close()
	for _, tt := range []struct {
		name   string
		do     func() (*http.Response, error)
		reason client.Reason
		words  []string
	}{
		{"cleartext", func() (*http.Response, error) {
			return (&http.Client{Transport: &client.Transport{Client: c, Base: elsewhere}}).Get("http://seller.example/a")
		}, client.Cleartext, []string{"http://seller.example", "https"}},
		{"redirect", func() (*http.Response, error) {
			return (&http.Client{Transport: &client.Transport{Client: c}}).Get(redirect.URL)
		}, client.Redirected, []string{redirect.URL, srv.URL}},
		{"a body that is gone", func() (*http.Response, error) {
			return (&http.Client{Transport: &client.Transport{Client: c}}).Post(srv.URL, "text/plain", io.MultiReader(strings.NewReader("once")))
		}, client.Unrepeatable, []string{"GetBody"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			resp, err := tt.do()
			if err == nil {
				resp.Body.Close()
				t.Fatalf("status %d", resp.StatusCode)
			}
			wantRefusal(t, err, tt.reason, tt.words...)
			wantNothingPaid(t, l.node, c)
		})
	}
	t.Run("https elsewhere is paid", func(t *testing.T) {
		resp, err := (&http.Client{Transport: &client.Transport{Client: c, Base: elsewhere}}).Get("https://seller.example/a")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	})
	t.Run("what was bought does not go over cleartext", func(t *testing.T) {
		spy := roundTripper(func(r *http.Request) (*http.Response, error) {
			if r.Header.Get("Authorization") != "" {
				t.Errorf("%s carries the credential", r.URL)
			}
			return elsewhere(r)
		})
		if _, err := (&http.Client{Transport: &client.Transport{Client: c, Base: spy}}).Get("http://seller.example/a"); err == nil {
			t.Error("served over cleartext")
		}
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestOtherStatuses: only 402 is paid, whatever the headers say.
func TestOtherStatuses(t *testing.T) {
	l := &liar{t: t, node: clienttest.NewNode()}
	c := buyer(t, l.node, usual)
	for _, status := range []int{200, 201, 204, 400, 401, 403, 404, 407, 409, 410, 429, 500, 502, 503} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Www-Authenticate"] = l.l402(nil)
			w.WriteHeader(status)
		}))
		resp, err := (&http.Client{Transport: &client.Transport{Client: c}}).Get(srv.URL)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		srv.Close()
		if resp.StatusCode != status {
			t.Errorf("status %d, want %d", resp.StatusCode, status)
		}
	}
	wantNothingPaid(t, l.node, c)
}

// TestUnknownScheme: a 402 of another kind is the caller's, body and all.
func TestUnknownScheme(t *testing.T) {
	l := &liar{t: t, node: clienttest.NewNode()}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("PAYMENT-REQUIRED", "e30=")
		w.WriteHeader(402)
		io.WriteString(w, strings.Repeat("x402 ", 30_000))
	}))
	defer srv.Close()
	resp, err := (&http.Client{Transport: &client.Transport{Client: buyer(t, l.node, usual)}}).Get(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || len(body) != 150_000 || resp.StatusCode != 402 {
		t.Errorf("status %d, %d bytes (%v)", resp.StatusCode, len(body), err)
	}
}

// TestNeverTwice: a seller who takes a payment and asks for another gets none.
func TestNeverTwice(t *testing.T) {
	m := newMarket(t, func(_ *client.Config, s *clienttest.Seller) { s.Refuse = func(*http.Request) bool { return true } })
	for range 3 {
		_, _, err := m.get("/a")
		wantRefusal(t, err, client.NotAccepted)
	}
	m.reopen()
	_, _, err := m.get("/a")
	wantRefusal(t, err, client.NotAccepted)
	m.wantPayments(1)
}

// TestSameInvoice: a seller who asks for the same payment again is not paid again.
func TestSameInvoice(t *testing.T) {
	m := newMarket(t)
	invoice, hash := m.node.Invoice(t, clienttest.Terms{MilliSats: 100_000})
	m.seller.Credits = 0
	m.seller.Edit = func(h http.Header) {
		h.Set("WWW-Authenticate", clienttest.L402Header(clienttest.Macaroon(t, hash), invoice))
	}
	_, _, err := m.get("/a")
	wantRefusal(t, err, client.NotAccepted)
	_, _, err = m.get("/b")
	wantRefusal(t, err, client.AlreadyPaid, bolt(hash))
	if errors.Is(err, journal.ErrUnknown) {
		t.Error("the journal's own error is shown")
	}
	m.wantPayments(1)
}

func bolt(hash [32]byte) string { return fmt.Sprintf("%x", hash) }
