// Package bolt11test compares the invoices of http402/bolt11, a module without lnd, with lnd's. It shares no memory: under the race detector, the
// elliptic curves of both would take ten minutes.
package bolt11test

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chaincfg"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/lightningnetwork/lnd/zpay32"

	"go.almanac.example/http402/bech32"
	"go.almanac.example/http402/bolt11"
)

// TestInvoicesReadAsByLnd: the buyer's decoder accepts and refuses what lnd's does, and reads the same, in 20,000
// invoices that were made and then damaged (2,000 without ALMANAC_REAL), except where the specification is stricter
// than lnd (breaksRule says where, with the reason).
func TestInvoicesReadAsByLnd(t *testing.T) {
	n := 2_000
	if os.Getenv("ALMANAC_REAL") != "" {
		n = 20_000
	}
	m := mutator{rand.New(rand.NewPCG(1, 2)), secp256k1.PrivKeyFromBytes([]byte{1})}
	accepted, refused, rules := 0, 0, map[string]int{}
	for accepted+refused < n {
		net, human, data := m.invoice()
		if hasBlindedPath(data) { // of bLIP 39: the specification's readers skip the field, and lnd reads it
			continue
		}
		text := bech32.Encode(human, data)
		want, lndErr := zpay32.Decode(text, net.params)
		got, err := bolt11.Decode(text)
		rule := ""
		if lndErr == nil {
			rule = breaksRule(human[len(net.prefix):], data)
		}
		if (err == nil) != (lndErr == nil && rule == "") {
			t.Fatalf("%s\nis read with %v; lnd reads it with %v, and it breaks the rule %q", text, err, lndErr, rule)
		}
		if err != nil {
			refused++
			rules[rule]++
			continue
		}
		accepted++
		read := bolt11.Invoice{Text: text, Network: net.name, Hash: *want.PaymentHash, CreatedAt: want.Timestamp,
			ExpiresAt: want.Timestamp.Add(want.Expiry()), Payee: hex.EncodeToString(want.Destination.SerializeCompressed())}
		if want.MilliSat != nil {
			read.MilliSats = int64(*want.MilliSat)
		}
		if want.Description != nil {
			read.Description = *want.Description
		}
		read.Secret, read.Metadata = want.PaymentAddr.UnwrapOr([32]byte{}), string(want.Metadata)
		if want.DescriptionHash != nil {
			read.DescriptionHash = string(want.DescriptionHash[:])
		}
		if read.FinalDelta = want.MinFinalCLTVExpiry(); got.FinalDelta == 18 && read.FinalDelta == zpay32.DefaultAssumedFinalCLTVDelta {
			read.FinalDelta = 18 // if none is stated, by the specification; lnd assumes more
		}
		if got != read {
			t.Fatalf("%s\nis read as %+v, and by lnd as %+v", text, got, read)
		}
	}
	t.Logf("%d accepted by both, %d refused by both, stricter than lnd: %v", accepted, rules[""], rules)
	delete(rules, "")
	if accepted < n/5 || len(rules) < 10 {
		t.Errorf("%d of %d are valid, and %d rules are broken: too few to compare", accepted, n, len(rules))
	}
}

// TestBlindedPathIsIgnored: the field b of bLIP 39, which the specification does not have, is skipped.
func TestBlindedPathIsIgnored(t *testing.T) {
	m := mutator{rand.New(rand.NewPCG(1, 2)), secp256k1.PrivKeyFromBytes([]byte{1})}
	inv := m.base("lnbc1u")
	inv.Fields = append(inv.Fields, bolt11.Field{Type: "5", Data: []byte{1, 2, 3}})
	if _, err := bolt11.Decode(inv.Sign(m.key)); err != nil {
		t.Error(err)
	}
}

type network struct {
	prefix, name string
	params       *chaincfg.Params
}

var lndNetworks = []network{
	{"lnbcrt", bolt11.Regtest, &chaincfg.RegressionNetParams}, {"lntbs", bolt11.Signet, &chaincfg.SigNetParams},
	{"lntb", bolt11.Testnet, &chaincfg.TestNet3Params}, {"lnsb", bolt11.Simnet, &chaincfg.SimNetParams},
	{"lnbc", bolt11.Mainnet, &chaincfg.MainNetParams},
}

// A mutator makes invoices, of which most have one fault or oddity.
type mutator struct {
	*rand.Rand
	key *secp256k1.PrivateKey
}

func (m mutator) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(m.Uint32())
	}
	return b
}

func (m mutator) groups(n int) []byte {
	b := m.bytes(n)
	for i := range b {
		b[i] &= 31
	}
	return b
}

