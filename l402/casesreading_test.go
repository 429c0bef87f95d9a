package l402_test

import (
	"bufio"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"
	"go.almanac.example/l402/mpp"

	"github.com/lightningnetwork/lnd/lntypes"
	"gopkg.in/macaroon.v2"
)

// readingCases are C1 to C32: reading a credential, verifying it, and proving the payment.
func readingCases() []paidCase {
	return []paidCase{
		{name: "no credential gets a challenge, C1", run: func(x *caseRun) {
			for _, path := range []string{"/v1/search?q=x402", "/v1/search"} {
				x.refused(x.ask("GET", path), problem.PaymentRequired)
				a := x.ask("GET", path, "")
				if x.refused(a, problem.PaymentRequired); strings.Contains(a.problem.Detail, "Authorization has") {
					x.Errorf("an empty header is no header: %s", a.body)
				}
			}
		}},
		{name: "other schemes are ignored, C2", run: func(x *caseRun) {
			b := x.buy()
			for _, v := range []string{"Basic dTpw", "Bearer abc:def", "L4022 a:b", "L40", "LSAT2 a:b", "Payments e30", "Payment2 e30", "x", b.value()} {
				a := x.search(v)
				if x.refused(a, problem.PaymentRequired); !strings.Contains(a.problem.Detail, "no credential of the scheme L402, or Payment") {
					x.Errorf("%s: %s", v, a.problem.Detail)
				}
			}
			for _, name := range []string{"PAYMENT-SIGNATURE", "X-PAYMENT", "X-Cashu", "Payment-Authorization"} {
				r, err := http.NewRequest("GET", x.server.URL+"/v1/search?q=a", nil)
				if err != nil {
					x.Fatal(err)
				}
				r.Header.Set(name, "e30=")
				a := x.send(r)
				if a.StatusCode != 402 || a.problem.Code != problem.PaymentRequired || !strings.Contains(a.problem.Detail, "took nothing") {
					x.Errorf("%s: %d %s", name, a.StatusCode, a.problem.Detail)
				}
			}
			x.paid(x.search("Basic dTpw", b.header()), 99)
		}},
		{name: "the scheme has several spellings, C3", run: func(x *caseRun) {
			b := x.buy()
			for i, scheme := range map[bool][]string{true: {"payment ", "PAYMENT ", "Payment   ", "Payment\t", "Payment \t "}, false: {"l402 ", "LSAT ", "L402   ", "L402\t", "lsat \t "}}[x.payment] {
				x.paid(x.search(scheme+b.value()), 99-i)
			}
		}},
		{name: "a malformed credential is named so, C4", run: func(x *caseRun) {
			b := x.buy()
			mac, pre := std(b.raw), b.preimage.String()
			bad := []string{"L402", "L402 ", "L402 :", "L402 " + mac, "L402 " + mac + ":", "L402 :" + pre, "L402 " + mac + "::" + pre, "L402 " + mac + ":" + pre + ":",
				"L402 " + mac + " " + pre, "L402 " + mac + " :" + pre, "L402 " + mac + ": " + pre, "L402 token=" + mac + ":" + pre}
			if x.payment {
				bad = []string{"Payment", "Payment " + b.preimage.String(), "Payment " + b.value() + "." + b.value(), "Payment " + b.value()[4:], "Payment " + b.value() + ", x=y"}
			}
			for _, v := range bad {
				x.refused(x.search(v), problem.CredentialMalformed)
			}
			x.wantUsed(b.bought, 0)
		}},
		{name: "a preimage has 64 digits, C5", run: func(x *caseRun) {
			b := x.buy()
			p := b.preimage.String()
			for _, wrong := range []string{"", p[2:], p[:63], p + "0", p + "00", p + p, "zz" + p[2:], p[:63] + "\x80", " " + p, "0x" + p[2:], "0x" + p} {
				x.refused(x.search(b.with(wrong)), problem.CredentialMalformed)
			}
			if x.payment { // whose draft knows small letters only
				x.refused(x.search(b.with(strings.Repeat("A", 64))), problem.CredentialMalformed)
				return
			}
			if err := l402.Verify(x.shop.keys, b.header()+" "); err == nil { // which HTTP takes off, and MCP does not
				x.Error("a trailing space was accepted")
			}
			x.paid(x.search(b.with(strings.ToUpper(p))), 99)
		}},
		{name: "both base64 alphabets, C6", run: casesOfBase64},
		{name: "hexadecimal and gRPC headers, C7", run: func(x *caseRun) {
			b := x.buy()
			form := "L402 " + hex.EncodeToString(b.raw) + ":" + b.preimage.String() // of gRPC
			if x.payment {
				text, _ := challenge.Decode(b.value())
				form = "Payment " + text // of MCP
			}
			x.refused(x.search(form), problem.CredentialMalformed)
			for _, name := range []string{"Macaroon", "Grpc-Metadata-Macaroon", "Token"} {
				r, err := http.NewRequest("GET", x.server.URL+"/v1/search?q=a", nil)
				if err != nil {
					x.Fatal(err)
				}
				r.Header.Set(name, hex.EncodeToString(b.narrowed("preimage="+b.preimage.String()).raw))
				if a := x.send(r); a.StatusCode != 402 || a.problem.Code != problem.PaymentRequired {
					x.Errorf("%s: %d %s", name, a.StatusCode, a.problem.Code)
				}
			}
		}},
		{name: "two Authorization lines, C8", run: func(x *caseRun) {
			b, c := x.buy(), x.buy()
			x.paid(x.search(b.header(), b.header()), 99)
			x.paid(x.search(b.header()+","+b.header()), 98) // as Envoy and others join them
			x.paid(x.search("Basic dTpw, "+b.header()), 97)
			x.refused(x.search(b.header(), c.header()), problem.AmbiguousCredential)
			x.refused(x.search(b.header()+", "+c.header()), problem.AmbiguousCredential)
			x.wantUsed(c.bought, 0)
			if !x.payment {
				x.paid(x.search("LSAT "+b.value(), b.header()), 96) // as aperture forwards
				x.refused(x.search(b.header(), b.narrowed("almanac_credits=1").header()), problem.AmbiguousCredential)
				x.refused(x.search(b.header(), "L402 nonsense"), problem.CredentialMalformed)
				x.refused(x.search(b.header(), b.header(), b.header(), b.header(), b.header()), problem.CredentialMalformed)
			}
		}},
		{name: "an oversize header, C9", run: func(x *caseRun) {
			long := []string{"L402 " + strings.Repeat("A", 9<<10), x.buy().header() + strings.Repeat("0", 9<<10), "L402 " + strings.Repeat(",", 9<<10) + ":"}
			if x.payment {
				long = []string{"Payment " + strings.Repeat("A", 9<<10)}
			}
			for _, v := range long {
				if x.refused(x.search(v), problem.CredentialMalformed); strings.Contains(x.log.String(), "AAAA") {
					x.Error("the header is in the log")
				}
			}
		}},
		{name: "too many macaroons, C10", notPayment: "a credential has one challenge", run: func(x *caseRun) {
			b := x.buy()
			mac := std(b.raw)
			for _, before := range []string{strings.Repeat(mac+",", 8), strings.Repeat("AA,", 100), strings.Repeat(",", 1000), mac + ",,", ","} {
				x.refused(x.search("L402 "+before+b.value()), problem.CredentialMalformed)
			}
			x.refused(x.search(bearer(mac+",", b.preimage.String())), problem.CredentialMalformed)
			x.paid(x.search("L402 "+strings.Repeat(mac+",", 7)+b.value()), 99)
		}},
		{name: "too many caveats, C11", notPayment: "it has no caveats; C9 bounds its length", run: func(x *caseRun) {
			b := x.buy()
			x.paid(x.search(b.narrowed(slices.Repeat([]string{"a=b"}, 28)...).header()), 99) // 32 with ours
			x.refused(x.search(b.narrowed(slices.Repeat([]string{"a=b"}, 29)...).header()), problem.CredentialMalformed)
			x.refused(x.search(b.narrowed("a="+strings.Repeat("b", 4<<10)).header()), problem.CredentialMalformed)
		}},
		{name: "control characters, C12", run: func(x *caseRun) {
			b := x.buy()
			conn, err := net.Dial("tcp", x.server.Listener.Addr().String())
			if err != nil {
				x.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "GET /v1/search?q=a HTTP/1.1\r\nHost: x\r\nAuthorization: %s\x00\r\n\r\n", b.header())
			if resp, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || resp.StatusCode != 400 {
				x.Errorf("%v, %v; want 400", resp, err)
			}
			for _, v := range []string{"\u00e9", "\x7f", "\xff\xfe"} {
				if err := l402.Verify(x.shop.keys, b.header()+v); err == nil {
					x.Errorf("%q was accepted", v)
				}
			}
			x.refused(x.search(b.header()+"\u00e9"), problem.CredentialMalformed)
		}},
		{name: "not a macaroon of version 2, C13", run: func(x *caseRun) {
			b := x.buy()
			if !x.payment {
				v1, err := macaroon.New(make([]byte, 32), []byte("id"), "", macaroon.V1)
				if err != nil {
					x.Fatal(err)
				}
				v1raw, _ := v1.MarshalBinary()
				asJSON, _ := b.macaroon().MarshalJSON()
				bad := [][]byte{[]byte("\x02garbage"), {0}, {3, 1, 2}, v1raw, asJSON, []byte("macaroon"), nil}
				for n := 1; n < len(b.raw); n += 7 {
					bad = append(bad, b.raw[:n])
				}
				for _, raw := range bad {
					x.refused(x.search(bearer(std(raw), b.preimage.String())), problem.CredentialMalformed)
				}
				return
			}
			text, _ := challenge.Decode(b.value())
			for _, doc := range []string{"garbage", text[:len(text)/2], "[]", "null", `"x"`, "{}", `{"challenge":{}}`, `{"payload":{}}`, text + text} {
				x.refused(x.search("Payment "+challenge.Encode(doc)), problem.CredentialMalformed)
			}
		}},
		{name: "another signature, C14", run: func(x *caseRun) {
			b := x.buy()
			for _, v := range b.altered() {
				x.refused(x.search(v), problem.CredentialInvalid)
			}
			b.c.Description = "changed" // which the id does not cover
			x.paid(x.search(b.header()), 99)
		}},
		{name: "an unknown key, C15", run: caseOfKeys},
		{name: "another identifier, C16", run: func(x *caseRun) {
			b := x.buy()
			if x.payment {
				for _, id := range []string{"", "x", b.c.ID[1:], b.c.ID + "A", strings.ToLower(b.c.ID)} {
					c := b.c
					c.ID = id
					x.refused(x.search(credentialOf(c, b.preimage.String())), problem.CredentialInvalid)
				}
				return
			}
			x.refused(x.search(x.sign(func(h lntypes.Hash) []byte { return goodID(h)[:65] }, ours()...).header()), problem.CredentialInvalid)
		}},
		{name: "encodings share an account, C17", run: caseOfSpellings},
		{name: "third-party caveats, C18", notPayment: "it has no caveats", run: func(x *caseRun) {
			b := x.buy()
			m := b.macaroon()
			if err := m.AddThirdPartyCaveat([]byte("secret"), []byte("ask"), "https://other.test"); err != nil {
				x.Fatal(err)
			}
			x.refused(x.search(b.bought.with(m).header()), problem.CredentialInvalid)
		}},
		{name: "appended caveats only narrow, C19", notPayment: "it has no caveats: nobody can pass on a weaker copy", run: func(x *caseRun) {
			b := x.buy()
			x.refused(x.search(b.narrowed("almanac_credits=0").header()), problem.CreditsExhausted)
			x.refused(x.search(b.narrowed("almanac_credits=101").header()), problem.CredentialInvalid)
			x.paid(x.search(b.narrowed("color=blue").header()), 99)
		}},
		{name: "our caveats are required, C20", run: func(x *caseRun) {
			if !x.payment {
				x.refused(x.search(x.sign(goodID, ours()[1:]...).header()), problem.CredentialInvalid)
				return
			}
			b := x.buy()
			text, _ := challenge.Decode(b.c.Request)
			for _, member := range []string{`"externalId"`, `"methodDetails"`, `"amount"`, `"paymentHash"`} {
				c := b.c
				c.Request = challenge.Encode(strings.Replace(text, member, `"x"`, 1))
				x.refused(x.search(credentialOf(c, b.preimage.String())), problem.CredentialInvalid)
			}
		}},
		{name: "a narrowed copy beside its parent, C21", notPayment: "it has no caveats: nobody can pass on a weaker copy", run: func(x *caseRun) {
			b := x.buy()
			child := b.narrowed("almanac_credits=2")
			x.paid(x.search(child.header()), 1)
			x.paid(x.search(b.header()), 98)
			x.refused(x.search(child.header()), problem.CreditsExhausted)
			x.refused(x.search(b.narrowed("almanac_valid_until=5").header()), problem.CredentialExpired)
			x.refused(x.search(b.narrowed("services=x:0").header()), problem.CredentialInvalid)
			x.paid(x.search(b.header()), 97)
		}},
		{name: "another service's macaroon, C22", run: func(x *caseRun) {
			other := &caseRun{T: x.T, shop: openShop(x.T, bothSchemes), payment: x.payment}
			foreign := other.buy()
			x.refused(x.search(foreign.header()), problem.CredentialInvalid)
			if !x.payment { // one that shared our key by mistake still names itself
				x.refused(x.search(x.sign(goodID, append([]string{"services=almanac-staging:0"}, ours()[1:]...)...).header()), problem.CredentialInvalid)
			}
		}},
		{name: "several macaroons are one debit, C23", notPayment: "a credential has one challenge", run: func(x *caseRun) {
			b, c := x.buy(), x.buy()
			x.paid(x.search("L402 "+std(c.raw)+","+b.value()), 99)
			x.wantUsed(c.bought, 0)
		}},
		{name: "another invoice's preimage, C24", run: func(x *caseRun) {
			b, c := x.buy(), x.buy()
			tip, err := x.node.Node.AddInvoice(x.Context(), l402.InvoiceRequest{AmountSats: 1, Memo: "a tip", Expiry: time.Hour})
			if err != nil {
				x.Fatal(err)
			}
			tipped, err := x.node.Pay(tip.PaymentRequest)
			if err != nil {
				x.Fatal(err)
			}
			for _, wrong := range []string{c.preimage.String(), tipped.String(), b.hash.String(), lntypes.Preimage{}.String()} {
				x.refused(x.search(b.with(wrong)), problem.PaymentUnproven)
			}
			x.wantUsed(b.bought, 0)
			x.wantUsed(c.bought, 0)
		}},
		{name: "half a credential, C25", run: func(x *caseRun) {
			b := x.buy()
			half := []string{"L402 " + b.preimage.String(), "L402 " + std(b.raw), "L402 " + b.hash.String() + ":" + b.preimage.String()}
			if x.payment {
				half = []string{"Payment " + challenge.Encode(`{"payload":{"preimage":"`+b.preimage.String()+`"}}`), "Payment " + challenge.Encode(`{"challenge":{"id":"`+b.c.ID+`"}}`)}
			}
			for _, v := range half {
				x.refused(x.search(v), problem.CredentialMalformed)
			}
		}},
		{name: "the node is not asked about invoices, C26", run: caseOfAbsentNode},
		{name: "a first use needs no node, C27", run: caseOfAbsentNode},
		{name: "the price of the invoice, C28", run: func(x *caseRun) {
			a := x.search()
			k := x.buyAt(a)
			request, err := mpp.ReadObject(k.c.Request)
			if err != nil || request["amount"] != fmt.Sprint(a.problem.PriceSats) || !strings.HasPrefix(request["externalId"].(string), fmt.Sprint(a.problem.Credits)+":") {
				x.Errorf("%v, %v; the body says %s", request, err, a.body)
			}
			x.paid(x.search(k.header()), a.problem.Credits-1)
		}},
		{name: "paid in the last second, C29", run: func(x *caseRun) {
			a := x.search()
			x.clock.Step(l402.InvoiceExpiry - 1e9)
			k := x.buyAt(a)
			x.clock.Step(30 * 24 * 3600 * 1e9)
			x.paid(x.search(k.header()), 99)
			x.clock.Step(2e9)
			x.refused(x.search(k.header()), problem.CredentialExpired)
			if _, err := x.node.Pay(a.problem.Invoice); problem.FromError(err).Code != problem.InvoiceExpired {
				x.Errorf("paying an expired invoice: %v", err)
			}
		}},
		{name: "two buyers share a challenge, C30", run: func(x *caseRun) {
			a := x.search()
			one, two := x.buyAt(a), x.buyAt(a)
			x.paid(x.search(one.header()), 99)
			x.paid(x.search(two.header()), 98)
		}},
		{name: "a challenge leaves no account, C31", run: caseOfNoAccounts},
		{name: "the invoice is checked, C32", run: func(x *caseRun) {
			for _, text := range []string{"", "lnbc1\"", "lnbc1\r\nX: y", "LNBC1", "lnbc1 x"} {
				x.node.edit = func(i *l402.Invoice) { i.PaymentRequest = text }
				x.wantRefusal(x.search(), 503, problem.NodeUnavailable)
			}
		}},
	}
}

