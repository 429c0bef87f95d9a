package l402_test

import (
	"bufio"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"

	"gopkg.in/macaroon.v2"
)

// docs/contract.md, "Cases", C1.
func TestRequestWithoutCredential(t *testing.T) {
	s := openShop(t)
	s.wantChallenge(s.search1(), problem.PaymentRequired)
	s.wantChallenge(s.do("GET", "/v1/search"), problem.PaymentRequired) // registries probe with a bare GET
	a := s.search1("")
	if s.wantChallenge(a, problem.PaymentRequired); strings.Contains(a.problem.Detail, "Authorization has") {
		t.Errorf("an empty header is no header: %s", a.body)
	}
}

// docs/contract.md, "Cases", C2.
func TestOtherSchemesAreIgnored(t *testing.T) {
	s := openShop(t)
	for _, v := range []string{"Basic dTpw", "Bearer abc:def", "L402x a:b", "L40", "LSAT2 a:b", "Payment x"} {
		a := s.search1(v)
		s.wantChallenge(a, problem.PaymentRequired)
		if !strings.Contains(a.problem.Detail, "Authorization has no credential of the scheme L402, or Payment") {
			t.Errorf("%s: %s", v, a.problem.Detail)
		}
	}
	b := s.buy()
	if a := s.search1(strings.TrimPrefix(b.header(), "L402 ")); !strings.Contains(a.problem.Detail, "If you have paid, send") {
		t.Errorf("without its scheme: %s", a.body)
	}
	s.wantServed(s.search1("Basic dTpw", b.header()), 99) // not ours to judge
}

// docs/contract.md, "Cases", C4.
func TestMalformedCredential(t *testing.T) {
	s := openShop(t)
	b := s.buy()
	mac, pre := std(b.raw), b.preimage.String()
	for _, v := range []string{
		"L402", "L402 ", "L402 :", "L402 " + mac, "L402 " + mac + ":", "L402 :" + pre,
		"L402 " + mac + "::" + pre, "L402 " + mac + ":" + pre + ":", "L402 " + mac + " " + pre,
		"L402 " + mac + " :" + pre, "L402 " + mac + ": " + pre, "L402 token=" + mac + ":" + pre,
	} {
		s.wantChallenge(s.search1(v), problem.CredentialMalformed)
	}
	s.wantUsed(b, 0)
}

// docs/contract.md, "Cases", C5.
func TestPreimageSpellings(t *testing.T) {
	s := openShop(t)
	b := s.buy()
	mac, pre := std(b.raw), b.preimage.String()
	for _, p := range []string{pre[:62], pre[:63], pre + "0", pre + "00", pre + pre, "0x" + pre[2:], "0x" + pre, pre[:63] + "g", pre[:63] + "\x80"} {
		s.wantChallenge(s.search1(bearer(mac, p)), problem.CredentialMalformed)
	}
	// A space at the end is no part of a header's value (RFC 9110, 5.5); the parser itself, which MCP uses too, refuses
	// it.
	if err := l402.Verify(s.keys, bearer(mac, pre)+" "); err == nil {
		t.Error("a trailing space was accepted")
	}
	s.wantServed(s.search1(bearer(mac, strings.ToUpper(pre))), 99)
}

// docs/contract.md, "Cases", C6.
func TestMacaroonSpellings(t *testing.T) {
	s := openShop(t)
	// Caveats of three lengths, so that every padding occurs.
	for _, more := range []string{"x=1", "x=12", "x=123"} {
		b := s.buy().narrowed(more)
		used := 0
		for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
			used++
			s.wantServed(s.search1(bearer(enc.EncodeToString(b.raw), b.preimage.String())), 100-used)
		}
		text := std(b.raw)
		bad := []string{text[:8] + " " + text[8:], text[:8] + "*" + text[9:], text + "=", "=" + text, text[:8] + "=" + text[9:], text[:len(text)-5]}
		if pad := strings.Count(text, "="); pad > 0 { // the last digit has bits to spare
			i := len(text) - pad - 1
			next := base64Digit(text[i]) | 1
			bad = append(bad, text[:i]+string(base64Digits[next])+text[i+1:])
		}
		for _, v := range bad {
			s.wantChallenge(s.search1(bearer(v, b.preimage.String())), problem.CredentialMalformed)
		}
		for _, v := range []string{text[:8] + "\n" + text[8:], text[:8] + "\r\n" + text[8:], text + "\n"} { // no header can bring these
			if err := l402.Verify(s.keys, bearer(v, b.preimage.String())); err == nil {
				t.Errorf("%q was accepted", v)
			}
		}
		s.wantUsed(b, used)
	}
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

func base64Digit(c byte) int { return strings.IndexByte(base64Digits, c) }

// docs/contract.md, "Cases", C7.
func TestHexMacaroonIsForGRPC(t *testing.T) {
	s := openShop(t)
	b := s.buy()
	s.wantChallenge(s.search1(bearer(hex.EncodeToString(b.raw), b.preimage.String())), problem.CredentialMalformed)
	alone := b.narrowed("preimage=" + b.preimage.String())
	for _, name := range []string{"Macaroon", "Grpc-Metadata-Macaroon", "Token"} {
		req, _ := http.NewRequest("GET", s.server.URL+"/v1/search?q=a", nil)
		req.Header.Set(name, hex.EncodeToString(alone.raw))
		s.wantChallenge(s.send(req), problem.PaymentRequired) // over HTTP this is no credential
	}
	// Over gRPC it is: TestGRPC.
}

