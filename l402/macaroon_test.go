package l402_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"

	"github.com/lightningnetwork/lnd/lntypes"
	"gopkg.in/macaroon.v2"
)

// docs/cases.md, C14.
func TestForgedMacaroon(t *testing.T) {
	s := openShop(t)
	b := s.buy()
	m := b.macaroon()
	rekeyed, err := macaroon.New([]byte("a key of my own"), m.Id(), "almanac", macaroon.V2)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range m.Caveats() {
		rekeyed.AddFirstPartyCaveat(c.Id)
	}
	s.wantChallenge(s.search1(b.with(rekeyed).header()), problem.CredentialInvalid)

	// Every byte matters but the location's and the lengths' that a change makes unreadable.
	for i := range b.raw {
		changed := b
		changed.raw = slices.Clone(b.raw)
		changed.raw[i] ^= 1
		a := s.search1(changed.header())
		inLocation := i >= 3 && i < 3+len("almanac")
		if inLocation != (a.StatusCode == 200) {
			t.Fatalf("byte %d changed: %d", i, a.StatusCode)
		}
	}
	s.wantUsed(b, len("almanac"))

	// Caveats removed, moved and edited, with the signature as it was.
	text := string(b.raw)
	for _, edit := range [][2]string{{"almanac_credits=100", "almanac_credits=999"}, {"services=almanac:0", "services=almanac:1"}} {
		changed := b
		changed.raw = []byte(strings.Replace(text, edit[0], edit[1], 1))
		s.wantChallenge(s.search1(changed.header()), problem.CredentialInvalid)
	}
	credits := "\x02\x13almanac_credits=100\x00"
	services := "\x02\x12services=almanac:0\x00"
	if !strings.Contains(text, credits) || !strings.Contains(text, services) {
		t.Fatal("the encoding is not what this test thinks")
	}
	for _, changedText := range []string{
		strings.Replace(text, credits, "", 1),
		strings.Replace(strings.Replace(text, services, "", 1), credits, credits+services, 1),
	} {
		changed := b
		changed.raw = []byte(changedText)
		s.wantChallenge(s.search1(changed.header()), problem.CredentialInvalid)
	}
}

// sign makes a token with our own key for any identifier and caveats, paid for with a known preimage.
func (s *shop) sign(id func(hash lntypes.Hash) []byte, caveats ...string) bought {
	p := lntypes.Preimage{1, 2, 3}
	raw, err := l402.Sign(s.keys, id(p.Hash()), caveats...).MarshalBinary()
	if err != nil {
		s.t.Fatal(err)
	}
	return bought{raw: raw, preimage: p, hash: p.Hash()}
}

// goodID is a well-formed identifier.
func goodID(hash lntypes.Hash) []byte {
	return slices.Concat([]byte{0, 0}, hash[:], bytes.Repeat([]byte{7}, 32))
}

// ours are the caveats of a fresh token.
func ours() []string {
	return []string{"services=almanac:0", fmt.Sprintf("almanac_valid_until=%d", noon.Add(time.Hour).Unix()), "almanac_credits=100"}
}

// docs/cases.md, C16.
func TestIdentifier(t *testing.T) {
	s := openShop(t)
	s.wantServed(s.search1(s.sign(goodID, ours()...).header()), 99)
	for name, id := range map[string]func(h lntypes.Hash) []byte{
		"65 bytes":  func(h lntypes.Hash) []byte { return goodID(h)[:65] },
		"67 bytes":  func(h lntypes.Hash) []byte { return append(goodID(h), 0) },
		"34 bytes":  func(h lntypes.Hash) []byte { return goodID(h)[:34] },
		"hash only": func(h lntypes.Hash) []byte { return h[:] },
		"empty":     func(h lntypes.Hash) []byte { return nil },
		"version 1": func(h lntypes.Hash) []byte { return slices.Concat([]byte{0, 1}, goodID(h)[2:]) },
	} {
		t.Run(name, func(t *testing.T) {
			s.wantChallenge(s.search1(s.sign(id, ours()...).header()), problem.CredentialInvalid)
		})
	}
}

