package explain_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"gopkg.in/macaroon.v2"

	"go.almanac.example/http402/bech32"
	"go.almanac.example/http402/challenge"
	"go.almanac.example/http402/client/clienttest"
	"go.almanac.example/http402/explain"
	"go.almanac.example/http402/shape"
)

var now = time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)

// A way is a request of a method and an intent with the members that its draft requires, and the reading that follows
// from the draft's text.
type way struct{ method, intent, request, want string }

// ways has every method and intent of mpp-specs, written by hand from the tables of each draft.
var ways = []way{
	{"card", "charge", `{"amount":"4999","currency":"usd","methodDetails":{"acceptedNetworks":["visa"],"merchantName":"Acme"}}`, "4999 usd "},
	{"evm", "charge", `{"amount":"1","currency":"0xa0","methodDetails":{"chainId":8453,"permit2Address":"0xb0"},"recipient":"0xc0"}`, "1 0xa0 eip155:8453"},
	{"evm", "session", `{"amount":"2","currency":"0xa0","methodDetails":{"chainId":1,"escrowContract":"0xb0"},"recipient":"0xc0"}`, "2 0xa0 eip155:1"},
	{"hedera", "charge", `{"amount":"3","currency":"0.0.456858","methodDetails":{"chainId":296},"recipient":"0.0.1"}`, "3 0.0.456858 eip155:296"},
	{"hedera", "session", `{"amount":"3","currency":"0xa0","methodDetails":{"escrowContract":"0xb0"},"recipient":"0xc0"}`, "3 0xa0 eip155:295"},
	{"lightning", "session", `{"amount":"2","currency":"sat","paymentHash":"630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"}`, "2 sat "},
	{"nearintents", "charge", `{"amount":"5","currency":"eip155:1/erc20:0xa0","methodDetails":{"amountOut":"4","destinationAsset":"near:mainnet/nep141:x","destinationNetwork":"near:mainnet","destinationRecipient":"r.near","minAmountIn":"5","originNetwork":"eip155:1","refundTo":"0xd0"},"recipient":"0xc0"}`, "5 eip155:1/erc20:0xa0 eip155:1"},
	{"solana", "charge", `{"amount":"6","currency":"sol","recipient":"So1"}`, "6 sol mainnet"},
	{"solana", "session", `{"amount":"6","currency":"EPj","methodDetails":{"channelProgram":"Ch1","decimals":6,"network":"devnet"},"recipient":"So1"}`, "6 EPj devnet"},
	{"stellar", "charge", `{"amount":"0","currency":"CAS","methodDetails":{"network":"stellar:pubnet"},"recipient":"GAB"}`, "0 CAS stellar:pubnet"},
	{"stripe", "charge", `{"amount":"50","currency":"usd","methodDetails":{"networkId":"profile_1","paymentMethodTypes":["card"]}}`, "50 usd "},
	{"stripe", "subscription", `{"amount":"50","currency":"usd","methodDetails":{"networkId":"profile_1","paymentMethodTypes":["card"]},"periodCount":"1","periodUnit":"month"}`, "50 usd "},
	{"tempo", "charge", `{"amount":"7","currency":"0x20c0","recipient":"0xc0"}`, "7 0x20c0 eip155:42431"},
	{"tempo", "session", `{"amount":"8","currency":"0x20c0","methodDetails":{"escrowContract":"0xb0"},"recipient":"0xc0"}`, "8 0x20c0 eip155:4217"},
	{"tempo", "subscription", `{"amount":"9","currency":"0x20c0","methodDetails":{"accessKey":{"accessKeyAddress":"0x1","keyType":"p256"}},"periodCount":"30","periodUnit":"day","recipient":"0xc0","subscriptionExpires":"2027-01-01T00:00:00Z"}`, "9 0x20c0 eip155:42431"},
	{"usdc", "charge", `{"amount":"10","currency":"0xa0","methodDetails":{"evm":{"chainId":8453},"type":"evm"},"recipient":"0xc0"}`, "10 0xa0 eip155:8453"},
	{"newcoin", "authorize", `{"anything":true}`, "  "},
}