func (m mutator) base(human string) bolt11.Draft {
	f := func(kind string, data []byte) bolt11.Field { return bolt11.Field{Type: kind, Data: data} }
	inv := bolt11.Draft{Human: human, Time: m.Int64N(1 << 35), Fields: []bolt11.Field{
		f("p", bolt11.Groups(m.bytes(32))), f("s", bolt11.Groups(m.bytes(32))),
		f("9", bolt11.Number(1<<8|1<<14)), f("d", bolt11.Groups([]byte("a memo, ナンセンス")))}}
	if m.IntN(4) == 0 {
		inv.Fields[3] = f("h", bolt11.Groups(m.bytes(32)))
	}
	if m.IntN(2) == 0 {
		inv.Fields = append(inv.Fields, f("x", bolt11.Number(1+m.Uint64N(1<<uint(1+m.IntN(30))))), f("c", bolt11.Number(80)))
	}
	if m.IntN(3) == 0 {
		inv.Fields = append(inv.Fields, f("n", bolt11.Groups(m.key.PubKey().SerializeCompressed())))
	}
	if m.IntN(4) == 0 {
		hop := append(m.key.PubKey().SerializeCompressed(), m.bytes(18)...)
		inv.Fields = append(inv.Fields, f("r", bolt11.Groups(append(hop, hop...))))
	}
	if m.IntN(4) == 0 {
		inv.Fields = append(inv.Fields, f("f", append([]byte{17}, bolt11.Groups(m.bytes(20))...)))
	}
	return inv
}

// invoice returns the parts of an invoice.
func (m mutator) invoice() (net network, human string, data []byte) {
	net = lndNetworks[m.IntN(len(lndNetworks))]
	inv := m.base(net.prefix + m.amount())
	if m.IntN(2) == 0 {
		m.change(&inv)
	}
	data = inv.Data()
	signed := m.IntN(4) > 0
	if m.IntN(6) == 0 { // characters before the signature, which is then that of the changed text, or not
		for range 1 + m.IntN(3) {
			data[m.IntN(len(data))] = byte(m.IntN(32))
		}
	}
	data = bolt11.Sign(inv.Human, data, m.key)
	if m.IntN(8) == 0 {
		m.changeSignature(data)
	}
	if !signed {
		data[m.IntN(len(data))] = byte(m.IntN(32))
	}
	if m.IntN(50) == 0 {
		data = data[:m.IntN(len(data))]
	}
	return net, inv.Human, data
}

func (m mutator) amount() string {
	pick := func(all ...string) string { return all[m.IntN(len(all))] }
	switch m.IntN(10) {
	case 0:
		return ""
	case 1:
		return fmt.Sprint(m.Uint64()>>uint(m.IntN(64))) + pick("m", "u", "n", "p", "", "x")
	case 2:
		return pick("0", "00", "01m", "010n", "0p", "1p", "5p", "10p", "11p", "20p", "100p", "+5u", "-5u", "5_0u", "5.0u", "u", "1mu", "2100000000000000000n",
			"18446744073709551615", "18446744073709551616n", "184467440737095516160p", "21000000", "21000001", "184467440738", "92233720369m")
	default:
		return fmt.Sprint(1+m.IntN(100_000)) + pick("m", "u", "n", "0p")
	}
}

// change makes one change of the fields.
func (m mutator) change(inv *bolt11.Draft) {
	const types = "qpzry9x8gf2tvdw0s3jn4khce6mua7l" // but for 5, of bLIP 39
	at := m.IntN(len(inv.Fields))
	field := &inv.Fields[at]
	field.Data = append([]byte(nil), field.Data...)
	kind := string(types[m.IntN(len(types))])
	switch m.IntN(12) {
	case 0:
		inv.Fields = append(inv.Fields[:at:at], inv.Fields[at+1:]...)
	case 1:
		inv.Fields = append(inv.Fields, *field)
	case 2:
		inv.Fields = append(inv.Fields, bolt11.Field{Type: kind, Data: m.groups(m.IntN(60))})
	case 3:
		inv.Fields = append([]bolt11.Field{{Type: kind, Data: m.groups(m.IntN(60))}}, inv.Fields...)
	case 4:
		field.Data = field.Data[:m.IntN(len(field.Data)+1)]
	case 5:
		field.Data = append(field.Data, m.groups(1+m.IntN(8))...)
	case 6:
		field.Type = kind
	case 7:
		field.Data = append(make([]byte, m.IntN(3)), field.Data...)
	case 8:
		inv.Fields = append(inv.Fields, bolt11.Field{Type: "x", Data: m.groups(m.IntN(16))})
	case 9:
		bit := m.IntN(300)
		groups := append(make([]byte, max(0, bit/5-2)), bolt11.Number(1<<8|1<<14)...)
		groups[len(groups)-1-bit/5] |= 1 << (bit % 5)
		inv.Fields[2] = bolt11.Field{Type: "9", Data: groups}
	case 10:
		inv.Fields = append(inv.Fields, bolt11.Field{Type: "f", Data: append([]byte{byte(m.IntN(20))}, bolt11.Groups(m.bytes([]int{0, 20, 32, 33}[m.IntN(4)]))...)})
	case 11:
		m.Shuffle(len(inv.Fields), func(i, j int) { inv.Fields[i], inv.Fields[j] = inv.Fields[j], inv.Fields[i] })
	}
}

