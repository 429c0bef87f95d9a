package l402_test

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"strings"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"
	"go.almanac.example/l402/mpp"

	"github.com/lightningnetwork/lnd/lntypes"
)

// readingCases are C1 to C32: reading a credential, verifying it, and proving the payment.
func readingCases() []paidCase {
	return []paidCase{
		{name: "no credential gets a challenge, C1", run: func(x *caseRun) {
			for _, path := range []string{"/v1/search?q=x402", "/v1/search"} {
				x.refused(x.ask("GET", path), problem.PaymentRequired)
				x.refused(x.ask("GET", path, ""), problem.PaymentRequired)
			}
		}},
		{name: "other schemes are ignored, C2", run: func(x *caseRun) {
			for _, v := range []string{"Basic dTpw", "Bearer x", "L4022 a:b", "Payments e30", "Payment2 e30", "x"} {
				x.refused(x.search(v), problem.PaymentRequired)
			}
			x.paid(x.search("Basic dTpw", x.buy().header()), 99)
		}},
		{name: "the scheme has several spellings, C3", run: func(x *caseRun) {
			b := x.buy()
			for i, scheme := range map[bool][]string{true: {"payment ", "PAYMENT ", "Payment   ", "Payment\t", "Payment \t "}, false: {"l402 ", "LSAT ", "L402   ", "L402\t", "lsat \t "}}[x.payment] {
				x.paid(x.search(scheme+b.value()), 99-i)
			}
		}},
		{name: "a malformed credential is named so, C4", run: func(x *caseRun) {
			b := x.buy()
			bad := []string{"L402 " + std(b.raw), "L402 " + b.value() + ":", "L402 :" + b.preimage.String(), "L402 " + std(b.raw) + ":", "L402 " + std(b.raw) + " : " + b.preimage.String()}
			if x.payment {
				bad = []string{"Payment", "Payment " + b.preimage.String(), "Payment " + b.value() + "." + b.value(), "Payment " + b.value()[4:], "Payment " + b.value() + ", x=y"}
			}
			for _, v := range bad {
				x.refused(x.search(v), problem.CredentialMalformed)
			}
		}},
		{name: "a preimage has 64 digits, C5", run: func(x *caseRun) {
			b := x.buy()
			p := b.preimage.String()
			for _, wrong := range []string{"", p[2:], p + "00", "zz" + p[2:], " " + p, "0x" + p[2:]} {
				x.refused(x.search(b.with(wrong)), problem.CredentialMalformed)
			}
			if x.payment { // whose draft knows small letters only
				x.refused(x.search(b.with(strings.Repeat("A", 64))), problem.CredentialMalformed)
				return
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
		}},
		{name: "two Authorization lines, C8", run: func(x *caseRun) {
			b, c := x.buy(), x.buy()
			x.paid(x.search(b.header(), b.header()), 99)
			x.refused(x.search(b.header(), c.header()), problem.AmbiguousCredential)
			x.wantUsed(c.bought, 0)
		}},
		{name: "an oversize header, C9", run: func(x *caseRun) {
			a := x.search(map[bool]string{true: "Payment ", false: "L402 "}[x.payment] + strings.Repeat("A", 9<<10))
			if x.refused(a, problem.CredentialMalformed); strings.Contains(x.log.String(), "AAAA") {
				x.Error("the header is in the log")
			}
		}},
		{name: "too many macaroons, C10", notPayment: "a credential has one challenge", run: func(x *caseRun) {
			b := x.buy()
			x.refused(x.search("L402 "+strings.Repeat(std(b.raw)+",", 8)+b.value()), problem.CredentialMalformed)
		}},
		{name: "too many caveats, C11", notPayment: "it has no caveats; C9 bounds its length", run: func(x *caseRun) {
			x.refused(x.search(x.buy().narrowed(strings.Split(strings.Repeat("a=b,", 32), ",")...).header()), problem.CredentialMalformed)
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
			x.refused(x.search(b.header()+"\u00e9"), problem.CredentialMalformed)
		}},
		{name: "not a macaroon of version 2, C13", run: func(x *caseRun) {
			b := x.buy()
			if !x.payment {
				for _, raw := range [][]byte{[]byte("garbage"), b.raw[:len(b.raw)/2], []byte(`{"v":2}`), nil} {
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
			for _, wrong := range []string{c.preimage.String(), b.hash.String(), lntypes.Preimage{}.String()} {
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
		}},
		{name: "two buyers share a challenge, C30", run: func(x *caseRun) {
			a := x.search()
			one, two := x.buyAt(a), x.buyAt(a)
			x.paid(x.search(one.header()), 99)
			x.paid(x.search(two.header()), 98)
		}},
		{name: "a challenge leaves no account, C31", run: caseOfNoAccounts},
		{name: "the invoice is checked, C32", run: func(x *caseRun) {
			for _, text := range []string{"", "lnbc1\"", "lnbc1\r\nX: y", "LNBC1"} {
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
	plain := strings.TrimRight(std(b.raw), "=")
	x.paid(x.search(bearer(plain, b.preimage.String())), 99)
	x.paid(x.search(bearer(strings.NewReplacer("+", "-", "/", "_").Replace(plain), b.preimage.String())), 98)
	x.refused(x.search(bearer(plain+"!", b.preimage.String())), problem.CredentialMalformed)
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
	if accounts, err := x.ledger.Accounts(x.Context(), lntypes.Hash{}, 10); err != nil || len(accounts) != 0 {
		x.Errorf("%d accounts, %v; want none", len(accounts), err)
	}
	x.paid(x.search(x.buyAt(a).header()), 99)
}