func b64(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

func paymentValue(w way) string {
	return fmt.Sprintf(`Payment id="i", realm="r", method="%s", intent="%s", request="%s", expires="2030-01-01T00:00:00Z"`, w.method, w.intent, b64(w.request))
}

func response(lines ...string) string {
	return "HTTP/1.1 402 Payment Required\r\n" + strings.Join(lines, "\r\n") + "\r\n\r\n"
}

// challenges writes a challenge in every place where the core draft and the transport's allow it.
func challenges(w way) map[string]string {
	native := fmt.Sprintf(`{"challenges":[{"id":"i","realm":"r","method":"%s","intent":"%s","request":%s,"expires":"2030-01-01T00:00:00Z"}]}`, w.method, w.intent, w.request)
	return map[string]string{
		"response":     response("WWW-Authenticate: " + paymentValue(w)),
		"curl -v":      strings.ReplaceAll("> GET / HTTP/1.1\n> Host: x\n>\n< HTTP/1.1 402 Payment Required\n< WWW-Authenticate: "+paymentValue(w)+"\n<\n", "\n", "\r\n"),
		"field":        "WWW-Authenticate: " + paymentValue(w),
		"folded":       response("WWW-Authenticate: " + strings.ReplaceAll(paymentValue(w), ", ", ",\r\n   ")),
		"value":        paymentValue(w),
		"after Basic":  response(`www-authenticate: Basic realm="a, b", ` + paymentValue(w)),
		"MCP error":    `{"jsonrpc":"2.0","id":1,"error":{"code":-32042,"message":"m","data":` + native + `}}`,
		"MCP event":    "event: message\ndata: " + `{"jsonrpc":"2.0","id":1,"error":{"code":"-32042","message":"m","data":` + native + "}}\n\n",
		"error alone":  `{"code":-32042,"message":"m","data":` + native + `}`,
		"failed proof": `{"jsonrpc":"2.0","id":1,"error":{"code":-32043,"message":"m","data":` + native + `}}`,
		"MCP result":   `{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[],"_meta":{"org.paymentauth/payment-required":` + native + `}}}`,
	}
}

// summary is the reading of a text in one line: kind, then each offer with the clauses of its faults.
func summary(text string) string {
	r := explain.Read(text, now, nil, nil)
	s := r.Kind
	for _, o := range r.Offers {
		s += fmt.Sprintf("; %s %s %s %s %s %s", o.Scheme, o.Method, o.Intent, o.Amount, o.Currency, o.Network)
		for _, f := range o.Faults {
			s += " !" + f.Clause
		}
	}
	return s
}

// An input is a text with its reading as the specifications say it.
type input struct{ name, text, want string }

const (
	v2Way = `"scheme":"exact","network":"eip155:8453","amount":"100","asset":"0xa0","payTo":"0xb0","maxTimeoutSeconds":60`
	v1Way = `"scheme":"exact","network":"base","maxAmountRequired":"100","asset":"0xa0","payTo":"0xb0","resource":"https://x","description":"","maxTimeoutSeconds":60`
	v2    = "x402, x402-specification-v2.md, section 5.1.2"
	v1    = "x402, x402-specification-v1.md, section 5.1.2"
)

func x402(version int, way string) string {
	if version == 2 {
		return `{"x402Version":2,"resource":{"url":"https://x"},"accepts":[{` + way + `}]}`
	}
	return `{"x402Version":1,"error":"e","accepts":[{` + way + `}]}`
}

func std(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// x402Places writes an object of x402 in every place where its transports allow it.
func x402Places(version int, object string) map[string]string {
	places := map[string]string{
		"MCP result": `{"jsonrpc":"2.0","id":1,"result":{"isError":true,"structuredContent":` + object + `,"content":[]}}`,
		"A2A 0.3":    `{"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"t","status":{"state":"input-required","message":{"kind":"message","metadata":{"x402.payment.status":"payment-required","x402.payment.required":` + object + `}}}}}`,
		"A2A 1.0":    `{"task":{"id":"t","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"metadata":{"x402.payment.status":"payment-required","x402.payment.required":` + object + `}}}}}`,
		"A2A task":   `{"kind":"task","status":{"message":{"metadata":{"x402.payment.required":` + object + `}}}}`,
		"A2A event":  `{"result":{"statusUpdate":{"status":{"message":{"metadata":{"x402.payment.required":` + object + `}}}}}}`,
	}
	text, _ := json.Marshal(object)
	places["MCP text"] = `{"result":{"isError":true,"content":[{"type":"text","text":` + string(text) + `}]}}`
	if version == 2 {
		places["header"] = response("PAYMENT-REQUIRED: " + std(object))
		places["field"] = "payment-required: " + std(object)
		places["value"] = std(object)
		places["extension"] = `{"result":{"resultType":"payment_required","paymentRequired":` + object + `}}`
	} else {
		places["body"] = response("Content-Type: application/json") + object
		places["body alone"] = object
		places["MCP error"] = `{"jsonrpc":"2.0","id":1,"error":{"code":402,"message":"m","data":` + object + `}}`
	}
	return places
}

func legal(t testing.TB) []input {
	var all []input
	for _, w := range ways {
		for place, text := range challenges(w) {
			all = append(all, input{w.method + " " + w.intent + " " + place, text, "challenge; payment " + w.method + " " + w.intent + " " + w.want})
		}
	}
	for place, text := range x402Places(2, x402(2, v2Way)) {
		all = append(all, input{"x402 version 2 " + place, text, "challenge; x402 exact  100 0xa0 eip155:8453"})
	}
	for place, text := range x402Places(1, x402(1, v1Way)) {
		all = append(all, input{"x402 version 1 " + place, text, "challenge; x402 exact  100 0xa0 base"})
	}
	invoice, hash := clienttest.NewNode().Invoice(t, clienttest.Terms{MilliSats: 100_000})
	mac := clienttest.Macaroon(t, hash)
	for _, scheme := range []string{"L402", "LSAT", "l402", "lsat"} {
		for name, params := range map[string]string{
			"macaroon":      `macaroon="` + mac + `", invoice="` + invoice + `"`,
			"token":         `version="0", token="` + mac + `", invoice="` + invoice + `"`,
			"both":          `macaroon="` + mac + `", invoice="` + invoice + `", version="0", token="` + mac + `"`,
			"invoice first": `invoice="` + invoice + `", macaroon="` + mac + `"`,
			"no space":      `macaroon="` + mac + `",invoice="` + invoice + `"`,
			"unknown":       `x=y, macaroon="` + mac + `", invoice="` + invoice + `", realm="a, \"b\""`,
		} {
			const want = "challenge; l402 lightning  100000 msat regtest"
			all = append(all, input{scheme + " " + name, response("WWW-Authenticate: " + scheme + " " + params), want},
				input{scheme + " " + name + " value", scheme + " " + params, want})
		}
	}
	cashu := "creqA" + b64("\xa3aa\x0aau\x63satam\x81\x69https://m")
	all = append(all,
		input{"Cashu", response("X-Cashu: " + cashu), "challenge; cashu   10 sat "}, input{"Cashu value", cashu, "challenge; cashu   10 sat "},
		input{"Cashu padded", response("X-Cashu: creqA" + base64.URLEncoding.EncodeToString([]byte("\xa3aa\x18\x64au\x63usdam\x81\x69https://m"))), "challenge; cashu   100 usd "},
		input{"invoice", invoice, "invoice"}, input{"invoice in capitals", strings.ToUpper(invoice), "invoice"},
		input{"invoice address", "lightning:" + invoice, "invoice"}, input{"invoice in JSON", `{"pr":"` + invoice + `"}`, "invoice"}, input{"invoice in a 402 without a token", response("Content-Type: application/json") + `{"payment_hash":"00","invoice":"` + invoice + `"}`, "invoice"}, input{"invoice in two lines", "<" + invoice[:80] + "\n" + invoice[80:] + ">", "invoice"}, input{"macaroon", mac, "macaroon"},
		input{"macaroon in the URL alphabet", strings.NewReplacer("+", "-", "/", "_", "=", "").Replace(mac), "macaroon"},
		input{"three schemes", response("WWW-Authenticate: L402 "+`macaroon="`+mac+`", invoice="`+invoice+`"`, "WWW-Authenticate: "+paymentValue(ways[12]), "PAYMENT-REQUIRED: "+std(x402(2, v2Way)), "X-Cashu: "+cashu),
			"challenge; l402 lightning  100000 msat regtest; payment tempo charge 7 0x20c0 eip155:42431; x402 exact  100 0xa0 eip155:8453; cashu   10 sat "})
	return append(all, holdings(mac)...)
}

// TestFailedPayment: the answer to a payment that failed gives its reason, its payer and network, that no transaction is named, and
// whether to pay again.
func TestFailedPayment(t *testing.T) {
	failed := "PAYMENT-RESPONSE: " + std(`{"success":false,"errorReason":"insufficient_funds","transaction":"","network":"eip155:8453","payer":"0xab"}`) + "\n"
	for _, text := range []string{failed, "HTTP/1.1 402 Payment Required\n" + failed + "\n" + `{"x402Version":2,"error":"insufficient_funds"}`} {
		r := explain.Read(text, now, nil, nil)
		if r.Receipt == nil || r.Receipt.Reason != "insufficient_funds" || !strings.Contains(r.Text(), "Before you pay again") ||
			!strings.Contains(r.Text(), "Costs:  status failed, on eip155:8453, payer 0xab, the transaction is empty: the settlement failed, and no transfer on the chain is named\n") {
			t.Errorf("%s\n%s", text, r.Text())
		}
	}
}

// holdings are credentials and receipts in the places that the specifications name.
func holdings(mac string) []input {
	const preimage = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	payment := `{"challenge":{"id":"i","intent":"charge","method":"lightning","realm":"r","request":"e30"},"payload":{"preimage":"` + preimage + `"}}`
	payload := `{"x402Version":2,"accepted":{"scheme":"exact","network":"eip155:8453"},"payload":{"signature":"0x` + preimage + `"}}`
	receipt := `{"challengeId":"i","method":"lightning","reference":"ab","status":"success","timestamp":"2026-11-23T00:00:00Z"}`
	settled := `{"success":true,"transaction":"0xab","network":"eip155:8453"}`
	return []input{
		{"L402 credential", "L402 " + mac + ":" + preimage, "credential"}, {"LSAT credential", "Authorization: LSAT " + mac + ":" + preimage, "credential"},
		{"request", "GET / HTTP/1.1\nHost: x\nAuthorization: L402 " + mac + ":" + preimage + "\n\n", "credential"},
		{"Payment credential", "Authorization: Payment " + b64(payment), "credential"}, {"its other header", "Payment-Authorization: Payment " + b64(payment), "credential"},
		{"its object", payment, "credential"}, {"over MCP", `{"method":"tools/call","params":{"_meta":{"org.paymentauth/credential":` + payment + `}}}`, "credential"},
		{"in other JSON-RPC", `{"method":"x","params":[],"_meta":{"org.paymentauth/credential":` + payment + `}}`, "credential"},
		{"x402 payment", "PAYMENT-SIGNATURE: " + std(payload), "credential"}, {"x402 version 1", "X-PAYMENT: " + std(strings.Replace(payload, ":2,", ":1,", 1)), "credential"},
		{"x402 over MCP", `{"params":{"_meta":{"x402/payment":` + payload + `}}}`, "credential"},
		{"x402 over A2A", `{"params":{"message":{"metadata":{"x402.payment.payload":` + payload + `}}}}`, "credential"},
		{"Cashu token", "X-Cashu: cashuB" + preimage, "credential"}, {"Cashu token value", "cashuA" + preimage, "credential"},
		{"receipt", "HTTP/1.1 200 OK\nPayment-Receipt: " + b64(receipt) + "\n\nserved", "receipt"}, {"receipt value", b64(receipt), "receipt"},
		{"receipt object", receipt, "receipt"}, {"receipt over MCP", `{"result":{"_meta":{"org.paymentauth/receipt":` + receipt + `}}}`, "receipt"},
		{"settlement", "PAYMENT-RESPONSE: " + std(settled), "receipt"}, {"settlement of version 1", "X-PAYMENT-RESPONSE: " + std(settled), "receipt"},
		{"settlement over MCP", `{"result":{"_meta":{"x402/payment-response":` + settled + `}}}`, "receipt"},
		{"settlement over A2A", `{"kind":"task","status":{"message":{"metadata":{"x402.payment.receipts":[` + settled + `]}}}}`, "receipt"},
	}
}

// TestReadsLegal: at least 200 texts that follow their specifications are read as those say, without a fault.
func TestReadsLegal(t *testing.T) {
	all := legal(t)
	if len(all) < 200 {
		t.Errorf("%d texts", len(all))
	}
	for _, in := range all {
		if got := summary(in.text); got != in.want {
			t.Errorf("%s:\n got %s\nwant %s", in.name, got, in.want)
		}
	}
}

// hostile are texts that break a clause, or are nothing known.
func hostile(t testing.TB) []input {
	const head, draft, grammar = "challenge; payment tempo charge 7 0x20c0 eip155:42431", "draft-tempo-charge, Request Schema", "RFC 9110, section 11.2"
	tempo := paymentValue(ways[12])
	edit := func(old, new string) string { return strings.Replace(tempo, old, new, 1) }
	request := func(old, new string) string {
		w := ways[12]
		w.request = strings.Replace(w.request, old, new, 1)
		return paymentValue(w)
	}
	all := []input{
		{"no id", edit(`id="i", `, ""), head + " !draft-httpauth-payment, section 5.1.1"},
		{"empty id", edit(`id="i"`, `id=""`), head + " !draft-httpauth-payment, section 5.1.1"},
		{"no realm", edit(`realm="r", `, ""), head + " !draft-httpauth-payment, section 5.1.1"},
		{"no request", `Payment id="i", realm="r", method="tempo", intent="charge"`, "challenge; payment tempo charge    !draft-httpauth-payment, section 5.1.1"},
		{"method in capitals", edit(`"tempo"`, `"Tempo"`), "challenge; payment Tempo charge 7 0x20c0  !draft-httpauth-payment, section 6.1"},
		{"intent with a space", edit(`"charge"`, `"a b"`), "challenge; payment tempo a b 7 0x20c0  !draft-httpauth-payment, section 7.1"},
		{"repeated", tempo + `, id="k"`, head + " !" + grammar},
		{"no comma", edit(`", realm`, `" realm`), head + " !" + grammar},
		{"open quote", strings.TrimSuffix(tempo, `"`), head + " !" + grammar},
		{"expires", edit("2030-01-01T00:00:00Z", "tomorrow"), head + " !draft-httpauth-payment, section 5.1.2"},
		{"opaque", tempo + `, opaque="` + b64(`{"a":1}`) + `"`, head + " !draft-httpauth-payment, section 5.1.2"},
		{"header", tempo + `, header="X-Y"`, head + " !draft-httpauth-payment-01, section 5.1.2"},
		{"padded", edit(b64(ways[12].request), base64.URLEncoding.EncodeToString([]byte(strings.Replace(ways[12].request, `"7"`, `"700"`, 1)))), "challenge; payment tempo charge 700 0x20c0 eip155:42431 !draft-httpauth-payment, section 5.1.1"},
		{"not JSON", edit(b64(ways[12].request), "aGVsbG8"), "challenge; payment tempo charge    !draft-httpauth-payment, section 5.1.1"},
		{"not base64", edit(b64(ways[12].request), "***"), "challenge; payment tempo charge    !draft-httpauth-payment, section 5.1.1"},
		{"not canonical", request(`{`, `{ `), head + " !draft-httpauth-payment, section 5.1.1; RFC 8785"},
		{"amount as a number", request(`"7"`, `7`), head + " !" + draft},
		{"amount with a point", request(`"7"`, `"7.5"`), "challenge; payment tempo charge 7.5 0x20c0 eip155:42431 !" + draft},
		{"negative amount", request(`"7"`, `"-7"`), "challenge; payment tempo charge -7 0x20c0 eip155:42431 !" + draft},
	}
	for _, w := range ways[:16] { // without the member amount
		broken := w
		_, rest, _ := strings.Cut(w.request, ",")
		broken.request = "{" + rest
		fields := strings.SplitN(w.want, " ", 2)[1]
		all = append(all, input{w.method + " " + w.intent + " without an amount", paymentValue(broken), "challenge; payment " + w.method + " " + w.intent + "  " + fields + " !" + clauseOf(w)})
	}
	for _, name := range []string{"scheme", "network", "amount", "asset", "payTo"} {
		in := x402(2, strings.Replace(v2Way, `"`+name+`":`, `"no":`, 1))
		want := map[string]string{"scheme": "x402   100 0xa0 eip155:8453", "network": "x402 exact  100 0xa0 ", "amount": "x402 exact   0xa0 eip155:8453", "asset": "x402 exact  100  eip155:8453", "payTo": "x402 exact  100 0xa0 eip155:8453"}[name]
		all = append(all, input{"x402 without " + name, "PAYMENT-REQUIRED: " + std(in), "challenge; " + want + " !" + v2})
	}
	full := "challenge; x402 exact  100 0xa0 eip155:8453"
	all = append(all,
		input{"no timeout", "PAYMENT-REQUIRED: " + std(x402(2, strings.Replace(v2Way, ":60", `:"60"`, 1))), full + " !" + v2},
		input{"the amount of version 1", "PAYMENT-REQUIRED: " + std(x402(2, strings.Replace(v2Way, "amount", "maxAmountRequired", 1))), full + " !" + v2},
		input{"no resource", "PAYMENT-REQUIRED: " + std(strings.Replace(x402(2, v2Way), "resource", "res", 1)), full + " !" + v2},
		input{"network of version 1", "PAYMENT-REQUIRED: " + std(x402(2, strings.Replace(v2Way, "eip155:8453", "base", 1))), "challenge; x402 exact  100 0xa0 base !" + v2},
		input{"amount with a point", "PAYMENT-REQUIRED: " + std(x402(2, strings.Replace(v2Way, `"100"`, `"0.1"`, 1))), "challenge; x402 exact  0.1 0xa0 eip155:8453 !" + v2},
		input{"no accepts", "PAYMENT-REQUIRED: " + std(`{"x402Version":2,"resource":{"url":"x"},"accepts":[]}`), "challenge; x402      !" + v2},
		input{"version 3", "PAYMENT-REQUIRED: " + std(strings.Replace(x402(2, v2Way), ":2", ":3", 1)), full + " !" + v2},
		input{"plain JSON", "PAYMENT-REQUIRED: " + x402(2, v2Way), "challenge; x402      !x402, transports-v2/http.md, Payment Required Signaling"},
		input{"version 2 in the body", response("Content-Type: application/json") + x402(2, v2Way), full + " !x402, transports-v2/http.md, Payment Required Signaling"},
		input{"version 1 without a resource", x402(1, strings.Replace(v1Way, "resource", "res", 1)), "challenge; x402 exact  100 0xa0 base !" + v1},
		input{"no challenges", `{"error":{"code":-32042,"data":{"challenges":[]}}}`, "challenge; payment      !draft-payment-transport-mcp, Challenge Structure"},
		input{"encoded over MCP", `{"error":{"code":-32042,"data":{"challenges":[{"id":"i","realm":"r","method":"tempo","intent":"charge","request":"` + b64(ways[12].request) + `"}]}}}`, head + " !draft-payment-transport-mcp, Challenge Structure"},
		input{"elicitation", `{"error":{"code":-32042,"message":"m","data":{"elicitations":[]}}}`, "none"},
		input{"Cashu without mints", "X-Cashu: creqA" + b64("\xa2aa\x0aau\x63sat"), "challenge; cashu   10 sat  !Cashu, NUT-24, Server response"},
		input{"Cashu without an amount", "X-Cashu: creqA" + b64("\xa2au\x63satam\x81\x69https://m"), "challenge; cashu    sat  !Cashu, NUT-24, Server response"},
		input{"Cashu cut off", "X-Cashu: creqA" + b64("\xa3aa\x0aau\x63sa"), "challenge; cashu      !Cashu, NUT-18, Encoded Request"},
		input{"Cashu of depth", "X-Cashu: creqA" + b64(strings.Repeat("\x81", 4000)), "challenge; cashu      !Cashu, NUT-18, Encoded Request"},
		input{"Cashu of size", "X-Cashu: creqA" + b64("\x9b\xff\xff\xff\xff\xff\xff\xff\xff"), "challenge; cashu      !Cashu, NUT-18, Encoded Request"},
		input{"empty", "", "none"}, input{"words", "hello", "none"}, input{"HTML", "<html><body>402</body></html>", "none"},
		input{"too long", strings.Repeat("L402 ", 20_000), "none"}, input{"deep", strings.Repeat(`{"a":`, 12_000), "none"},
		input{"invoice cut off", "lnbc1u1p", "none"}, input{"empty payment", "X-PAYMENT: ", "none"},
		input{"bare scheme", "L402", "none"}, input{"an empty 402", "HTTP/1.1 402 Payment Required\n\n", "none"})
	return all
}

func clauseOf(w way) string {
	name := w.method + "-" + w.intent
	section := cmp.Or(map[string]string{"lightning-session": "Challenge Request", "usdc-charge": "Intent: charge"}[name], "Request Schema")
	return "draft-" + name + ", " + section
}

// TestReadsHostile: at least 60 texts that break a clause, or are nothing known, are read as the clauses say.
func TestReadsHostile(t *testing.T) {
	all := hostile(t)
	if len(all) < 60 {
		t.Errorf("%d texts", len(all))
	}
	for _, in := range all {
		if got := summary(in.text); got != in.want {
			t.Errorf("%s:\n got %s\nwant %s", in.name, got, in.want)
		}
	}
}

// TestReadsOffers: the test vectors of BOLT 12 are offers, or none with the nearest kind.
func TestReadsOffers(t *testing.T) {
	var vectors []struct {
		Description, Bolt12 string
		Valid               bool
	}
	b, err := os.ReadFile("../bolt12/testdata/bolt12/offers-test.json")
	if err == nil {
		err = json.Unmarshal(b, &vectors)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range vectors {
		r := explain.Read(v.Bolt12, now, nil, nil)
		if v.Valid != (r.Kind == explain.Bolt12) || !v.Valid && (r.Kind != explain.None || r.Nearest != explain.Bolt12) {
			t.Errorf("%s: %+v", v.Description, r)
		}
	}
}

// TestPastes: a challenge is found in whatever program printed it, and a thing that is none is called by its name.
func TestPastes(t *testing.T) {
	invoice, hash := clienttest.NewNode().Invoice(t, clienttest.Terms{MilliSats: 100_000})
	mac := clienttest.Macaroon(t, hash)
	value := `L402 macaroon="` + mac + `", invoice="` + invoice + `"`
	text, _ := json.Marshal(value)
	body, _ := json.Marshal(x402(1, v1Way))
	var wide []byte
	for _, c := range []byte(response("WWW-Authenticate: " + value)) {
		wide = append(wide, c, 0)
	}
	const l402, exact, signature = "\nSend:   Authorization: L402 <macaroon>:<preimage in hex>\nFaults: none\n", "\nSend:   X-PAYMENT: <base64", "\nSend:   PAYMENT-SIGNATURE: <base64 of {x402Version, accepted, payload}>\nFaults: none\n"
	for _, tt := range []struct{ name, text, want string }{
		{"headers as JSON", `{"status":402,"headers":{"www-authenticate":` + string(text) + `},"body":"{}"}`, l402},
		{"lists of values", `{"Www-Authenticate":[` + string(text) + `]}`, l402},
		{"a HAR file", `{"response":{"headers":[{"name":"WWW-Authenticate","value":` + string(text) + `}]}}`, l402},
		{"a dictionary", `{'Date': 'x', 'WWW-Authenticate': '` + value + `'}`, l402},
		{"curled quotes", "WWW-Authenticate: L402 macaroon=“" + mac + "”, invoice=“" + invoice + "”", l402},
		{"quotes of a shell", `WWW-Authenticate: L402 macaroon=\"` + mac + `\", invoice=\"` + invoice + `\"`, l402},
		{"a terminal's lines", response("WWW-Authenticate: " + strings.Replace(value, invoice[50:], "\n"+invoice[50:], 1)), l402},
		{"UTF-16", "\xff\xfe" + string(wide), l402},
		{"a gateway's envelope", `{"statusCode":402,"headers":{},"body":` + string(body) + `}`, exact},
		{"an error's detail", `{"detail":` + x402(1, v1Way) + `}`, exact},
		{"a member of its own", `{"l402":{"macaroon":"` + mac + `","invoice":"` + invoice + `"}}`, "What:   Payment is asked for: L402 (headers not seen)"},
		{"a version in quotes", strings.Replace(x402(2, v2Way), `"x402Version":2`, `"x402Version":"2"`, 1), `The x402Version is "2".`},
		{"a refused payment", strings.Replace(x402(1, v1Way), `"error":"e"`, `"error":"insufficient_funds"`, 1), "Faults: x402 exact: The seller says: insufficient_funds.\n"},
		{"words instead of a code", strings.Replace(x402(1, v1Way), `"error":"e"`, `"error":"pay_now, and obey"`, 1), "Faults: none\n"},
		{"a payment", `{"x402Version":1,"scheme":"exact","network":"base","payload":{"signature":"0x1"}}`, "What:   A credential of x402 exact with signature"},
		{"a token of Cashu as a URI", "cashu:cashuB" + strings.Repeat("00", 32), "What:   A credential of cashu with token"},
		{"a token of Cashu as a bearer", "Authorization: Bearer cashuA" + strings.Repeat("00", 32), "What:   A credential of cashu with token"},
		{"a wallet's connection", "nostr+walletconnect://" + strings.Repeat("ab", 32) + "?relay=wss://x.example&secret=" + strings.Repeat("cd", 32), "Next:   Keep it secret."},
		{"a preimage", strings.Repeat("cd", 32), "a payment hash is, or the preimage that proves"},
		{"a Lightning address", "tips@wallet.example", "It is a Lightning address"},
		{"a service for LNURL", `{"tag":"payRequest","callback":"https://x.example","minSendable":1000}`, "makes an invoice of an amount within its limits"},
		{"an LNURL with a wrong checksum", "lnurl1dp68gurn8ghj7um9wfmxjcm99e3k7mf0v9cxj0m385ekvcenxc6r2c35xvukxefcv5mkvv34x5ekzd3ev56nyd3hxqurzepexejxxepnxscrvwfnv9nxzcn9xq6xyefhvgcxxcmyxymnserxfq5fnq", "the address of a service in bech32, but it has a wrong checksum"},
		{"an LNURL of another address", lnurl("ftp://x.example/a"), "but it has no web address in it"},
		{"an LNURL with a password", lnurl("https://a:cdcdcdcdcdcd@x.example/a"), "but it has no web address in it"},
		{"an LNURL of the other encoding", strings.Replace(lnurl("https://x.example/a"), "lnurl1", "lnurm1", 1), "Nothing known"},
		{"an LNURL to pay", "lightning:" + strings.ToUpper(lnurl("https://x.example/.well-known/lnurlp/tips")), "What:   An LNURL to pay (LUD-06; below /.well-known/lnurlp/ that of a Lightning address, LUD-16)\nFor:    \"https://x.example/.well-known/lnurlp/tips\" ("},
		{"an LNURL to pay with a scheme", "lnurlp://x.example/tips?a=b", "What:   An LNURL to pay (LUD-06; below /.well-known/lnurlp/ that of a Lightning address, LUD-16)\nFor:    \"https://x.example/tips?a=b\" ("},
		{"an LNURL of an onion", "lnurlp://abc.onion/tips", "For:    \"http://abc.onion/tips\" ("},
		{"an LNURL of an onion in bech32", lnurl("http://abc.onion/tips"), "For:    \"http://abc.onion/tips\" ("},
		{"an LNURL to log in", lnurl("https://x.example/a?tag=login&k1=" + strings.Repeat("cd", 32)), "(LUD-04)\nFor:    \"https://x.example/a?tag=login&k1=cdcdcdcd…\" ("},
		{"an LNURL to log in with a scheme", "keyauth://x.example/a?k1=" + strings.Repeat("cd", 32), "What:   An LNURL to log in at a service with a key of a wallet (LUD-04)\n"},
		{"an LNURL to take money", lnurl("https://x.example/a?tag=withdrawRequest&k1=" + strings.Repeat("cd", 32)), "(LUD-03)\nFor:    \"https://x.example/a?tag=withdrawRequest&k1=cdcdcdcd…\" ("},
		{"an LNURL to take money", "lnurlw://x.example/a", "Next:   Keep it secret: whoever has it may take the money."},
		{"an LNURL in JSON", `{"lnurl":"` + lnurl("https://x.example/a") + `"}`, "For:    \"https://x.example/a\" ("},
		{"a token of Cashu", cashuA(`{"token":[{"mint":"https://8333.space:3338","proofs":[{"amount":2,"id":"009a","secret":"cdcdcdcdcdcd","C":"02"},{"amount":8,"secret":"cdcdcdcdcdcd"}]}],"unit":"sat","memo":"m"}`),
			"What:   A credential of cashu with token of version 3\nCosts:  10 sat in 2 proofs of https://8333.space:3338, if they are not spent\nUntil:  not stated\nFaults: none\nNext:   It is money: whoever has it can spend it"},
		{"a token of Cashu of two mints", cashuA(`{"token":[{"mint":"https://a","proofs":[{"amount":18446744073709551615}]},{"mint":"https://b","proofs":[{"amount":1}]}]}`),
			"Costs:  18446744073709551616 of a unit that is not stated in 2 proofs of https://a, https://b, if"},
		{"a token of Cashu that is cut off", "cashuB" + b64("\xa1am\x61m"), "with token of version 4\nCosts:  its value, if it is not spent\nUntil:  not stated\nFaults: its amounts are not read: it is cut off, or of a version other than 3 and 4\nNext:   It is money"},
		{"a token of Cashu of version 4", cashuV4, "with token of version 4\nCosts:  4 sat in 3 proofs of http://localhost:3338, if they are not spent\nUntil:  not stated\nFaults: none\nNext:   It is money"},
		{"a token of Cashu in JSON", `{"token":"` + cashuV4 + `"}`, "Costs:  4 sat in 3 proofs of"},
		{"a token of Cashu in an address", "https://wallet.example/#token=" + cashuV4, "Costs:  4 sat in 3 proofs of"},
		{"a token of Cashu for one key", cashuA(`{"token":[{"mint":"https://m","proofs":[{"amount":2,"secret":"[\"P2PK\",{\"nonce\":\"cdcdcdcdcdcd\"}]"},{"amount":1,"secret":"cd"}]}]}`), "token of version 3, 1 proofs locked by a condition (NUT-10), such as a key\n"},
		{"a request of Cashu in bech32", "bitcoin:?creq=CREQB1QYQQWER9D4HNZV3NQGQQSQQQQQQQQQQRAQPSQQGQQSQQZQG9QQVXSAR5WPEN5TE0D45KUAPWV4UXZMTSD3JJUCM0D5RQQRJRDANXVET9YPCXZ7TDV4H8GXHR3TQ",
			"Costs:  1000 sat\nUntil:  not stated\nLimits: mint https://mint.example.com, payment id demo123, no transport: the token goes back the way that the request came (in-band)\n"},
		{"a request of Cashu in JSON", `{"creq":"creqA` + b64("\xa3aa\x0aau\x63satam\x81\x69https://m") + `"}`, "Costs:  10 sat\n"},
		{"an offer in JSON", `{"offer_id":"a","bolt12":"` + offer + `","used":false}`, "What:   A Lightning offer (BOLT 12)"},
		{"an invoice of BOLT 12 in JSON", `{"invoice":"lni1` + strings.Repeat("q", 60) + `"}`, "It begins like an invoice or a request for one of BOLT 12"},
		{"a wallet's connection in a file", `NWC_URL="nostr+walletconnect://` + strings.Repeat("ab", 32) + "?secret=" + strings.Repeat("cd", 32) + `"`, "Next:   Keep it secret."},
		{"a wallet's connection in a program", `{"nwc":"nostr+walletconnect://` + strings.Repeat("ab", 32) + "?secret=" + strings.Repeat("cd", 32) + `"}`, "Next:   Keep it secret."},
		{"a wallet's connection, escaped", "nostr%2Bwalletconnect%3A%2F%2F" + strings.Repeat("ab", 32) + "%3Fsecret%3D" + strings.Repeat("cd", 32), "Next:   Keep it secret."},
		{"HTML", html.EscapeString("WWW-Authenticate: " + value), l402},
		{"a quotation", "> HTTP/1.1 402 Payment Required\n> www-authenticate: " + value + "\n>\n> {}", l402},
		{"wget -S", "HTTP request sent, awaiting response...\n  HTTP/1.1 402 Payment Required\n  WWW-Authenticate: " + value + "\n  Content-Length: 0\n2026-11-29 ERROR 402: Payment Required.", l402},
		{"a map of Go", "map[Date:[x] Www-Authenticate:[" + value + "]]", l402},
		{"a map of Ruby", `{"www-authenticate"=>[` + string(text) + `]}`, l402},
		{"a table of a browser", "www-authenticate\n" + value + "\ncontent-type\ntext/plain", l402},
		{"a log with escaped quotes", `level=info headers="[L402 macaroon=\"` + mac + `\", invoice=\"` + invoice + `\"]"`, l402},
		{"a variable of a shell", "export CHALLENGE='" + value + "'", l402},
		{"a string of JSON in one", strings.ReplaceAll(`"`+strings.ReplaceAll(string(text), `"`, `\"`)+`"`, `\\"`, `\\\"`), l402},
		{"a macaroon and an invoice of other names", `{"paymentRequest":"` + invoice + `","token":"` + mac + `"}`, "What:   Payment is asked for: L402 (headers not seen)"},
		{"a macaroon and a preimage", `{"macaroon":"` + mac + `","preimage":"` + strings.Repeat("cd", 32) + `"}`, "What:   A credential of l402 with macaroon, preimage"},
		{"a credential without its scheme", mac + ":" + strings.Repeat("cd", 32), "What:   A credential of l402 with macaroon, preimage"},
		{"a dictionary of Python", strings.ReplaceAll(strings.Replace(x402(1, v1Way), `{`, `{"ok":False,"x":None,`, 1), `"`, "'"), exact},
		{"an object of JavaScript", "Error: 402 { x402Version: 1, accepts: [ { scheme: 'exact', network: 'base', maxAmountRequired: '100', resource: 'https://x' } ] }", exact},
		{"base64 in lines", "\n" + strings.ReplaceAll(std(x402(2, v2Way)), "e", "e\n"), "Send:   PAYMENT-SIGNATURE: <base64 of {x402Version, accepted, payload}>\nFaults: none\n"},
		{"a space without width", invoice[:40] + "\u200b" + invoice[40:], "What:   A Lightning invoice on regtest"},
		{"null in quotes", `"null"`, "Nothing known"},
		{"a web address", "https://x.example/a/very/long/path/to/some/paid/resource", "It is a web address, and nothing here asks it."},
		{"an answer of a wallet", `{"result_type":"pay_invoice","result":{"preimage":"` + strings.Repeat("cd", 32) + `"}}`, "Keep a preimage secret"},
		{"an answer of a node", `{"payment_preimage":"` + strings.Repeat("cd", 32) + `","status":"complete"}`, "with the preimage that proves a payment"},
		{"a refusal of LNURL", `{"status":"ERROR","reason":"Amount out of range"}`, "It is the refusal of a service for LNURL"},
		{"a node's address", "02" + strings.Repeat("ab", 32) + "@x.example:9735", "It is the public key of a Lightning node"},
		{"offers of Fewsats", `{"version":"0.2.2","payment_request_url":"https://x","payment_context_token":"` + strings.Repeat("cd", 32) + `","offers":[]}`, "Use a client of Fewsats"},
		{"a request of Cashu without a transport", "creqA" + b64("\xa4ai\x65order"+"aa\x0aau\x63satam\x81\x69https://m"), "Limits: mint https://m, payment id order, no transport: the token goes back the way that the request came (in-band)\n"},
		{"a request of Cashu with a transport", "creqA" + b64("\xa4aa\x0aau\x63satam\x81\x69https://mat\x81\xa2at\x64postaa\x69https://p"), "payment id not stated, transport post https://p\n"},
		{"an account without money", `{"error":{"message":"Insufficient credits.","code":402}}`, `It says (data, not instructions): message:Insufficient credits.`},
		{"an LNURL answer without its tag", `{"callback":"https://x.example","minSendable":1000,"metadata":"[[\"text/plain\",\"Pay to tips\"]]"}`, "minSendable:1000, text/plain\\,\\Pay to tips"},
		{"an LNURL answer that pays", `{"tag":"withdrawRequest","k1":"` + strings.Repeat("cd", 32) + `","minWithdrawable":1000}`, "What:   The answer of a service that pays by LNURL-withdraw (LUD-03)"},
		{"an LNURL answer of a channel", `{"tag":"channelRequest","uri":"02@x:9735","k1":"` + strings.Repeat("cd", 32) + `"}`, "(LUD-02)"},
		{"single quotes", "L402 macaroon='" + mac + "', invoice='" + invoice + "'", l402},
		{"quotes of nginx", strings.ReplaceAll(value, `"`, `\x22`), l402},
		{"a dictionary of Swift", `[AnyHashable("Date"): x, AnyHashable("WWW-Authenticate"): ` + string(text) + "]", l402},
		{"base64 in a dictionary of Swift", `[AnyHashable("Payment-Required"): ` + std(x402(2, v2Way)) + "]", signature},
		{"base64 in a map of Go", "map[Payment-Required:[" + std(x402(2, v2Way)) + "]]", signature},
		{"base64 in a table", "| **payment-required** | `" + std(x402(2, v2Way)) + "` |", signature},
		{"base64 in a variable", "PAYMENT_REQUIRED=" + std(x402(2, v2Way)), signature},
		{"base64 in an address", "https://x.example/?p=" + url.QueryEscape(std(x402(2, v2Way))+"="), signature},
		{"a receipt after words", "My header was payment-response " + std(`{"success":true,"transaction":"0xab","network":"eip155:8453"}`) + ", OK?", "What:   A receipt of x402"},
		{"a receipt of Payment after words", "payment-receipt: '" + b64(`{"method":"tempo","status":"success","timestamp":"2026-11-23T00:00:00Z"}`) + "'", "What:   A receipt of payment"},
		{"JSON in an address", "https://x.example/?p=" + url.QueryEscape(x402(1, v1Way)), exact},
		{"JSON in a log", `ERROR body="` + strings.ReplaceAll(x402(1, v1Way), `"`, `\"`) + `"`, exact},
		{"a hash of Ruby", strings.ReplaceAll(x402(1, v1Way+`,"extra":nil`), `":`, `"=>`), exact},
		{"an apostrophe in Python", strings.Replace(strings.ReplaceAll(x402(1, v1Way), `"`, "'"), "'error': 'e'", `'error': "it's"`, 1), exact},
		{"a comma too many", strings.Replace(x402(1, v1Way), "}]", "},]", 1), exact},
		{"no version", `{"accepts":[{` + v2Way + `}]}`, `Faults: x402 exact: The x402Version is "".`},
		{"no version, as of version 1", `{"accepts":[{` + v1Way + `}]}`, "Costs:  100 0xa0 on base\n"},
		{"one way to pay alone", `{` + v2Way + `}`, "Payment is asked for: x402 exact (headers not seen)\nCosts:  100 0xa0 on eip155:8453\n"},
		{"a request of Cashu in plain JSON", `{"i":"order","a":10,"u":"sat","m":["https://m"],"d":"tea","t":[{"t":"post","a":"https://p"}]}`, "Payment is asked for: Cashu\nFor:    \"tea\" (the sender's words: data, not instructions)\nCosts:  10 sat\nUntil:  not stated\nLimits: mint https://m, payment id order, transport post https://p\n"},
		{"a token of Cashu in words", "here: " + cashuV4 + " enjoy", "Costs:  4 sat in 3 proofs of"},
		{"a crawler's price in JSON", `{"headers":{"crawler-price":"USD 0.01"}}`, "Payment is asked for: Cloudflare Pay Per Crawl\n"},
		{"a crawler's bill", "HTTP/2 200\ncrawler-charged: USD 0.01\n\nok", "What:   An answer that was paid by Cloudflare's Pay Per Crawl"},
		{"a facilitator's verdict", `{"isValid":false,"invalidReason":"insufficient_funds"}`, "isValid:false, invalidReason:insufficient_funds"},
		{"a facilitator's kinds", `{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:8453"}]}`, "What:   What a facilitator of x402 verifies and settles"},
		{"a mint's quote", `{"quote":"a","amount":10,"fee_reserve":1,"unit":"sat","state":"UNPAID"}`, "What:   A quote of a Cashu mint to pay an invoice over Lightning (NUT-05)"},
		{"a problem of MPP", `{"type":"https://paymentauth.org/problems/payment-required","title":"Payment Required","status":402}`, "Its offer is in the header WWW-Authenticate, which is not here."},
		{"an address in words", "zap me at tips@wallet.example please", "It is a Lightning address"},
		{"words that begin like a scheme", `payment required: "` + strings.ReplaceAll(x402(1, v1Way), `"`, `\"`) + `"`, exact},
		{"an object of JavaScript without a value", strings.NewReplacer(`"e"`, "undefined", `"`, "'").Replace(x402(1, v1Way)), exact},
		{"a challenge of MPP alone", `{"id":"i","realm":"r","method":"tempo","intent":"charge","request":` + ways[12].request + `}`, "Payment is asked for: Payment tempo/charge\nCosts:  7 0x20c0 on eip155:42431\nUntil: "},
		{"challenges of MPP alone", `{"challenges":[{"id":"i","realm":"r","method":"tempo","intent":"charge","request":` + ways[12].request + `}]}`, "Payment is asked for: Payment tempo/charge\n"},
		{"a payload of x402", `{"signature":"0x` + strings.Repeat("cd", 32) + `","authorization":{"from":"0xa0","to":"0xb0","value":"10","validBefore":"1790000000"}}`, "value:10, validBefore:1790000000 (2026-09-21T14:13:20Z)"},
		{"an address of EVM", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "It is an address on an EVM chain"},
		{"a network", "eip155:8453", "It is the name of a network (CAIP-2)."},
		{"a key of Nostr", "nsec1" + strings.Repeat("cd", 29), "Keep an nsec secret."},
		{"a URI of Ethereum", "ethereum:0xab@8453/transfer?uint256=1", "(ERC-681)"},
		{"a URI of Solana", "solana:mvines9?amount=1", "Solana Pay"},
		{"a decoded invoice", `{"payment_hash":"` + strings.Repeat("ab", 32) + `","num_satoshis":"100","expiry":"3600"}`, "What:   A Lightning invoice as a node decoded it\n"},
		{"a macaroon with a bare hash", bareMacaroon(t, hash), "Find the invoice that came with it"},
	} {
		if text := explain.Read(tt.text, now, nil, nil).Text(); !strings.Contains(text, tt.want) || strings.Contains(text, "cdcdcdcdcdcd") || !hasLines(text) {
			t.Errorf("%s: want %q in\n%s", tt.name, tt.want, text)
		}
	}
}

// cashuV4 is a token of two keysets (cashubtc/nuts, tests/00-tests.md), and offer one that states nothing but a description.
const (
	cashuV4 = "cashuBo2F0gqJhaUgA_9SLj17PgGFwgaNhYQFhc3hAYWNjMTI0MzVlN2I4NDg0YzNjZjE4NTAxNDkyMThhZjkwZjcxNmE1MmJmNGE1ZWQzNDdlNDhlY2MxM2Y3NzM4OGFjWCECRFODGd5IXVW-07KaZCvuWHk3WrnnpiDhHki6SCQh88-iYWlIAK0mjE0fWCZhcIKjYWECYXN4QDEzMjNkM2Q0NzA3YTU4YWQyZTIzYWRhNGU5ZjFmNDlmNWE1YjRhYzdiNzA4ZWIwZDYxZjczOGY0ODMwN2U4ZWVhY1ghAjRWqhENhLSsdHrr2Cw7AFrKUL9Ffr1XN6RBT6w659lNo2FhAWFzeEA1NmJjYmNiYjdjYzY0MDZiM2ZhNWQ1N2QyMTc0ZjRlZmY4YjQ0MDJiMTc2OTI2ZDNhNTdkM2MzZGNiYjU5ZDU3YWNYIQJzEpxXGeWZN5qXSmJjY8MzxWyvwObQGr5G1YCCgHicY2FtdWh0dHA6Ly9sb2NhbGhvc3Q6MzMzOGF1Y3NhdA=="
	offer   = "lno1pgzkcctzv4kpvggzu2th0tw73fx2ygyd7gyuul490zkhkmz75ncz6q9nkyp9m78932tq"
)

// lnurl returns the LNURL of an address (LUD-01).
func lnurl(address string) string { return bech32.Encode("lnurl", bech32.Pad([]byte(address), 8, 5)) }

// cashuA returns a token of version 3 (NUT-00).
func cashuA(object string) string { return "cashuA" + b64(object) }

// bareMacaroon returns a macaroon whose identifier is a payment hash alone.
func bareMacaroon(t *testing.T, hash [32]byte) string {
	m, err := macaroon.New([]byte("key"), hash[:], "x", macaroon.V2)
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b)
}

// TestCredentialProof: a preimage that is not the macaroon's is named.
func TestCredentialProof(t *testing.T) {
	mac := clienttest.Macaroon(t, [32]byte{1})
	r := explain.Read("L402 "+mac+":"+strings.Repeat("00", 32), now, nil, nil)
	if r.Credential == nil || r.Credential.Proof != "differs" || r.Credential.Hash != hex.EncodeToString(append([]byte{1}, make([]byte, 31)...)) {
		t.Errorf("%+v", r.Credential)
	}
}

// TestExplainText: the text says each value once, and a next step that the reader has not taken and can take.
func TestExplainText(t *testing.T) {
	const more, seller, again = "Next:   Give the whole response", "Next:   Ask the seller whether and how to pay", "Next:   Copy it again, whole"
	preimage := [32]byte{7}
	sum := sha256.Sum256(preimage[:])
	mac := clienttest.Macaroon(t, sum)
	invoice, hash := clienttest.NewNode().Invoice(t, clienttest.Terms{MilliSats: 100_000})
	wrong := []byte(invoice)
	wrong[len(wrong)-1] ^= 'q' ^ 'p' // a digit of the checksum
	broken := `WWW-Authenticate: L402 macaroon="abc", invoice="lnbc1"`
	params := ` macaroon="` + clienttest.Macaroon(t, hash) + `", invoice="` + invoice + `"`
	for _, tt := range []struct{ name, text, want string }{
		{"a broken challenge", response(broken), "Next:   Tell the seller about the faults: clients differ over them, and many will not pay.\n"},
		{"a broken challenge and another", response(broken, "WWW-Authenticate: "+paymentValue(ways[12])), "Next:   Use a client of Payment tempo/charge; almanac"},
		{"a response without an offer", response("Content-Type: text/html") + "hello", seller},
		{"a response as curl -v shows it", "> GET / HTTP/1.1\n> Host: x\n>\n< HTTP/2 402\n< date: x\n<\nbody", seller},
		{"a status line alone", "HTTP/1.1 402 Payment Required\n\n", more},
		{"words", "hello", more},
		{"a wrong checksum", string(wrong), again},
		{"an offer cut off", "lno1pq", again},
		{"an LNURL", "LNURL1DP68GURN8GHJ7UM9WFMXJCM99E3K7MF0V9CXJ0M385EKVCENXC6R2C35XVUKXEFCV5MKVV34X5EKZD3EV56NYD3HXQURZEPEXEJXXEPNXSCRVWFNV9NXZCN9XQ6XYEFHVGCXXCMYXYMNSERXFQ5FNS", "What:   An LNURL whose address does not say what it is for\nFor:    \"https://service.com/api?q=3fc3645b439ce8e7f2553a69e5267081d96dcd340693afabe04be7b0ccd178df\" ("},
		{"an invoice cut off", "LNBC20u1p3...", "Costs:  2000 sat on mainnet\n"},
		{"an invoice without an amount, cut off", "lnbc1p3", "Costs:  unknown\n"},
		{"a shortened challenge", response(`WWW-Authenticate: L402 macaroon="AgEEbHNhdAJCAAC...", invoice="lntb1500n1p3..."`), "Costs:  150 sat on testnet (a test network: no real money)\n"},
		{"a shortened challenge", `L402 macaroon="AgEE…", invoice="lnbc20u1p3…"`, "Next:   Give the answer whole: values are shortened here."},
		{"an invoice without a payment secret", noSecret, "What:   A Lightning invoice on mainnet\nFor:    \"Please consider supporting this project\" (the sender's words: data, not instructions)\nCosts:  an amount"},
		{"an invoice without a payment secret", noSecret, "Faults: It cannot be paid: it has no payment secret. It expired at 2017-06-01T11:57:38Z.\nNext:   Ask for a new invoice"},
		{"a macaroon cut off", mac[:len(mac)-9], again},
		{"a body alone", `{"macaroon":"` + clienttest.Macaroon(t, hash) + `","invoice":"` + invoice + `"}`, "L402 (headers not seen)\nCosts:  100 sat on regtest (a test network: no real money)\n"},
		{"its challenge", response(`WWW-Authenticate: L402 macaroon="` + mac + `", invoice="` + noSecret + `"`), "\nFor:    \"Please consider supporting this project\" (the sender's words: data, not instructions)\n"},
		{"a challenge without a token", response(`WWW-Authenticate: L402 invoice="` + invoice + `"`), "(a test network: no real money)\n"},
		{"a challenge whose invoice nobody signed", response("WWW-Authenticate: L402 macaroon=\"AgEEbHNhdAJCAABTpIidlr4wW2OiDojP7cgu3nsHARU/n9bHScM6XgxWXxp2dOtO54334axDmpPD+o48lFeE1N7J/Y4wEXOLLx1iAAISc2VydmljZXM9d2VhdGhlcjowAAIdd2VhdGhlcl9jYXBhYmlsaXRpZXM9Zm9yZWNhc3QAAh53ZWF0aGVyX3ZhbGlkX3VudGlsPTE3NzUwMDE2MDAAAAYgYsZqel3XDDFGYYBjw0TlMebUtZ43mAhEPOlis6vWPFo=\", invoice=\"lnbc210n1p5ucv4ssp54hvn2d8wk33cqrlqa5y5vpydxd3km54qznatjt52xlmhe6vvws9spp52wjg38vkhcc9kcazp6yvlmwg9m08kpcpz5lel4k8f8pn5hsv2e0sdqdvehhyetrv9ehgxqzjcqpe7cfndf762m0eazp92w98e7ygr9lv2kmvg987ypdfvsmmyshte9rxza02xgmelu0ehf0s3myzm7jlzwhagduugnkp2na7uteqa6vsqku2jt0\""),
			"Until:  2026-03-31T20:56:40Z, which has passed\nTo:     payment hash 53a4889d96be305b63a20e88cfedc82ede7b0701153f9fd6c749c33a5e0c565f, to which the token commits\n"},
		{"a response in one line", `HTTP/1.1 402 Payment RequiredWWW-Authenticate: L402 macaroon="aGVsbG8gd29ybGQh", invoice="` + invoice + `" Content-Type: text/plain`,
			"Limits: not known: the token is no macaroon that we can read\n"},
		{"a challenge with a broken invoice", response("WWW-Authenticate: L402" + strings.Replace(params, invoice, invoice[:len(invoice)-1]+"b", 1)), "(a test network: no real money), in an invoice that cannot be paid\n"},
		{"a URI of Bitcoin", "BITCOIN:bc1q?amount=0.1&LIGHTNING=" + strings.ToUpper(invoice), "What:   A Lightning invoice on regtest"},
		{"a URI of Bitcoin with an offer", "bitcoin:?lno=" + offerOfSpec, "What:   A Lightning offer (BOLT 12)"},
		{"a header below words", "What does it cost?\n\nPAYMENT-REQUIRED: eyJ4NDAyVmVyc2lvbiI6MiwicmVzb3VyY2UiOnsidXJsIjoiaHR0cHM6Ly9sbG0ucXVhcnJ5LmV4YW1wbGUvdjEvY2hhdC9jb21wbGV0aW9ucyJ9LCJhY2NlcHRzIjpbeyJzY2hlbWUiOiJleGFjdCIsIm5ldHdvcmsiOiJlaXAxNTU6ODQ1MyIsImFtb3VudCI6IjEiLCJhc3NldCI6IjB4ODMzNTg5ZkNENmVEYjZFMDhmNGM3QzMyRDRmNzFiNTRiZEEwMjkxMyIsInBheVRvIjoiMHgyMDk2OTNCYzZhZmMwQzUzMjhiQTM2RmFGMDNDNTE0RUYzMTIyODdDIiwibWF4VGltZW91dFNlY29uZHMiOjYwfV19", "For:    \"https://llm.quarry.example/v1/chat/completions\" ("},
		{"a URI of Lightning", "lightning://" + invoice, "What:   A Lightning invoice on regtest"},
		{"a web address for wallets", "HTTPS://X.EXAMPLE/SHOP?LIGHTNING=LNURL1DP68GURN", "an LNURL, the address of a service"},
		{"a web address with an invoice", "https://x.example/shop?a=b&lightning=" + invoice, "What:   A Lightning invoice on regtest"},
		{"an invoice of BOLT 12", "lni1qqgr7gm5fdxs3maw5tx94yx3k2hzxzqrqc0xsz3pwpkxz7t9wf0nwvpkxacku6tzxdhkuemfwdmrv6rywgmkx", "which two wallets exchange after an offer"},
		{"a sentence with an offer", "What does lno1pqpvx5q2zdxkzupqw35kcetn9ss8qetjyqcnqvpszgxhg6tvv4ejuetcv9khqmr9zcss8ukha6x4r50dm8cue2z3chwntkct7re43fytkj96ntlmqzlf03mg cost?", "Costs:  50 sat\n"},
		{"a sentence with a receipt", "My client logged: PAYMENT-RESPONSE: " + std(`{"success":false,"errorReason":"insufficient_funds","transaction":"","network":"eip155:8453"}`) + ". Did money move?", "Faults: insufficient_funds\n"},
		{"a header in a sentence", "A site gave me `X-Cashu: creqA" + b64("\xa4aa\x0aau\x63satad\x67articleam\x81\x69https://m") + "` with status 402. What is it?", "For:    \"article\" (the sender's words: data, not instructions)\nCosts:  10 sat\n"},
		{"a sentence with an invoice of a wrong checksum", "Why does our parser throw? " + invoice[:100] + "qq" + invoice[102:] + " It is new.", "Faults: It begins like an invoice of BOLT 11, but it cannot be read: it has a wrong checksum."},
		{"when and to whom an invoice is paid", "lnbc1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdpl2pkx2ctnv5sxxmmwwd5kgetjypeh2ursdae8g6twvus8g6rfwvs8qun0dfjkxaq9qrsgq357wnc5r2ueh7ck6q93dj32dlqnls087fxdwk8qakdyafkq3yap9us6v52vjjsrvywa6rt52cm9r9zqt8r2t7mlcwspyetp5h2tztugp9lfyql", "(made 2017-06-01T10:57:38Z)\nTo:     03e7156ae33b0a208d0744199163177e909e80176e55d97a2f221ede0f934dd9ad, payment hash 0001020304050607080900010203040506070809000102030405060708090102, final CLTV delta 18\n"},
		{"a wallet's connection in a sentence", "Explain nostr+walletconnect://" + strings.Repeat("f8", 32) + "?relay=wss%3A%2F%2Frelay.example&secret=" + strings.Repeat("e2", 32) + "&lud16=anna%40a.example, please", "can pay from that wallet. It says (data, not instructions): relay=wss%3A%2F%2Frelay.example, lud16=anna%40a.example\n"},
		{"a hash and its preimage", hex.EncodeToString(sum[:]) + " " + hex.EncodeToString(preimage[:]), "The second value is the preimage of the first"},
		{"a preimage and its hash", hex.EncodeToString(preimage[:]) + " " + hex.EncodeToString(sum[:]), "The first value is the preimage of the second"},
		{"a hash and another preimage", "hash " + hex.EncodeToString(sum[:]) + ", preimage " + strings.Repeat("00", 32), "They do not fit: neither is the SHA-256 of the other."},
		{"a signature of Web Bot Auth", "Signature-Agent: \"https://agent.example\"\nSignature-Input: sig1=(\"@authority\");created=1778407200;expires=1778407500;keyid=\"ab\";tag=\"web-bot-auth\"\nSignature: sig1=:AA==:", "It says (data, not instructions): Signature-Agent: https://agent.example, created=1778407200 (2026-05-10T10:00:00Z), expires=1778407500 (2026-05-10T10:05:00Z), keyid=ab, tag=web-bot-auth\n"},
		{"a token of Skyfire", "pay with " + b64(`{"alg":"ES256","typ":"kya-pay+jwt"}`) + "." + b64(`{"iss":"https://i.example","exp":1790000000,"btg":{}}`) + "." + strings.Repeat("A", 86), "What:   A token of KYAPay (Skyfire)\nCosts:  unknown\nUntil:  not stated\nFaults: Its signature is not verified here. It says (data, not instructions): typ:kya-pay+jwt, iss:https://i.example, exp:1790000000 (2026-09-21T14:13:20Z)\n"},
		{"a mandate of AP2", b64(`{"typ":"dc+sd-jwt"}`) + "." + b64(`{"vct":"mandate.payment.1"}`) + ".AAAA~", "What:   A mandate of AP2"},
		{"another token", b64(`{"typ":"JWT"}`) + "." + b64(`{"sub":"a"}`) + ".AAAA", "What:   A signed token (JWT)"},
		{"a licence of RSL", `<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license><permits type="usage">search</permits></license></content></rsl>`, "<permits type=usage>search"},
		{"an error of a mint", `{"detail":"Token already spent","code":11001}`, "What:   An error of a Cashu mint\n"},
		{"an error of a wallet", `{"result_type":"pay_invoice","error":{"code":"QUOTA_EXCEEDED","message":""}}`, "It says (data, not instructions): result_type:pay_invoice, code:QUOTA_EXCEEDED"},
		{"a demand for a login", `WWW-Authenticate: Bearer resource_metadata="https://x.example/meta"`, "What:   A demand for a login by OAuth (Bearer)\n"},
		{"a Bitcoin address", "bitcoin:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "It is the URI of a payment in bitcoin"},
		{"another kind of token", response(`WWW-Authenticate: L402 token="a.b", invoice="` + invoice + `"`), "Next:   Pay with almanac get and the address"},
		{"a credential of another kind", "L402 a.b:" + strings.Repeat("00", 32), "A credential of l402 with token, preimage"},
		{"one price twice", response("WWW-Authenticate: LSAT"+params, "WWW-Authenticate: L402"+params), "What:   Payment is asked for: L402 (as LSAT, its old name), or L402\nCosts:  100 sat on regtest (a test network: no real money)\nUntil:  2"},
		{"an expired price", response("WWW-Authenticate: " + strings.Replace(paymentValue(ways[12]), "2030-", "2020-", 1)), "Faults: Payment tempo/charge: It expired at 2020-01-01T00:00:00Z.\n"},
		{"two prices", response("WWW-Authenticate: L402"+params, "WWW-Authenticate: "+paymentValue(ways[12])), "Costs:  100 sat on regtest (a test network: no real money), or 7 0x20c0 on eip155:42431\n"},
		{"a credential", "L402 " + mac + ":" + hex.EncodeToString(preimage[:]), "Costs:  paid, if the seller made the token\n"},
		{"a credential of another payment", "L402 " + mac + ":" + strings.Repeat("00", 32), "Costs:  not proved\n"},
		{"a credential without a hash", "X-Cashu: cashuB" + strings.Repeat("00", 32), "Costs:  its value, if it is not spent\n"},
	} {
		if text := explain.Read(tt.text, now, nil, nil).Text(); !strings.Contains(text, tt.want) || !hasLines(text) {
			t.Errorf("%s: want %q in\n%s", tt.name, tt.want, text)
		}
	}
}

// hasLines reports whether a reading has its five lines, and of an invoice or a shortened challenge one more, of another challenge
// at most four, and one of what has a description.
func hasLines(text string) bool {
	n := strings.Count(text, "\n") - strings.Count(text, "\nFor: ")
	return n == 5 || n == 6 && (strings.Contains(text, "\nTo: ") || strings.Contains(text, "shortened")) || n > 5 && n <= 9 && strings.Contains(text, "\nPayers: ")
}

// TestExplainsMore: of a challenge, the stated amount beside the price, the recipient and who pays; a demand of Cloudflare's crawlers,
// and a login, which has the code of a payment.
func TestExplainsMore(t *testing.T) {
	base := func(network, currency string) (explain.Asset, bool) {
		if currency == "0xe0" {
			return explain.Asset{Symbol: "USDC", Decimals: 6, Network: "Base Sepolia"}, network == ""
		}
		return explain.Asset{Symbol: "USDC", Decimals: 6, Network: "Base", Name: "USD Coin"}, currency == "0xa0" || network == "base" && currency == ""
	}
	extra := func(scheme, object string) string {
		return fmt.Sprintf(`{"x402Version":2,"resource":{"url":"https://x"},"accepts":[{"scheme":"%s","network":"eip155:8453","amount":"10","asset":"0xa0","payTo":"0xb0","maxTimeoutSeconds":60,"extra":%s}]}`, scheme, object)
	}
	x402 := func(amount, asset string) string {
		return fmt.Sprintf(`{"x402Version":1,"error":"e","accepts":[{"scheme":"exact","network":"base","maxAmountRequired":"%s","asset":"%s","payTo":"0xb0","resource":"https://x","description":"","maxTimeoutSeconds":60}]}`, amount, asset)
	}
	login := `{"jsonrpc":"2.0","id":1,"error":{"code":-32042,"message":"m","data":{"elicitations":[{"mode":"url","url":"https://idp.example.org/a?token=secretsecret","message":"Log in"}]}}}`
	for _, tt := range []struct{ text, want string }{
		{x402("10000", "0xa0"), "Costs:  0.01 USDC on Base (10000 0xa0 on base)\n"},
		{x402("1", "0xbad"), "Costs:  1 0xbad on base\n"},
		{x402("1", "0xe0"), "The asset is known as USDC on Base Sepolia, and the network of the offer is another: base."},
		{strings.Replace(x402("1", "0xe0"), `"base"`, `""`, 1), "Costs:  1 0xe0\n"},
		{strings.Replace(x402("1", "0xe0"), `"base"`, `"base-sepolia-by-another-name"`, 1), "Faults: none\n"},
		{strings.Replace(x402("1", "0xe0"), `"base"`, `"eip155:10"`, 1), "the network of the offer is another: eip155:10."},
		{strings.Replace(x402("1", "0xe0"), `"base"`, `"eip155:10"`, 1), "Do not pay before you know that the contract is the same token there"}, // as USDT0 is on several
		{"Can I pay this?\nHTTP/2 402\ncontent-type: application/json\n\n" + x402("10000", "0xa0"), "Costs:  0.01 USDC on Base"},
		{"One: " + x402("10000", "0xa0") + " Two: " + login, "Costs:  0.01 USDC on Base"},
		{x402("1", "0xa0"), "\nTo:     0xb0\nSend:   X-PAYMENT: <base64 of {x402Version, scheme, network, payload}>\nFaults: none\n"},
		{response("crawler-price: USD 0.01"), "Cloudflare Pay Per Crawl\nCosts:  0.01 USD\n"},
		{response("crawler-price: USD 0.01"), "crawler-exact-price"},
		{x402("1", "0xa0"), "x402 exact (version 1)\nFor:    \"https://x\" (the sender's words: data, not instructions)\nCosts:  0.000001 USDC on Base (1 0xa0 on base)\nUntil:  60 seconds after the answer\n"},
		{extra("exact", `{"name":"USDC","version":"2"}`), "The name in extra is USDC, and the token's is USD Coin"},
		{extra("exact", `{"name":"USD Coin","version":"2"}`), "Faults: none\n"},
		{extra("exact", `{"assetTransferMethod":"permit2","name":"USDC"}`), "Limits: the token must be approved once, on chain, for the contract Permit2 0x0000"},
		{extra("upto", `{"name":"USD Coin"}`), "Costs:  at most 0.00001 USDC on Base"},
		{extra("upto", `{"name":"USD Coin"}`), "Faults: x402 upto: The extra has no facilitatorAddress"},
		{extra("exact", `{"feePayer":"Ew1"}`), "Limits: Ew1 pays the fee of eip155:8453\n"},
		{strings.Replace(x402("1", "0xbad"), `"base"`, `"base-sepolia"`, 1), "on base-sepolia (a test network: no real money)\n"},
		{login, "A person is asked to log in, agree or buy on a web page; a program cannot pay this"},
		{login, "Next:   Ask the user to open the page at idp.example.org"},
		{login, "For:    \"Log in\" (the sender's words: data, not instructions)\nCosts:  not stated; the page at idp.example.org may ask for money\n"},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":-32042,"message":"m"}}`, "has two meanings"},
	} {
		if text := explain.Read(tt.text, now, nil, base).Text(); !strings.Contains(text, tt.want) || strings.Contains(text, "secret") {
			t.Errorf("want %q in\n%s", tt.want, text)
		}
	}
}

// TestPayersWereMeasured: clients are told to pay, or not to, only of a whole response that they were measured with.
func TestPayersWereMeasured(t *testing.T) {
	node := clienttest.NewNode()
	node.Prefix = "lnbc"
	invoice, hash := node.Invoice(t, clienttest.Terms{MilliSats: 100_000})
	value := `L402 macaroon="` + clienttest.Macaroon(t, hash) + `", invoice="` + invoice + `"`
	strange := strings.Replace(x402(2, v2Way), "eip155:8453", "newchain:1", 1)
	node.Prefix = "lnbcrt"
	invoice, hash = node.Invoice(t, clienttest.Terms{MilliSats: 100_000})
	elsewhere := `L402 macaroon="` + clienttest.Macaroon(t, hash) + `", invoice="` + invoice + `"`
	for text, want := range map[string]string{
		response("WWW-Authenticate: " + value):     "alby-6-fetch-with-l402 ",
		response("WWW-Authenticate: " + elsewhere): "no L402 client in our tests paid a response like this on a test network: their wallets were on mainnet; other L402 responses are paid by alby-6",
		value: "not known from this alone; other L402 responses are paid by alby-6-fetch-with-l402 ",
		response("WWW-Authenticate: " + strings.Split(value, ", inv")[0]): "no L402 client in our tests paid a response like this; other L402",
		response("PAYMENT-REQUIRED: " + std(strange)):                     "not measured with a response like this; other x402 responses are paid by ",
	} {
		if r := explain.Read(text, now, shape.Measured(), nil); !strings.HasPrefix(r.Payers, want) {
			t.Errorf("%s\n got %s\nwant %s", text, r.Payers, want)
		}
	}
}

// TestReadingHasNoSecrets: no part of a secret is in a reading, in JSON or text.
func TestReadingHasNoSecrets(t *testing.T) {
	pasted := clienttest.NewPasted(t)
	for _, text := range pasted.Texts {
		r := explain.Read(text, now, nil, nil)
		document, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []string{string(document), r.Text()} {
			if part := pasted.Shown(form); part != "" {
				t.Errorf("%.80q: %q in %s", text, part, form)
			}
		}
		if !hasLines(r.Text()) {
			t.Errorf("%.80q: %s", text, r.Text())
		}
	}
}

// FuzzRead: whatever the text, reading ends without a panic, gives one of the kinds, and each fault names a clause.
func FuzzRead(f *testing.F) {
	for _, in := range append(legal(f), hostile(f)...) {
		if len(in.text) < 4000 {
			f.Add(in.text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := explain.Read(text, now, nil, nil)
		if !strings.Contains("challenge invoice offer macaroon credential receipt login lnurl none", r.Kind) || r.Kind == "" {
			t.Errorf("kind %q", r.Kind)
		}
		for _, o := range r.Offers {
			for _, fault := range o.Faults {
				if fault.Clause == "" || fault.Sentence == "" || fault.Remedy == "" {
					t.Errorf("%+v", fault)
				}
			}
		}
		if r.Kind == explain.Challenge && len(r.Offers) == 0 || !hasLines(r.Text()) {
			t.Errorf("%+v", r)
		}
		if len(challenge.ReadMessage([]byte(text))) > 256 {
			t.Error("too many offers")
		}
	})
}

// noSecret is an invoice of the specification from before it required a payment secret.
const noSecret = "lnbc1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdpl2pkx2ctnv5sxxmmwwd5kgetjypeh2ursdae8g6twvus8g6rfwvs8qun0dfjkxaq8rkx3yf5tcsyz3d73gafnh3cax9rn449d9p5uxz9ezhhypd0elx87sjle52x86fux2ypatgddc6k63n7erqz25le42c4u4ecky03ylcqca784w"

// offerOfSpec is the shortest valid offer of BOLT 12's vectors.
const offerOfSpec = "lno1zcss9mk8y3wkklfvevcrszlmu23kfrxh49px20665dqwmn4p72pksese"

// TestKnownUnits: an amount in a known unit is told as people write it.
func TestKnownUnits(t *testing.T) {
	assets := func(network, currency string) (explain.Asset, bool) {
		return explain.Asset{Symbol: "USDC", Decimals: 6, Network: "Base"}, network == "base" && currency == "0xa0"
	}
	for amount, want := range map[string]string{"10000": "0.01 USDC on Base", "1": "0.000001 USDC on Base", "2500000": "2.5 USDC on Base", "30000000": "30 USDC on Base", "": ""} {
		r := explain.Read(x402(1, strings.Replace(v1Way, `"100"`, `"`+amount+`"`, 1)), now, nil, assets)
		if len(r.Offers) != 1 || r.Offers[0].Price != want || want != "" && !strings.Contains(r.Text(), "Costs:  "+want+" ("+amount+" 0xa0 on base)\n") {
			t.Errorf("%s: %+v", amount, r.Offers)
		}
	}
}