// changeSignature gives the signature its other s, another recovery id, or zeros.
func (m mutator) changeSignature(data []byte) {
	at := len(data) - 104
	raw := ungroup(data[at:])
	switch m.IntN(3) {
	case 0:
		var s secp256k1.ModNScalar
		s.SetByteSlice(raw[32:64])
		s.Negate()
		b := s.Bytes()
		copy(raw[32:], b[:])
		raw[64] ^= 1
	case 1:
		raw[64] = byte(m.Uint32())
	case 2:
		clear(raw[32*m.IntN(2):][:32])
	}
	copy(data[at:], bolt11.Groups(raw))
}

func ungroup(groups []byte) []byte {
	out := make([]byte, len(groups)*5/8)
	for i := range out {
		for bit := range 8 {
			at := i*8 + bit
			out[i] = out[i]<<1 | groups[at/5]>>(4-at%5)&1
		}
	}
	return out
}

// eachField calls f for each tagged field.
func eachField(data []byte, f func(kind byte, field []byte)) {
	if len(data) < 111 {
		return
	}
	for data = data[7 : len(data)-104]; len(data) >= 3; {
		end := 3 + int(data[1])<<5 + int(data[2])
		if end > len(data) {
			return
		}
		f("qpzry9x8gf2tvdw0s3jn54khce6mua7l"[data[0]], data[3:end])
		data = data[end:]
	}
}

func hasBlindedPath(data []byte) (has bool) {
	eachField(data, func(kind byte, _ []byte) { has = has || kind == '5' })
	return has
}

// breaksRule returns the rule of the specification that an invoice breaks, of those that lnd does not check when it
// decodes. To refuse costs a purchase at most; to accept could pay something else than another reader has read.
func breaksRule(amount string, data []byte) (rule string) {
	digits := strings.TrimRight(amount, "munp")
	var number float64
	fmt.Sscan(digits, &number)
	scale := map[byte]float64{'m': 1e-3, 'u': 1e-6, 'n': 1e-9, 'p': 1e-12}[(amount + "0")[max(0, len(amount)-1)]]
	if scale == 0 {
		scale = 1
	}
	switch {
	case strings.HasPrefix(digits, "0"):
		return "amount: positive, no leading 0s"
	case number*scale > 21e6:
		return "amount: more than all bitcoin, which lnd computes modulo 2^64"
	}
	fixed := map[byte]int{'p': 52, 's': 52, 'h': 52, 'n': 53}
	first := map[byte]string{}
	eachField(data, func(kind byte, field []byte) {
		if want := fixed[kind]; want > 0 && len(field) != want {
			return // skipped, as in the example of fields which must be ignored
		}
		before, again := first[kind]
		single := strings.IndexByte("pshndmxc9", kind) >= 0
		switch {
		case single && again && before != string(field):
			rule = "fields: exactly one, or one: " + string(kind)
		case strings.IndexByte("xc9", kind) >= 0 && len(field) > 0 && field[0] == 0:
			rule = "minimal data_length: " + string(kind)
		case kind == 'x' && expirySeconds(field) > math.MaxInt64/1e9, strings.IndexByte("xc", kind) >= 0 && len(field) > 12:
			rule = "numbers that lnd computes modulo 2^64: " + string(kind)
		case kind == '9' && requires(field) != "":
			rule = "unknown even features"
		case kind == 'f' && again && !isAddress(field):
			rule = "fallback: lnd reads the first alone"
		}
		first[kind] = string(field)
	})
	signature := ungroup(data[len(data)-104:])
	var s secp256k1.ModNScalar
	s.SetByteSlice(signature[32:64])
	switch {
	case rule != "":
	case first['s'] == "":
		return "a payment secret"
	case signature[64] > 3:
		return "recovery id in {0,1,2,3}"
	case first['n'] != "" && s.IsOverHalfOrder():
		return "low S with n"
	}
	return rule
}

func expirySeconds(field []byte) (n float64) {
	for _, g := range field {
		n = n*32 + float64(g)
	}
	return n
}

// requires returns the bits that are even, set, and not of an invoice in BOLT 9.
func requires(field []byte) (bits string) {
	for i, g := range field {
		for b := range 5 {
			if n := 5*(len(field)-1-i) + b; g>>b&1 == 1 && n%2 == 0 && !strings.Contains(" 8 14 16 24 36 48 ", fmt.Sprintf(" %d ", n)) {
				bits += fmt.Sprint(n, " ")
			}
		}
	}
	return bits
}

func isAddress(field []byte) bool {
	if len(field) < 2 {
		return false
	}
	n := (len(field) - 1) * 5 / 8
	padded := field[len(field)-1]&(1<<((len(field)-1)*5%8)-1) == 0 && (len(field)-1)*5%8 < 5
	switch field[0] {
	case 0:
		return padded && (n == 20 || n == 32)
	case 1:
		return padded && n == 32
	case 17, 18:
		return padded && n == 20
	}
	return true
}