// docs/cases.md, C17.
func TestSpellingsShareOneBalance(t *testing.T) {
	s := openShop(t)
	b := s.buy()

	// What follows the macaroon, or spells its lengths otherwise, is refused.
	long := b
	long.raw = slices.Concat(b.raw[:1], []byte{1, 0x87, 0x00}, b.raw[3:]) // 7, the length of the location, in two bytes
	if err := new(macaroon.Macaroon).UnmarshalBinary(long.raw); err != nil {
		t.Fatalf("the library itself refuses this: %v", err)
	}
	for _, raw := range [][]byte{append(slices.Clone(b.raw), 0), append(slices.Clone(b.raw), "garbage"...), slices.Concat(b.raw, b.raw), long.raw} {
		bad := b
		bad.raw = raw
		s.wantChallenge(s.search1(bad.header()), problem.CredentialMalformed)
	}

	// Everything else is the same account.
	moved := b.macaroon()
	moved.SetLocation("elsewhere")
	spellings := []string{
		b.header(),
		"lsat " + strings.TrimPrefix(b.header(), "L402 "),
		bearer(strings.NewReplacer("+", "-", "/", "_", "=", "").Replace(std(b.raw)), strings.ToUpper(b.preimage.String())),
		b.with(moved).header(),
		b.narrowed("almanac_credits=100").header(),
		b.narrowed("note=for my helper").header(),
		b.narrowed("x=1", "y=2", fmt.Sprintf("almanac_valid_until=%d", noon.Add(time.Hour).Unix())).header(),
		bearer(std(b.raw)+","+std(b.narrowed("x=1").raw), b.preimage.String()),
	}
	for i := range 100 {
		s.wantServed(s.search1(spellings[i%len(spellings)]), 99-i)
	}
	for _, h := range spellings {
		s.wantChallenge(s.search1(h), problem.CreditsExhausted)
	}
	s.wantUsed(b, 100)
}

// docs/cases.md, C18.
func TestThirdPartyCaveats(t *testing.T) {
	s := openShop(t)
	b := s.buy()
	m := b.macaroon()
	key := []byte("chosen by the holder")
	if err := m.AddThirdPartyCaveat(key, []byte("ask me"), "https://evil.test"); err != nil {
		t.Fatal(err)
	}
	discharge, err := macaroon.New(key, []byte("ask me"), "https://evil.test", macaroon.V2)
	if err != nil {
		t.Fatal(err)
	}
	discharge.Bind(m.Signature())
	raw, _ := discharge.MarshalBinary()
	third := b.with(m)
	s.wantChallenge(s.search1(third.header()), problem.CredentialInvalid)
	for _, macs := range []string{std(third.raw) + "," + std(raw), std(raw) + "," + std(third.raw)} {
		s.wantChallenge(s.search1(bearer(macs, b.preimage.String())), problem.CredentialInvalid)
	}
	s.wantServed(s.search1(bearer(std(b.raw)+","+std(raw), b.preimage.String())), 99) // a discharge that nobody needs is foreign
}

// docs/cases.md, C19.
func TestCaveatsOnlyNarrow(t *testing.T) {
	s := openShop(t)
	b := s.buy()
	until := noon.Add(l402.InvoiceExpiry + 30*24*time.Hour).Unix()
	for _, c := range []string{
		"color=blue", "other_valid_until=1", "almanac=1", "nothing", "=", "", "=x", "preimage=00", "\xff\xfe=\x00",
		"services=almanac:0", "almanac_credits=100", fmt.Sprintf("almanac_valid_until=%d", until),
	} {
		if a := s.search1(b.narrowed(c).header()); a.StatusCode != 200 {
			t.Errorf("%q: %d, want it skipped or the same", c, a.StatusCode)
		}
	}
	for _, c := range []string{
		"services=other:0", "services=almanac:1", "services=almanac:0,other:0", "services=", "services=almanac", "services= almanac:0",
		fmt.Sprintf("almanac_valid_until=%d", until+1), "almanac_valid_until=", "almanac_valid_until=soon", "almanac_valid_until=-1",
		"almanac_valid_until=1e9", "almanac_valid_until=99999999999999999999", "almanac_valid_until=01", "almanac_valid_until= 1", "almanac_valid_until=1 ",
		"almanac_valid_until=9007199254740993", "almanac_valid_until=+1", "almanac_valid_until=0x1",
		"almanac_credits=101", "almanac_credits=", "almanac_credits=-1", "almanac_credits=1e2", "almanac_credits=18446744073709551617", "almanac_credits=٣",
		"almanac_budgets=z:1", "almanac_credit=1", "almanac_valid_untill=1", "almanac_budget =z:1", "almanac_credits =0", " almanac_budget=z:1",
		"\talmanac_credits=0", "ALMANAC_CREDITS=0", "almanac_capabilities=search", "almanac_credits", "almanac_budget:z:1", "almanac_", "almanac_=",
	} {
		a := s.search1(b.narrowed(c).header())
		if a.StatusCode != 402 || a.problem.Code != problem.CredentialInvalid {
			t.Errorf("%q: %d %s, want 402 %s", c, a.StatusCode, a.problem.Code, problem.CredentialInvalid)
		}
	}
	for _, c := range []string{"almanac_valid_until=1", "almanac_valid_until=0", fmt.Sprintf("almanac_valid_until=%d", noon.Unix())} {
		s.wantChallenge(s.search1(b.narrowed(c).header()), problem.CredentialExpired)
	}
	// Narrow, then wide again.
	s.wantChallenge(s.search1(b.narrowed("almanac_credits=50", "almanac_credits=51").header()), problem.CredentialInvalid)
	s.wantChallenge(s.search1(b.narrowed("almanac_credits=0").header()), problem.CreditsExhausted)
}