func casesOfBase64(x *caseRun) {
	b := x.buy()
	if x.payment {
		v := b.value()
		x.paid(x.search("Payment "+v+strings.Repeat("=", (4-len(v)%4)%4)), 99)
		for _, bad := range []string{v + "+", v + "/", v + "!", v[:9] + " " + v[9:], v + "====", "_" + v[1:]} {
			x.refused(x.search("Payment "+bad), problem.CredentialMalformed)
		}
		return
	}
	for _, more := range []string{"x=1", "x=12", "x=123"} { // of three lengths, so that every padding occurs
		b := x.buy().narrowed(more)
		pre := b.preimage.String()
		for used, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
			x.paid(x.search(bearer(enc.EncodeToString(b.raw), pre)), 99-used)
		}
		text := std(b.raw)
		bad := []string{text[:8] + " " + text[8:], text[:8] + "*" + text[9:], text + "=", "=" + text, text[:8] + "=" + text[9:], text[:len(text)-5]}
		if pad := strings.Count(text, "="); pad > 0 { // the last digit has bits to spare
			const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
			i := len(text) - pad - 1
			bad = append(bad, text[:i]+string(digits[strings.IndexByte(digits, text[i])|1])+text[i+1:])
		}
		for _, v := range bad {
			x.refused(x.search(bearer(v, pre)), problem.CredentialMalformed)
		}
		for _, v := range []string{text[:8] + "\n" + text[8:], text[:8] + "\r\n" + text[8:], text + "\n"} { // no header can bring these
			if err := l402.Verify(x.shop.keys, bearer(v, pre)); err == nil {
				x.Errorf("%q was accepted", v)
			}
		}
		x.wantUsed(b, 4)
	}
}

