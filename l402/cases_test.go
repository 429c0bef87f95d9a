package l402_test

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"
	"go.almanac.example/l402/mpp"
)

// A paidCase is a case of docs/cases.md, or one that goes beyond them, as both schemes have it.
type paidCase struct {
	name string // ends with the number of its case there, if it is one
	run  func(x *caseRun)
	// not says why the case does not apply, to both schemes or to Payment alone.
	not, notPayment string
}

// TestCasesInBothSchemes runs every case of docs/cases.md, and more, once with credentials of L402 and once with
// those of the scheme Payment: what a case says of one holds for the other, or there is a reason why it cannot.
func TestCasesInBothSchemes(t *testing.T) {
	cases := append(readingCases(), append(countingCases(), faultCases()...)...)
	wantAllCases(t, cases)
	for _, c := range cases {
		for _, scheme := range []string{"L402", "Payment"} {
			t.Run(c.name+"/"+scheme, func(t *testing.T) {
				switch {
				case c.not != "":
					t.Log("does not apply: " + c.not)
				case scheme == "Payment" && c.notPayment != "":
					t.Log("does not apply to Payment: " + c.notPayment)
				default:
					c.run(&caseRun{T: t, shop: openShop(t, bothSchemes), payment: scheme == "Payment"})
				}
			})
		}
	}
}

// wantAllCases compares the table with docs/cases.md.
func wantAllCases(t *testing.T, cases []paidCase) {
	t.Helper()
	contract, err := os.ReadFile("../docs/cases.md")
	if err != nil {
		t.Fatal(err)
	}
	ours := make(map[string]int)
	for _, c := range cases {
		number := c.name[strings.LastIndex(c.name, " ")+1:]
		ours[number]++
		if (c.run == nil) != (c.not != "") || c.not != "" && c.notPayment != "" || strings.HasPrefix(number, "C") && ours[number] > 1 {
			t.Errorf("%s must stand here once, and be run or have a reason", c.name)
		}
	}
	rows := regexp.MustCompile(`(?m)^- \*\*(C\d+)\*\* `).FindAllStringSubmatch(string(contract), -1)
	if len(rows) < 58 {
		t.Fatalf("docs/cases.md has %d cases", len(rows))
	}
	for _, row := range rows {
		if ours[row[1]] == 0 {
			t.Errorf("%s is not in the table", row[1])
		}
	}
}

// A caseRun is one case in one scheme.
type caseRun struct {
	*testing.T
	*shop
	payment bool // the scheme is Payment
}

// A ticket is what was bought, in one scheme.
type ticket struct {
	bought
	c       mpp.Challenge
	payment bool
}

// header returns the value of Authorization.
func (k ticket) header() string {
	if k.payment {
		return credentialOf(k.c, k.preimage.String())
	}
	return k.bought.header()
}

// value returns the credential without its scheme.
func (k ticket) value() string {
	_, value, _ := strings.Cut(k.header(), " ")
	return value
}

// with returns the header with another preimage.
func (k ticket) with(preimage string) string {
	if k.payment {
		return credentialOf(k.c, preimage)
	}
	return bearer(std(k.raw), preimage)
}

// other returns the header of the same payment in the other scheme.
func (k ticket) other() string {
	k.payment = !k.payment
	return k.header()
}

// altered returns headers in which one thing that is signed was changed.
func (k ticket) altered() []string {
	if !k.payment {
		m := k.macaroon()
		m.AddFirstPartyCaveat([]byte("x=y"))
		raw, _ := m.MarshalBinary()
		raw[len(raw)-1] ^= 1
		changed := []byte(string(k.raw))
		changed[len(changed)-1] ^= 1
		return []string{bearer(std(raw), k.preimage.String()), bearer(std(changed), k.preimage.String())}
	}
	var headers []string
	for _, edit := range []func(c *mpp.Challenge){
		func(c *mpp.Challenge) { c.ID = "A" + c.ID[1:] + "A" }, func(c *mpp.Challenge) { c.Expires = "2036-12-01T12:00:00Z" }, func(c *mpp.Challenge) { c.Intent = "session" },
		func(c *mpp.Challenge) { c.Realm = "x" }, func(c *mpp.Challenge) { c.Method = "tempo" },
		func(c *mpp.Challenge) {
			text, _ := challenge.Decode(c.Request)
			c.Request = challenge.Encode(strings.Replace(text, `"100:`, `"900:`, 1))
		},
	} {
		c := k.c
		edit(&c)
		headers = append(headers, credentialOf(c, k.preimage.String()))
	}
	return headers
}

// ask sends a request as a client of the scheme does.
func (x *caseRun) ask(method, path string, authorization ...string) *answer {
	x.Helper()
	r, err := http.NewRequest(method, x.server.URL+path, nil)
	if err != nil {
		x.Fatal(err)
	}
	if x.payment {
		r.Header.Set("Accept-Payment", "lightning/charge")
	}
	r.Header["Authorization"] = authorization
	return x.send(r)
}

func (x *caseRun) search(authorization ...string) *answer {
	x.Helper()
	return x.ask("GET", "/v1/search?q=x402", authorization...)
}

// buy buys in the scheme.
func (x *caseRun) buy() ticket { x.Helper(); return x.buyAt(x.search()) }

// buyAt pays the challenge of an answer.
func (x *caseRun) buyAt(a *answer) ticket {
	x.Helper()
	x.refused(a, problem.PaymentRequired)
	values := a.Header.Values("WWW-Authenticate")
	header := values[1]
	if x.payment {
		header = values[0]
	}
	return ticket{x.pay(a.problem.Macaroon, a.problem.Invoice), paymentOf(x.T, header), x.payment}
}

// refused wants a whole challenge in both schemes, that of the client first, and that nothing was served.
func (x *caseRun) refused(a *answer, code problem.Code) {
	x.Helper()
	served := x.served.Load()
	values := a.Header.Values("WWW-Authenticate")
	if a.StatusCode != 402 || a.problem.Code != code || len(values) != 2 || a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("Payment-Receipt") != "" {
		x.Fatalf("%d %s %q, want 402 %s with two challenges: %s", a.StatusCode, a.problem.Code, values, code, a.body)
	}
	first := map[bool]string{true: "Payment ", false: "L402 "}[x.payment]
	if !strings.HasPrefix(values[0], first) || a.problem.Invoice == "" || a.problem.Detail == "" {
		x.Fatalf("%q, want %s first: %s", values, first, a.body)
	}
	if (a.problem.Type == problemBase(code)) == x.payment {
		x.Fatalf("type %s", a.problem.Type)
	}
	if x.served.Load() != served {
		x.Fatal("served unpaid")
	}
}

// paid wants an answer, the balance, and a receipt if the scheme has them.
func (x *caseRun) paid(a *answer, left int) {
	x.Helper()
	x.wantServed(a, left)
	if (a.Header.Get("Payment-Receipt") != "") != x.payment {
		x.Fatalf("receipt %q", a.Header.Get("Payment-Receipt"))
	}
}

// keys returns a key file of lines.
func (x *caseRun) parseKeys(lines ...string) l402.Keys {
	x.Helper()
	k, err := l402.ParseKeys(strings.Join(lines, "\n") + "\n")
	if err != nil {
		x.Fatal(err)
	}
	return k
}