// docs/cases.md, C20.
func TestRequiredCaveats(t *testing.T) {
	s := openShop(t)
	// The conditions of other services do no harm and no good.
	b := s.buy()
	s.wantServed(s.search1(b.narrowed("Services = x", "Services=x").header()), 99)
	for i, missing := range ours() {
		without := slices.Delete(ours(), i, i+1)
		s.wantChallenge(s.search1(s.sign(goodID, without...).header()), problem.CredentialInvalid)
		respelt := slices.Insert(without, i, strings.ToUpper(missing))
		s.wantChallenge(s.search1(s.sign(goodID, respelt...).header()), problem.CredentialInvalid)
	}
	s.wantChallenge(s.search1(s.sign(goodID).header()), problem.CredentialInvalid)
}

// TestExpiredCopy: a copy that has expired says so of itself, and not of the payment, whose other copies are as good as
// before.
func TestExpiredCopy(t *testing.T) {
	s := openShop(t)
	b := s.buy()
	until := noon.Add(l402.InvoiceExpiry + 30*24*time.Hour)
	small := b.narrowed(fmt.Sprintf("almanac_valid_until=%d", noon.Add(time.Hour).Unix()))
	s.wantServed(s.search1(small.header()), 99)
	s.clock.Set(noon.Add(time.Hour))
	expired := s.search1(small.header())
	s.wantChallenge(expired, problem.CredentialExpired)
	if want := "is valid until " + until.UTC().Format(time.RFC3339); !strings.Contains(expired.problem.Detail, want) ||
		!strings.HasPrefix(expired.problem.Detail, "This copy") {
		t.Errorf("the copy: %q, want %q", expired.problem.Detail, want)
	}
	s.wantServed(s.search1(b.header()), 98)
	s.clock.Set(until)
	for _, over := range []string{small.header(), b.header()} {
		if a := s.search1(over); a.problem.Code != problem.CredentialExpired || strings.Contains(a.problem.Detail, "copy") {
			t.Errorf("after the payment's time: %s %q", a.problem.Code, a.problem.Detail)
		}
	}
}

// docs/cases.md, C23.
func TestSeveralMacaroons(t *testing.T) {
	s := openShop(t)
	a, b := s.buy(), s.buy()
	foreign := openShop(t).buy()
	forged, err := macaroon.New([]byte("mine"), a.macaroon().Id(), "almanac", macaroon.V2)
	if err != nil {
		t.Fatal(err)
	}
	rawForged, _ := forged.MarshalBinary()
	odd, err := macaroon.New([]byte("theirs"), []byte("an id of another kind"), "", macaroon.V2)
	if err != nil {
		t.Fatal(err)
	}
	rawOdd, _ := odd.MarshalBinary()

	used := 0
	for name, macs := range map[string][][]byte{
		"good":                {a.raw},
		"good twice":          {a.raw, a.raw},
		"good and narrowed":   {a.raw, a.narrowed("x=1").raw},
		"good and foreign":    {a.raw, foreign.raw},
		"good and odd":        {rawOdd, a.raw, rawOdd},
		"two good, A's proof": {a.raw, b.raw},
	} {
		for _, order := range [][][]byte{macs, reversed(macs)} {
			used++
			if got := s.search1(bearer(joined(order), a.preimage.String())); got.StatusCode != 200 {
				t.Errorf("%s: %d %s, want 200", name, got.StatusCode, got.problem.Code)
			}
			s.wantUsed(a, used)
		}
	}
	for name, tc := range map[string]struct {
		macs [][]byte
		code problem.Code
	}{
		"good and forged":     {[][]byte{a.raw, rawForged}, problem.CredentialInvalid},
		"good and expired":    {[][]byte{a.raw, a.narrowed("almanac_valid_until=5").raw}, problem.CredentialExpired},
		"good and widened":    {[][]byte{a.raw, a.narrowed("almanac_credits=101").raw}, problem.CredentialInvalid},
		"only another's":      {[][]byte{b.raw, foreign.raw}, problem.PaymentUnproven},
		"only odd":            {[][]byte{rawOdd}, problem.CredentialInvalid},
		"good and exhausted":  {[][]byte{a.raw, a.narrowed("almanac_credits=1").raw}, problem.CreditsExhausted},
		"good and unreadable": {[][]byte{a.raw, {2}}, problem.CredentialMalformed},
	} {
		for _, order := range [][][]byte{tc.macs, reversed(tc.macs)} {
			if got := s.search1(bearer(joined(order), a.preimage.String())); got.StatusCode != 402 || got.problem.Code != tc.code {
				t.Errorf("%s: %d %s, want 402 %s", name, got.StatusCode, got.problem.Code, tc.code)
			}
		}
	}
	// A macaroon that commits to another payment cannot be told from a foreign one unless it verifies, and is never
	// used either way; so a forged copy of B beside A's good one is passed over like B itself.
	s.wantUsed(a, used)
	s.wantUsed(b, 0)
}

func reversed(b [][]byte) [][]byte { c := slices.Clone(b); slices.Reverse(c); return c }

func joined(macs [][]byte) string {
	var texts []string
	for _, m := range macs {
		texts = append(texts, std(m))
	}
	return strings.Join(texts, ",")
}
