package clienttest

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"gopkg.in/macaroon.v2"
)

// Pasted are texts with secrets that somebody may give to a program to explain, and the secrets in every encoding.
type Pasted struct {
	Texts   []string
	secrets []string
}

// NewPasted returns texts with preimages, macaroons with their signatures, signatures and nonces of x402, tokens of
// Cashu and OAuth, keys and connections of wallets: where they belong, and where somebody puts them by mistake.
func NewPasted(t testing.TB) Pasted {
	const secret = "5ec4e7b1a9c3d2f4e8071625344352617f8e9dacbbcad9e0f10293847566573a"
	mac := Macaroon(t, [32]byte{0xd1, 0x9e, 0x57})
	bin, err := base64.StdEncoding.DecodeString(mac)
	if err != nil {
		t.Fatal(err)
	}
	var m macaroon.Macaroon
	if err := m.UnmarshalBinary(bin); err != nil {
		t.Fatal(err)
	}
	asJSON, err := json.Marshal(&m)
	if err != nil {
		t.Fatal(err)
	}
	std := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	payment := `{"challenge":{"id":"i","intent":"charge","method":"lightning","realm":"r","request":"e30"},"payload":{"preimage":"` + secret + `"}}`
	named := strings.Replace(payment, `"preimage":"`+secret+`"`, `"`+secret+`":1`, 1)
	signed := `{"x402Version":2,"accepted":{"scheme":"exact","network":"eip155:8453"},"payload":{"signature":"0x` + secret + `","authorization":{"nonce":"0x` + secret + `"}}}`
	return Pasted{
		Texts: []string{
			"L402 " + mac + ":" + secret, "Authorization: LSAT " + mac + ":" + secret, "L402 " + mac + " :" + secret, `L402 "` + mac + ":" + secret + `"`,
			"GET / HTTP/1.1\nHost: x\nAuthorization: L402 " + mac + ":" + secret + "\n\n", `{"params":{"_meta":{"almanac/l402":"` + mac + ":" + secret + `"}}}`,
			mac, hex.EncodeToString(bin), string(asJSON), "Macaroon: " + hex.EncodeToString(bin), "Grpc-Metadata-Macaroon: " + hex.EncodeToString(bin),
			Macaroon(t, [32]byte{1}, "preimage="+secret), Macaroon(t, [32]byte{1}, "key = "+secret), "Authorization: Payment " + std(payment), payment,
			"Authorization: Payment " + std(named), `{"method":"tools/call","params":{"_meta":{"org.paymentauth/credential":` + payment + `}}}`,
			"PAYMENT-SIGNATURE: " + std(signed), "X-PAYMENT: " + std(signed), `{"params":{"_meta":{"x402/payment":` + signed + `}}}`,
			`{"params":{"message":{"metadata":{"x402.payment.payload":` + signed + `}}}}`,
			"X-Cashu: cashuB" + secret, "cashuA" + std(secret), "cashuA" + std(`{"token":[{"mint":"https://m","proofs":[{"amount":2,"secret":"`+secret+`","C":"`+secret+`"}]}],"unit":"sat"}`),
			"keyauth://x.example/a?k1=" + secret, "lnurlw://x.example/a?k1=" + secret, "Authorization: Bearer " + secret, secret, "0x" + secret,
			"nostr+walletconnect://" + strings.Repeat("b8", 32) + "?relay=wss%3A%2F%2Frelay.example&secret=" + secret,
			"L402 " + secret + "=x", `L402 macaroon="` + secret + `", invoice="` + secret + `"`, `L402 macaroon="` + mac + `", invoice="lnbc` + secret + `", version="` + secret + `"`,
			`Payment id="i", realm="r", method="` + secret + `", intent="` + secret + `", expires="` + secret + `", header="` + secret + `", request="` + std(`{"amount":"`+secret+`"}`) + `"`,
			"HTTP/1.1 402 Payment Required\nSet-Cookie: session=" + secret + "\nX-Api-Key: " + secret + "\n\n" + secret,
			"lnbc" + secret, "lno1" + secret, "lightning:" + secret, `{"preimage":"` + secret + `"}`, strings.Repeat("x", 61_400) + secret,
		},
		secrets: []string{secret, strings.ToUpper(secret), std(secret), mac[len(mac)-40:], hex.EncodeToString(m.Signature()),
			base64.RawURLEncoding.EncodeToString(m.Signature()), std(payment), std(signed)},
	}
}

// Shown returns 16 characters of a secret that an output has, or nothing.
func (p Pasted) Shown(output string) string {
	const few = 16
	for _, secret := range p.secrets {
		for i := range len(secret) - few + 1 {
			if part := secret[i : i+few]; strings.Contains(output, part) {
				return part
			}
		}
	}
	return ""
}
