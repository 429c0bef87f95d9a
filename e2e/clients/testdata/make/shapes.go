package main

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/btcsuite/btcd/chaincfg"
)

// The clauses that several shapes rest on. A reading names those that a shape breaks as "spec, section".
var (
	cChallenge = clause{Spec: "L402, protocol-specification.md", Section: "Server Flow", Says: "A 402 names the scheme L402 with a token in base64, which commits to the payment hash, and the invoice"}
	cToken     = clause{Spec: "L402, protocol-specification.md", Section: "Server Flow", Says: "token carries the credential's first part, version its form; unknown parameters are ignored"}
	cMint      = clause{Spec: "L402, macaroon-spec.md", Section: "Identifier Structure", Says: "Version, payment hash of the invoice and token id, 66 bytes"}
	cEncoding  = clause{Spec: "L402, macaroon-spec.md", Section: "HTTP Header Encoding", Says: "The macaroon is in standard base64, with padding"}
	cCompat    = clause{Spec: "L402, protocol-specification.md", Section: "Backwards Compatibility", Says: "Old clients know the scheme as LSAT"}
	cParams    = clause{Spec: "RFC 9110", Section: "section 11.2", Says: "Parameters are in any order, separated by commas; values are tokens or quoted strings; names have no case"}
	cScheme    = clause{Spec: "RFC 9110", Section: "section 11.1", Says: "The name of a scheme has no case"}
	cList      = clause{Spec: "RFC 9110", Section: "section 11.6.1", Says: "Several challenges stand in one line or in several"}
	cInvoice   = clause{Spec: "BOLT 11", Section: "Requirements", Says: "A payer does not pay after the expiry, and pays the amount of the invoice"}
	cPayment   = clause{Spec: "draft-httpauth-payment", Section: "section 5.1.1", Says: "id, realm, method, intent and request are required; a request is JSON in base64url without padding"}
	cJCS       = clause{Spec: "draft-httpauth-payment", Section: "section 5.1.1; RFC 8785", Says: "A request is canonical JSON: sorted members, no white space"}
	cOptional  = clause{Spec: "draft-httpauth-payment", Section: "section 5.1.2", Says: "expires is a time, after which nobody pays; opaque is canonical JSON; description is for people"}
	cHeader    = clause{Spec: "draft-httpauth-payment-01", Section: "section 5.1.2", Says: "header asks for the credential in Payment-Authorization"}
	cCharge    = clause{Spec: "draft-lightning-charge", Section: "Request Schema", Says: "Amount of the invoice in satoshis, currency sat, the invoice in methodDetails"}
	cSession   = clause{Spec: "draft-lightning-session", Section: "Challenge Request", Says: "A deposit invoice and its payment hash; the rest is refunded"}
	cMethods   = clause{Spec: "draft-httpauth-payment", Section: "section 6", Says: "Methods are registered apart; a client ignores those that it does not know"}
	cV1        = clause{Spec: "x402, x402-specification-v1.md", Section: "section 5.1.2", Says: "The body has x402Version 1 and accepts"}
	cV2        = clause{Spec: "x402, x402-specification-v2.md", Section: "section 5.1.2", Says: "x402Version 2, a resource, and at least one way to pay in accepts"}
	cV2HTTP    = clause{Spec: "x402, transports-v2/http.md", Section: "Payment Required Signaling", Says: "PAYMENT-REQUIRED is standard base64 of the object"}
	cCashu     = clause{Spec: "Cashu, NUT-24", Section: "Server response", Says: "X-Cashu carries a NUT-18 request with amount, unit and mints"}
	cUpto      = clause{Spec: "x402, scheme_upto_evm.md", Section: "section 2", Says: "extra has a facilitatorAddress, which the signature binds"}
	cMCP       = clause{Spec: "draft-payment-transport-mcp", Section: "Challenge Structure", Says: "Code -32042 with challenges, whose request is an object, not base64url"}
	cMCPMeta   = clause{Spec: "mppx", Section: "MCP transport", Says: "A result carries the challenges in _meta, as org.paymentauth/payment-required; the draft has the error alone"}
	cMCPX402   = clause{Spec: "x402, transports-v2/mcp.md", Section: "Payment Required Signaling", Says: "A tool's result with isError and the object as structuredContent and text"}
	cA2A       = clause{Spec: "a2a-x402, specification v0.1", Section: "Payment required", Says: "A task in input-required with x402.payment.required in its message's metadata"}
	c402       = clause{Spec: "RFC 9110", Section: "section 15.5.3", Says: "The status 402 is reserved; nothing says how to pay"}
	cMessage   = clause{Spec: "JSON-RPC 2.0", Section: "5.1 Error object", Says: "A code, a message and data"}
)

