package l402_test

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"go.almanac.example/l402"

	"github.com/lightningnetwork/lnd/lntypes"
	"gopkg.in/macaroon.v2"
)

// FuzzAuthorization parses anything that a header may hold. What is accepted must have been of the right form, and
// verify only if it is the one good credential in another spelling.
func FuzzAuthorization(f *testing.F) {
	keys := l402.NewKeys()
	p := lntypes.Preimage{1, 2, 3}
	hash := p.Hash()
	raw, err := l402.Sign(keys, goodID(hash), ours()...).MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	good := bearer(std(raw), p.String())
	for _, seed := range []string{
		good, "LSAT " + good[5:], "l402\t" + good[5:], "L402 ", "L402 :", "L402 a:b", "Basic x", "", ",", good + "," + good,
		bearer(std(raw)+","+std(raw), p.String()), bearer(std(raw)+",AgA", p.String()), bearer(hex.EncodeToString(raw), p.String()),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		_, err := l402.ParseAuthorization([]string{value})
		if err == nil {
			rest := value[4:]
			mac, proof, ok := strings.Cut(strings.TrimLeft(rest, " \t"), ":")
			if !ok || len(proof) != 64 || len(value) > 9<<10 || strings.ContainsAny(mac, " \t\r\n:") {
				t.Errorf("accepted %q", value)
			}
		}
		again, twiceErr := l402.ParseAuthorization([]string{value, value})
		if (err == nil) != (twiceErr == nil) || err == nil && again == nil {
			t.Errorf("once: %v, twice: %v", err, twiceErr)
		}
		if l402.Verify(keys, value) == nil && !strings.Contains(strings.ToLower(value), p.String()) {
			t.Errorf("%q was admitted without the preimage", value)
		}
	})
}

// FuzzMacaroon brings any bytes as a macaroon, with the right preimage. Only what the key signed may be admitted: our
// macaroon, and what a holder can make of it, which is to append caveats.
func FuzzMacaroon(f *testing.F) {
	keys := l402.NewKeys()
	p := lntypes.Preimage{1, 2, 3}
	signed := l402.Sign(keys, goodID(p.Hash()), ours()...)
	raw, err := signed.MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	for n := 0; n < len(raw); n += 9 {
		f.Add(raw[:n])
	}
	f.Add(append(bytes.Clone(raw), raw...))
	f.Add([]byte("\x02\x01\x00\x02\x00\x00\x00\x06\x20" + strings.Repeat("s", 32)))
	f.Fuzz(func(t *testing.T, b []byte) {
		hexErr := func() error { _, err := l402.ParseHexMacaroon(hex.EncodeToString(b)); return err }()
		if l402.Verify(keys, bearer(std(b), p.String())) != nil {
			return
		}
		m := new(macaroon.Macaroon)
		if err := m.UnmarshalBinary(b); err != nil {
			t.Fatalf("admitted what does not parse: %v, %v", err, hexErr)
		}
		if !bytes.Equal(m.Id(), signed.Id()) || len(m.Caveats()) < len(signed.Caveats()) {
			t.Fatalf("admitted a forgery: %x", b)
		}
		for i, c := range signed.Caveats() {
			if !m.Caveats()[i].Equal(c) {
				t.Fatalf("admitted with another caveat %d: %q", i, m.Caveats()[i].Id)
			}
		}
	})
}

// FuzzCaveats reads any caveats behind ours. They can be refused, never widen, and never crash.
func FuzzCaveats(f *testing.F) {
	f.Add("almanac_credits=5", "almanac_valid_until=1")
	f.Add("services=almanac:0", "x")
	f.Add("almanac_credits=101", "=")
	f.Fuzz(func(t *testing.T, a, b string) {
		_ = l402.ParseGrant([]string{a, b})
		if l402.ParseGrant(append(ours(), a, b)) == nil && l402.ParseGrant(append(ours(), a)) != nil {
			t.Errorf("%q is refused and %q after it makes it good", a, b)
		}
	})
}