// caseOfKeys adds a key and removes the old one.
func caseOfKeys(x *caseRun) {
	old, fresh := strings.Repeat("5a", 32), strings.Repeat("6b", 32)
	set := func(lines ...string) {
		x.Helper()
		if err := x.paywall.SetKeys(x.Context(), x.parseKeys(lines...)); err != nil {
			x.Fatal(err)
		}
	}
	x.shop = openShop(x.T, bothSchemes, func(c *l402.Config) { c.Keys = x.parseKeys(old) })
	b := x.buy()
	set(fresh, old)
	x.paid(x.search(b.header()), 99)
	c := x.buy()
	set(fresh)
	x.refused(x.search(b.header()), problem.CredentialInvalid)
	x.paid(x.search(c.header()), 99)
}

// caseOfSpellings spells one credential in many ways: they share one account, and with the other scheme.
func caseOfSpellings(x *caseRun) {
	b := x.buy()
	same := []string{b.header(), b.other(), bearer(std(b.raw)+","+std(b.raw), b.preimage.String()), b.narrowed("a=b").header()}
	if x.payment {
		text, _ := challenge.Decode(b.value())
		same = []string{
			b.header(), b.other(), "Payment " + challenge.Encode(" "+text), "Payment " + challenge.Encode(strings.Replace(text, `{"challenge"`, `{"source":"did:key:x","challenge"`, 1)),
			"Payment " + challenge.Encode(strings.Replace(text, `"id"`, `"unknown":1,"id"`, 1)),
		}
	}
	for i, v := range same {
		x.wantServed(x.search(v), 99-i)
	}
	x.wantUsed(b.bought, len(same))
}

// caseOfAbsentNode uses a credential for the first time while the node is away: nothing is asked of it.
func caseOfAbsentNode(x *caseRun) {
	b := x.buy()
	x.node.breakDown(l402.ErrNodeUnavailable)
	calls := x.node.calls.Load()
	x.paid(x.search(b.header()), 99)
	if x.node.calls.Load() != calls {
		x.Error("the node was asked")
	}
}

// caseOfNoAccounts: a challenge leaves nothing in the ledger, so that one that reaches a buyer can always be used.
func caseOfNoAccounts(x *caseRun) {
	a := x.search()
	for range 5 {
		x.refused(x.search(), problem.PaymentRequired)
	}
	if accounts, err := x.ledger.Accounts(x.Context()); err != nil || len(accounts) != 0 {
		x.Errorf("%d accounts, %v; want none", len(accounts), err)
	}
	x.paid(x.search(x.buyAt(a).header()), 99)
}