// docs/contract.md, "Cases", C8.
func TestRepeatedAuthorization(t *testing.T) {
	s := openShop(t)
	a, b := s.buy(), s.buy()
	s.wantServed(s.search1(a.header(), a.header()), 99)
	s.wantServed(s.search1("LSAT "+strings.TrimPrefix(a.header(), "L402 "), a.header()), 98) // as aperture forwards
	s.wantChallenge(s.search1(a.header(), b.header()), problem.AmbiguousCredential)
	s.wantChallenge(s.search1(a.header(), a.narrowed("almanac_credits=1").header()), problem.AmbiguousCredential)
	s.wantChallenge(s.search1(a.header(), "L402 nonsense"), problem.CredentialMalformed)
	s.wantChallenge(s.search1(a.header(), a.header(), a.header(), a.header(), a.header()), problem.CredentialMalformed)
	s.wantUsed(a, 2)
	s.wantUsed(b, 0)
}

// docs/contract.md, "Cases", C9.
func TestOversizedAuthorization(t *testing.T) {
	s := openShop(t)
	b := s.buy()
	for _, v := range []string{"L402 " + strings.Repeat("A", 9<<10), b.header() + strings.Repeat("0", 9<<10), "L402 " + strings.Repeat(",", 9<<10) + ":"} {
		s.wantChallenge(s.search1(v), problem.CredentialMalformed)
	}
	if strings.Contains(s.log.String(), strings.Repeat("A", 100)) {
		t.Error("the header is in the log")
	}
	// The limit for all headers together, 431, is http.Server's: main sets MaxHeaderBytes.
}

// docs/contract.md, "Cases", C10.
func TestTooManyMacaroons(t *testing.T) {
	s := openShop(t)
	b := s.buy()
	mac, pre := std(b.raw), b.preimage.String()
	for _, macs := range []string{
		strings.Repeat(mac+",", 8) + mac, strings.Repeat("AA,", 100) + mac, strings.Repeat(",", 1000),
		mac + ",", "," + mac, mac + ",," + mac,
	} {
		s.wantChallenge(s.search1(bearer(macs, pre)), problem.CredentialMalformed)
	}
	s.wantServed(s.search1(bearer(strings.Repeat(mac+",", 7)+mac, pre)), 99)
}

// docs/contract.md, "Cases", C11.
func TestOversizedMacaroon(t *testing.T) {
	s := openShop(t)
	b := s.buy()
	s.wantServed(s.search1(b.narrowed(repeat("a=b", 28)...).header()), 99) // 32 with ours
	s.wantChallenge(s.search1(b.narrowed(repeat("a=b", 29)...).header()), problem.CredentialMalformed)
	s.wantChallenge(s.search1(b.narrowed("a="+strings.Repeat("b", 4<<10)).header()), problem.CredentialMalformed)
}

func repeat(s string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = s
	}
	return out
}

// docs/contract.md, "Cases", C12.
func TestControlCharacters(t *testing.T) {
	s := openShop(t)
	for _, v := range []string{"L402 a\x00b:c", "L402 a\x01:b"} {
		conn, err := net.Dial("tcp", s.server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "GET /v1/search?q=a HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\n\r\n", v)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		conn.Close()
		if err != nil || resp.StatusCode != 400 {
			t.Errorf("%q: %v, %v; want 400", v, resp, err)
		}
	}
	for _, v := range []string{"L402 \u00e9:b", "L402 a\x7f:b", "L402 \xff\xfe:b"} {
		if err := l402.Verify(s.keys, v); err == nil {
			t.Errorf("%q was accepted", v)
		}
	}
	s.wantChallenge(s.search1("L402 \xc3\xa9:\xc3\xa9"), problem.CredentialMalformed)
}

// docs/contract.md, "Cases", C13.
func TestNotAMacaroon(t *testing.T) {
	s := openShop(t)
	b := s.buy()
	v1, err := macaroon.New(make([]byte, 32), []byte("id"), "", macaroon.V1)
	if err != nil {
		t.Fatal(err)
	}
	v1raw, _ := v1.MarshalBinary()
	asJSON, _ := b.macaroon().MarshalJSON()
	bad := map[string][]byte{"garbage": []byte("\x02garbage"), "zero": {0}, "version 3": {3, 1, 2}, "V1": v1raw, "JSON": asJSON, "ASCII": []byte("macaroon")}
	for n := 1; n < len(b.raw); n += 7 {
		bad[fmt.Sprintf("cut at %d", n)] = b.raw[:n]
	}
	for name, raw := range bad {
		t.Run(name, func(t *testing.T) {
			s.wantChallenge(s.search1(bearer(std(raw), b.preimage.String())), problem.CredentialMalformed)
		})
	}
}