const auth = "WWW-Authenticate"

func shapes() []file {
	var all []file
	http := func(id, title, family string, lightning bool, headers [][2]string, body string, clauses ...clause) *file {
		f := file{ID: id, Title: title, Family: family, Legal: true, Transport: "http", Status: 402, Headers: headers,
			Body: body, Clauses: clauses}
		if lightning {
			p := preimage(id)
			f.Preimage = hex.EncodeToString(p[:])
		}
		all = append(all, f)
		return &all[len(all)-1]
	}
	problem := `{"type":"about:blank","title":"Payment Required","status":402}`
	text := [2]string{"Content-Type", "text/plain; charset=utf-8"}
	json1 := [2]string{"Content-Type", "application/json"}
	problem1 := [2]string{"Content-Type", "application/problem+json"}
	cache := [2]string{"Cache-Control", "no-store"}
	m := func(id string) string { return std(mac(hash(id))) }
	inv := func(id string) string { return invoice(id, terms{sats: 100}) }
	// l402 is a shape whose one challenge has the macaroon M and the invoice I of its id.
	l402 := func(id, title, value string, clauses ...clause) *file {
		value = strings.NewReplacer("{M}", m(id), "{I}", inv(id)).Replace(value)
		return http(id, title, "l402", true, [][2]string{{auth, value}, problem1, cache}, problem, append([]clause{cChallenge}, clauses...)...)
	}
	classic := `L402 macaroon="{M}", invoice="{I}"`
	classicOf := func(id string) string {
		return strings.NewReplacer("{M}", m(id), "{I}", inv(id)).Replace(classic)
	}

	l402("l402", "L402 with macaroon and invoice", classic, cMint)
	l402("l402-both", "L402 with macaroon, invoice, version and token", classic+`, version="0", token="{M}"`, cToken)
	l402("l402-token", "L402 with version, token and invoice", `L402 version="0", token="{M}", invoice="{I}"`, cToken)
	l402("l402-token-only", "L402 with token and invoice, without version", `L402 token="{M}", invoice="{I}"`, cToken)
	id := "l402-alby-server"
	l402(id, "L402 as the server of Alby's lightning-tools writes it, with a token that is no macaroon, and without a comma after the version",
		`L402 version="0" token="`+albyToken(id)+`", invoice="{I}"`, cToken, cParams, cEncoding).Legal = false
	l402("l402-opaque", "L402 with a token that is no macaroon", `L402 version="0", token="`+std([]byte("an opaque token"))+`", invoice="{I}"`, cToken)
	l402("l402-invoice-first", "L402 with the invoice before the macaroon", `L402 invoice="{I}", macaroon="{M}"`, cParams)
	l402("l402-version-first", "L402 with version, macaroon and invoice", `L402 version="0", macaroon="{M}", invoice="{I}"`, cParams)
	l402("l402-no-space", "L402 without a space after the comma", `L402 macaroon="{M}",invoice="{I}"`, cParams)
	l402("l402-realm-first", "L402 with a realm before its parameters", `L402 realm="shop.example", macaroon="{M}", invoice="{I}"`, cParams)
	l402("l402-lower-case", "The scheme in lower case", `l402 macaroon="{M}", invoice="{I}"`, cScheme)
	l402("l402-upper-case-names", "The parameters' names in upper case", `L402 Macaroon="{M}", Invoice="{I}"`, cParams)
	l402("l402-missing-comma", "L402 without the comma between its parameters", `L402 macaroon="{M}" invoice="{I}"`, cParams).Legal = false
	l402("l402-unquoted", "L402 with unquoted values, of which the macaroon has characters that no token may have",
		`L402 macaroon={M}, invoice={I}`, cParams).Legal = false
	l402("l402-single-quotes", "L402 with single quotes", `L402 macaroon='{M}', invoice='{I}'`, cParams, cInvoice).Legal = false
	l402("l402-space-before-comma", "L402 with a space before the comma", `L402 macaroon="{M}" , invoice="{I}"`, cParams)
	l402("l402-unquoted-invoice", "L402 with an invoice without quotes", `L402 macaroon="{M}", invoice={I}`, cParams)
	id = "l402-bare-hash"
	http(id, "L402 whose macaroon has the bare payment hash as its identifier", "l402", true, [][2]string{{auth, `L402 macaroon="` +
		std(macOf(bytesOf(hash(id)))) + `", invoice="` + inv(id) + `"`}, problem1, cache}, problem, cChallenge)
	id = "l402-dear"
	http(id, "L402 with an invoice of 1,000 satoshis", "l402", true, [][2]string{{auth, `L402 macaroon="` + m(id) + `", invoice="` +
		invoice(id, terms{sats: 1000}) + `"`}, problem1, cache}, problem, cChallenge)
	id = "l402-base64url"
	http(id, "L402 with its macaroon in base64url without padding", "l402", true, [][2]string{{auth,
		`L402 macaroon="` + base64.RawURLEncoding.EncodeToString(mac(hash(id))) + `", invoice="` + inv(id) + `"`}, problem1, cache}, problem, cChallenge, cEncoding).Legal = false
	id = "l402-caveats"
	http(id, "L402 whose macaroon has caveats of a service and an end", "l402", true, [][2]string{{auth, `L402 macaroon="` +
		std(mac(hash(id), "services=article:0", "article_valid_until=2082758400")) + `", invoice="` + inv(id) + `"`}, problem1, cache}, problem, cChallenge, cMint)
	id = "l402-two-challenges"
	two := `L402 macaroon="` + m(id) + `", invoice="` + inv(id) + `"`
	dear := `L402 macaroon="` + m(id) + `", invoice="` + invoice(id, terms{sats: 500}) + `"`
	http(id, "Two L402 challenges of 500 and 100 satoshis in one line", "l402", true, [][2]string{{auth, dear + ", " + two}, problem1, cache}, problem, cChallenge, cList)
	id = "l402-two-lines"
	http(id, "Two L402 challenges of 100 and 500 satoshis in two lines", "l402", true, [][2]string{
		{auth, classicOf(id)}, {auth, `L402 macaroon="` + m(id) + `", invoice="` + invoice(id, terms{sats: 500}) + `"`}, problem1, cache}, problem, cChallenge, cList)
	id = "lsat"
	http(id, "LSAT, the name of L402 until 2023", "lsat", true, [][2]string{{auth, "LSAT" + classicOf(id)[4:]}, text}, "payment required\n", cCompat)
	id = "lsat-no-space"
	http(id, "LSAT without a space after the comma", "lsat", true, [][2]string{{auth,
		`LSAT macaroon="` + m(id) + `",invoice="` + inv(id) + `"`}, text}, "payment required\n", cCompat, cParams)
	id = "lsat-l402"
	http(id, "LSAT and L402 in two lines, as aperture writes them", "l402", true, [][2]string{{auth, "LSAT" + classicOf(id)[4:]}, {auth, classicOf(id)}, text}, "payment required\n", cChallenge, cCompat, cList)
	id = "l402-lsat"
	http(id, "L402 and LSAT in two lines", "l402", true, [][2]string{{auth, classicOf(id)}, {auth, "LSAT" + classicOf(id)[4:]}, text}, "payment required\n", cChallenge, cCompat, cList)
	id = "bearer-l402"
	http(id, "Bearer in a line before L402", "l402", true, [][2]string{{auth, `Bearer realm="shop.example"`}, {auth, classicOf(id)}, problem1, cache}, problem, cChallenge, cList)
	id = "bearer-l402-one-line"
	http(id, "Bearer and L402 in one line", "l402", true, [][2]string{{auth, `Bearer realm="shop.example", ` + classicOf(id)}, problem1, cache}, problem, cChallenge, cList)
	id = "l402-body"
	http(id, "Macaroon and invoice in the body alone, as l402-kit's servers write them", "l402", true, [][2]string{json1, cache},
		string(compact(object{"error": "Payment Required", "priceSats": 100, "macaroon": m(id), "invoice": inv(id)})), cChallenge).Legal = false
	id = "l402-header-and-body"
	http(id, "L402 in the header, and again in the body", "l402", true, [][2]string{{auth, classicOf(id)}, json1, cache},
		string(compact(object{"error": "Payment Required", "priceSats": 100, "macaroon": m(id), "invoice": inv(id)})), cChallenge)
	id = "l402-no-invoice"
	http(id, "L402 without an invoice", "l402", false, [][2]string{{auth, `L402 macaroon="` + m(id) + `"`}, problem1, cache}, problem, cChallenge).Legal = false
	id = "l402-expired"
	f := http(id, "L402 with an invoice that expired in 2020", "l402", true, [][2]string{{auth, `L402 macaroon="` + m(id) + `", invoice="` +
		invoice(id, terms{sats: 100, created: longPast, expiry: 3600e9}) + `"`}, problem1, cache}, problem, cChallenge, cInvoice)
	f.Legal, f.Trap = false, "The invoice expired"
	id = "l402-other-hash"
	f = http(id, "L402 whose macaroon is of another payment", "l402", true, [][2]string{{auth, `L402 macaroon="` + m("another") + `", invoice="` + inv(id) + `"`}, problem1, cache}, problem, cChallenge, cMint)
	f.Legal, f.Trap = false, "The preimage will not open the macaroon"
	id = "l402-open-amount"
	f = http(id, "L402 with an invoice without amount", "l402", true, [][2]string{{auth, `L402 macaroon="` + m(id) + `", invoice="` +
		invoice(id, terms{}) + `"`}, problem1, cache}, problem, cChallenge)
	f.Trap = "Nothing states the price"
	id = "l402-regtest"
	f = http(id, "L402 with an invoice of regtest", "l402", true, [][2]string{{auth, `L402 macaroon="` + m(id) + `", invoice="` +
		invoice(id, terms{sats: 100, net: &chaincfg.RegressionNetParams}) + `"`}, problem1, cache}, problem, cChallenge)
	f.Trap = "A mainnet wallet cannot pay it"
	id = "l402-cut-off"
	http(id, "L402 whose macaroon is cut off", "l402", false, [][2]string{{auth, `L402 macaroon="` + std(mac([32]byte{})[:20]) + `", invoice="` + inv(id) + `"`}, problem1, cache}, problem, cChallenge, cMint).Legal = false

	pay := func(id, title, family string, lightning bool, lines []string, clauses ...clause) *file {
		var headers [][2]string
		for _, l := range lines {
			headers = append(headers, [2]string{auth, l})
		}
		return http(id, title, family, lightning, append(headers, problem1, cache), problem, append([]clause{cPayment}, clauses...)...)
	}
	chargeOf := func(id string) string { return payment(id, "lightning", "charge", charge(id, 100), "") }
	sessionOf := func(id string) string { return payment(id, "lightning", "session", session(id), "") }
	tempoOf := func(id string) string { return payment(id, "tempo", "charge", tempo, "") }
	stripeOf := func(id string) string { return payment(id, "stripe", "charge", stripe, "") }

	pay("payment-charge", "Payment by lightning, charge", "payment", true, []string{chargeOf("payment-charge")}, cCharge)
	pay("payment-session", "Payment by lightning, session", "payment", true, []string{sessionOf("payment-session")}, cSession)
	pay("payment-tempo", "Payment by tempo, charge", "payment", false, []string{tempoOf("payment-tempo")}, cMethods)
	pay("payment-stripe", "Payment by stripe, charge", "payment", false, []string{stripeOf("payment-stripe")}, cMethods)
	pay("payment-charge-session", "Payment by lightning: charge, then session", "payment", true,
		[]string{chargeOf("payment-charge-session"), sessionOf("payment-charge-session")}, cCharge, cSession)
	pay("payment-session-charge", "Payment by lightning: session, then charge", "payment", true,
		[]string{sessionOf("payment-session-charge"), chargeOf("payment-session-charge")}, cCharge, cSession)
	pay("payment-charge-tempo", "Payment by lightning, then by tempo", "payment", true,
		[]string{chargeOf("payment-charge-tempo"), tempoOf("payment-charge-tempo")}, cCharge, cMethods)
	pay("payment-tempo-charge", "Payment by tempo, then by lightning", "payment", true,
		[]string{tempoOf("payment-tempo-charge"), chargeOf("payment-tempo-charge")}, cCharge, cMethods)
	pay("payment-charge-tempo-one-line", "Payment by lightning and by tempo in one line", "payment", true,
		[]string{chargeOf("payment-charge-tempo-one-line") + ", " + tempoOf("payment-charge-tempo-one-line")}, cCharge, cMethods, cList)
	pay("payment-stripe-charge", "Payment by stripe, then by lightning", "payment", true,
		[]string{stripeOf("payment-stripe-charge"), chargeOf("payment-stripe-charge")}, cCharge, cMethods)
	pay("payment-lower-case", "The scheme Payment in lower case", "payment", true, []string{"p" + chargeOf("payment-lower-case")[1:]}, cScheme)
	id = "payment-other-order"
	parts := strings.Split(strings.TrimPrefix(chargeOf(id), "Payment "), ", ")
	parts[0], parts[4] = parts[4], parts[0]
	pay(id, "Payment with the request first", "payment", true, []string{"Payment " + strings.Join(parts, ", ")}, cParams)
	pay("payment-header", "Payment that wants its credential in Payment-Authorization", "payment", true,
		[]string{payment("payment-header", "lightning", "charge", charge("payment-header", 100), `, header="Payment-Authorization"`)}, cCharge, cHeader)
	id = "payment-opaque"
	pay(id, "Payment with opaque data and a description with a comma and quotes", "payment", true, []string{payment(id, "lightning", "charge", charge(id, 100),
		`, opaque="`+raw(object{"order": "7"})+`", description="an article, \"signed\""`)}, cCharge, cOptional, cParams)
	id = "payment-not-canonical"
	c := charge(id, 100)
	loose := `{"currency": "sat", "amount": "100", "methodDetails": ` + string(compact(c["methodDetails"])) + `}`
	pay(id, "Payment with a request that is not canonical", "payment", true,
		[]string{payment(id, "lightning", "charge", base64.RawURLEncoding.EncodeToString([]byte(loose)), "")}, cCharge, cJCS).Legal = false
	id = "payment-padded"
	pay(id, "Payment with padding after its request", "payment", true,
		[]string{payment(id, "lightning", "charge", base64.URLEncoding.EncodeToString(compact(charge(id, 100))), "")}, cCharge).Legal = false
	id = "payment-other-amount"
	c = charge(id, 100)
	c["amount"] = "1"
	f = pay(id, "Payment that says 1 satoshi with an invoice of 100", "payment", true, []string{payment(id, "lightning", "charge", c, "")}, cCharge, cInvoice)
	f.Legal, f.Trap = false, "The invoice asks for more than the request"
	id = "payment-expired"
	f = pay(id, "Payment that expired in 2020", "payment", true, []string{strings.Replace(chargeOf(id), expires, "2020-01-01T00:00:00Z", 1)}, cCharge, cOptional)
	f.Legal, f.Trap = false, "The challenge expired"
	id = "payment-regtest"
	c = charge(id, 100)
	c["methodDetails"] = object{"invoice": invoice(id, terms{sats: 100, net: &chaincfg.RegressionNetParams}), "network": "regtest"}
	f = pay(id, "Payment by lightning, charge, on regtest", "payment", true, []string{payment(id, "lightning", "charge", c, "")}, cCharge)
	f.Trap = "A mainnet wallet cannot pay it"
	id = "payment-no-expiry"
	pay(id, "Payment without expires", "payment", true, []string{strings.Replace(chargeOf(id), `, expires="`+expires+`"`, "", 1)}, cCharge, cOptional)

	pay("l402-payment", "L402, then Payment", "mixed", true, []string{classicOf("l402-payment"), chargeOf("l402-payment")}, cChallenge, cList)
	pay("payment-l402", "Payment, then L402", "mixed", true, []string{chargeOf("payment-l402"), classicOf("payment-l402")}, cChallenge, cList)
	pay("l402-payment-one-line", "L402 and Payment in one line", "mixed", true,
		[]string{classicOf("l402-payment-one-line") + ", " + chargeOf("l402-payment-one-line")}, cChallenge, cList)
	pay("payment-l402-one-line", "Payment and L402 in one line", "mixed", true,
		[]string{chargeOf("payment-l402-one-line") + ", " + classicOf("payment-l402-one-line")}, cChallenge, cList)
	pay("l402-tempo", "L402, then Payment by tempo", "mixed", true, []string{classicOf("l402-tempo"), tempoOf("l402-tempo")}, cChallenge, cMethods)
	pay("tempo-l402", "Payment by tempo, then L402", "mixed", true, []string{tempoOf("tempo-l402"), classicOf("tempo-l402")}, cChallenge, cMethods)
	pay("l402-session", "L402, then Payment by lightning, session", "mixed", true, []string{classicOf("l402-session"), sessionOf("l402-session")}, cChallenge, cSession)

	http("x402-v1", "x402 version 1, exact on base-sepolia, in the body", "x402-v1", false, [][2]string{json1}, string(compact(required1(sepolia1))), cV1)
	http("x402-v1-base", "x402 version 1 on Base, in the body", "x402-v1", false, [][2]string{json1}, string(compact(required1(base1))), cV1)
	http("x402-v1-solana", "x402 version 1 on Solana's devnet, in the body", "x402-v1", false, [][2]string{json1}, string(compact(required1(solana1))), cV1)
	http("x402-v1-two-networks", "x402 version 1 on base-sepolia and on Solana's devnet", "x402-v1", false, [][2]string{json1}, string(compact(required1(sepolia1, solana1))), cV1)
	http("x402-v1-two-evm", "x402 version 1 on Base and on base-sepolia", "x402-v1", false, [][2]string{json1}, string(compact(required1(base1, sepolia1))), cV1)
	http("x402-v2", "x402 version 2, exact on base-sepolia, in the header", "x402-v2", false, [][2]string{header2(sepolia2), json1}, "{}", cV2, cV2HTTP)
	http("x402-v2-empty-body", "x402 version 2 in the header, without a body", "x402-v2", false, [][2]string{header2(sepolia2)}, "", cV2, cV2HTTP)
	http("x402-v2-and-v1", "x402 version 2 in the header, version 1 in the body", "x402-v2", false, [][2]string{header2(sepolia2), json1}, string(compact(required1(sepolia1))), cV1, cV2, cV2HTTP)
	http("x402-v2-two-networks", "x402 version 2 on Solana's devnet, then on base-sepolia", "x402-v2", false, [][2]string{header2(solana2, sepolia2), json1}, "{}", cV2, cV2HTTP)
	http("x402-v2-base", "x402 version 2 on Base", "x402-v2", false, [][2]string{header2(base2), json1}, "{}", cV2, cV2HTTP)
	http("x402-v2-polygon", "x402 version 2 on Polygon", "x402-v2", false, [][2]string{header2(polygon2), json1}, "{}", cV2, cV2HTTP)
	http("x402-v2-arbitrum", "x402 version 2 on Arbitrum One", "x402-v2", false, [][2]string{header2(arbitrum2), json1}, "{}", cV2, cV2HTTP)
	http("x402-v2-base-solana", "x402 version 2 on Base, then on Solana", "x402-v2", false, [][2]string{header2(base2, mainnet2), json1}, "{}", cV2, cV2HTTP)
	http("x402-v2-base-polygon", "x402 version 2 on Base, then on Polygon", "x402-v2", false, [][2]string{header2(base2, polygon2), json1}, "{}", cV2, cV2HTTP)
	http("x402-v2-arbitrum-base", "x402 version 2 on Arbitrum One, then on Base", "x402-v2", false, [][2]string{header2(arbitrum2, base2), json1}, "{}", cV2, cV2HTTP)
	http("x402-v2-polygon-solana", "x402 version 2 on Polygon, then on Solana", "x402-v2", false, [][2]string{header2(polygon2, mainnet2), json1}, "{}", cV2, cV2HTTP)
	http("x402-v2-three-networks", "x402 version 2 on Base, Polygon and Solana", "x402-v2", false, [][2]string{header2(base2, polygon2, mainnet2), json1}, "{}", cV2, cV2HTTP)
	http("x402-v2-dear", "x402 version 2 for 1 USDC", "x402-v2", false, [][2]string{header2(dear2), json1}, "{}", cV2, cV2HTTP)
	http("x402-v2-solana", "x402 version 2 on Solana's devnet alone", "x402-v2", false, [][2]string{header2(solana2), json1}, "{}", cV2, cV2HTTP)
	http("x402-v2-upto-exact", "x402 version 2 of the scheme upto, then exact", "x402-v2", false, [][2]string{header2(upto2, sepolia2), json1}, "{}", cV2, cV2HTTP, cUpto).Legal = false
	http("x402-v2-upto", "x402 version 2 of the scheme upto", "x402-v2", false, [][2]string{header2(upto2), json1}, "{}", cV2, cV2HTTP, cUpto).Legal = false
	http("x402-v2-body", "x402 version 2 in the body alone", "x402-v2", false, [][2]string{json1}, string(compact(required2(sepolia2))), cV2, cV2HTTP).Legal = false
	http("x402-v2-no-accepts", "x402 version 2 that accepts nothing", "x402-v2", false, [][2]string{header2(), json1}, "{}", cV2, cV2HTTP).Legal = false
	http("x402-v2-lightning", "x402 version 2 over Lightning, as Alby's clients pay it", "x402-v2", true, [][2]string{header2(lightning2("x402-v2-lightning")), json1}, "{}", cV2, cV2HTTP)
	http("x402-v2-lnbtc", "x402 version 2 over Lightning with lnbtc, which is proposed", "x402-v2", true, [][2]string{header2(lnbtc2("x402-v2-lnbtc")), json1}, "{}", cV2, cV2HTTP)
	id = "x402-v2-evm-lightning"
	http(id, "x402 version 2 on base-sepolia, and over Lightning", "x402-v2", true, [][2]string{header2(sepolia2, lightning2(id)), json1}, "{}", cV2, cV2HTTP)
	id = "x402-v2-lightning-tempo"
	http(id, "x402 version 2 over Lightning, and Payment by tempo", "mixed", true, [][2]string{header2(lightning2(id)), {auth, tempoOf(id)}, json1}, "{}", cV2, cV2HTTP, cMethods)
	id = "l402-x402-v2"
	http(id, "L402, and x402 version 2 on base-sepolia", "mixed", true, [][2]string{{auth, classicOf(id)}, header2(sepolia2), problem1, cache}, problem, cChallenge, cV2, cV2HTTP)
	id = "l402-payment-x402-v2"
	http(id, "L402, Payment, and x402 version 2 on base-sepolia", "mixed", true, [][2]string{{auth, classicOf(id)}, {auth, chargeOf(id)}, header2(sepolia2), problem1, cache}, problem, cChallenge, cPayment, cV2, cV2HTTP)
	id = "l402-x402-v1"
	http(id, "L402 in the header, x402 version 1 in the body", "mixed", true, [][2]string{{auth, classicOf(id)}, json1}, string(compact(required1(sepolia1))), cChallenge, cV1)
	http("cashu", "Cashu by NUT-24", "cashu", false, [][2]string{cashu(), json1}, "{}", cCashu)
	id = "l402-cashu"
	http(id, "L402 and Cashu", "mixed", true, [][2]string{{auth, classicOf(id)}, cashu(), json1}, "{}", cChallenge, cCashu)
	http("none-empty", "402 with nothing", "none", false, nil, "", c402)
	http("none-html", "402 with a page for people", "none", false, [][2]string{{"Content-Type", "text/html; charset=utf-8"}},
		"<!doctype html><title>Payment required</title><p>Subscribe at <a href=\"https://shop.example/plans\">shop.example</a>.\n", c402)
	http("none-json", "402 with a message in JSON", "none", false, [][2]string{json1}, `{"error":"insufficient credits","top_up_url":"https://shop.example/billing"}`, c402)

	rpc := func(id, title, family, transport string, lightning bool, member string, value any, clauses ...clause) *file {
		message := json.RawMessage(compact(object{"jsonrpc": "2.0", "id": 1, member: value}))
		f := file{ID: id, Title: title, Family: family, Legal: true, Transport: transport, Message: message, Clauses: clauses}
		if lightning {
			p := preimage(id)
			f.Preimage = hex.EncodeToString(p[:])
		}
		all = append(all, f)
		return &all[len(all)-1]
	}
	member := func(id, method, intent string, request object) object {
		return object{"id": challengeID(id, method, intent), "realm": "shop.example", "method": method, "intent": intent, "request": request, "expires": expires}
	}
	failure := func(challenges ...object) object {
		return object{"code": -32042, "message": "Payment Required", "data": object{"httpStatus": 402, "challenges": challenges}}
	}
	said := func(text string) []object { return []object{{"type": "text", "text": text}} }
	id = "mcp-payment"
	rpc(id, "MCP: an error with a Payment challenge by lightning", "payment", "mcp", true, "error", failure(member(id, "lightning", "charge", charge(id, 100))), cMCP)
	id = "mcp-payment-tempo"
	rpc(id, "MCP: an error with a Payment challenge by tempo", "payment", "mcp", false, "error", failure(member(id, "tempo", "charge", tempo)), cMCP, cMethods)
	id = "mcp-payment-tempo-charge"
	rpc(id, "MCP: an error with Payment challenges by tempo and by lightning", "payment", "mcp", true, "error",
		failure(member(id, "tempo", "charge", tempo), member(id, "lightning", "charge", charge(id, 100))), cMCP, cMethods)
	id = "mcp-payment-encoded"
	encoded := member(id, "lightning", "charge", nil)
	encoded["request"] = raw(charge(id, 100))
	rpc(id, "MCP: an error with a request in base64url, as over HTTP", "payment", "mcp", true, "error", failure(encoded), cMCP).Legal = false
	id = "mcp-payment-result"
	rpc(id, "MCP: a result with a Payment challenge in _meta", "payment", "mcp", true, "result", object{"isError": true,
		"content": said("Payment required"), "_meta": object{"org.paymentauth/payment-required": object{"challenges": []object{member(id, "lightning", "charge", charge(id, 100))}}}}, cMCPMeta)
	id = "mcp-l402-result"
	rpc(id, "MCP: a result with Payment in _meta, and with macaroon and invoice in structuredContent, where no text has them", "payment", "mcp", true, "result", object{"isError": true,
		"content": said("Payment required"), "structuredContent": object{"code": "payment_required", "macaroon": m(id), "invoice": inv(id)},
		"_meta": object{"org.paymentauth/payment-required": object{"challenges": []object{member(id, "lightning", "charge", charge(id, 100))}}}}, cMCPMeta)
	v2 := required2(sepolia2)
	rpc("mcp-x402-v2", "MCP: a result with x402 version 2", "x402-v2", "mcp", false, "result",
		object{"isError": true, "structuredContent": v2, "content": said(string(compact(v2)))}, cMCPX402)
	v1 := required1(sepolia1)
	rpc("mcp-x402-v1", "MCP: a result with x402 version 1", "x402-v1", "mcp", false, "result",
		object{"isError": true, "structuredContent": v1, "content": said(string(compact(v1)))}, cV1)
	rpc("mcp-x402-v1-text", "MCP: a result with x402 version 1 as text alone", "x402-v1", "mcp", false, "result",
		object{"isError": true, "content": said(string(compact(v1)))}, cV1)
	rpc("mcp-x402-error", "MCP: an error 402 with x402 version 2", "x402-v2", "mcp", false, "error",
		object{"code": 402, "message": "Payment required", "data": v2}, cMCPX402, cMessage).Legal = false
	rpc("mcp-none", "MCP: a result that says in words that payment is needed", "none", "mcp", false, "result",
		object{"isError": true, "content": said("402: buy credits at https://shop.example/billing")}, cMessage)

	task := func(state, role string, kind bool, required object) object {
		part := object{"text": "Payment is required"}
		message := object{"messageId": "m1", "role": role, "metadata": object{"x402.payment.status": "payment-required", "x402.payment.required": required}}
		t := object{"id": "task-1", "contextId": "context-1"}
		if kind {
			part["kind"], message["kind"], t["kind"] = "text", "message", "task"
		}
		message["parts"] = []object{part}
		t["status"] = object{"state": state, "message": message}
		return t
	}
	rpc("a2a-x402-v1", "A2A 0.3: a task that asks by x402 version 1", "x402-v1", "a2a", false, "result", task("input-required", "agent", true, v1), cA2A)
	rpc("a2a-x402-v2", "A2A 0.3: a task that asks by x402 version 2", "x402-v2", "a2a", false, "result", task("input-required", "agent", true, v2), cA2A)
	rpc("a2a-1-0-x402-v2", "A2A 1.0: a task that asks by x402 version 2", "x402-v2", "a2a", false, "result",
		object{"task": task("TASK_STATE_INPUT_REQUIRED", "ROLE_AGENT", false, v2)}, cA2A)
	return all
}
