package bolt11

import (
	"strconv"
	"strings"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"

	"go.almanac.example/http402/bech32"
)

// A Draft is an invoice to write. Nothing in it is checked.
type Draft struct {
	Human  string // the human-readable part, such as lnbc10u
	Time   int64
	Fields []Field
}

// A Field is a tagged field. Its data are groups of five bits.
type Field struct {
	Type string // its character, such as p
	Data []byte
}

// Groups cuts bytes into groups of five bits, padded with zeros.
func Groups(b []byte) []byte { return bech32.Pad(b, 8, 5) }

// Number writes a number in as few groups as it needs, and zero in one. Of features, each is a bit of the number.
func Number(n uint64) []byte {
	groups := []byte{byte(n & 31)}
	for n >>= 5; n > 0; n >>= 5 {
		groups = append([]byte{byte(n & 31)}, groups...)
	}
	return groups
}

// Amount writes millisatoshis in as few characters as an invoice can.
func Amount(msat int64) string {
	if msat == 0 {
		return ""
	}
	for _, unit := range []struct {
		letter string
		msat   int64
	}{{"", 100_000_000_000}, {"m", 100_000_000}, {"u", 100_000}, {"n", 100}} {
		if msat%unit.msat == 0 {
			return strconv.FormatInt(msat/unit.msat, 10) + unit.letter
		}
	}
	return strconv.FormatInt(msat, 10) + "0p"
}

// Data returns the groups of time and fields, which are signed.
func (d Draft) Data() []byte {
	var data []byte
	for shift := 30; shift >= 0; shift -= 5 {
		data = append(data, byte(d.Time>>shift&31))
	}
	for _, f := range d.Fields {
		kind := byte(strings.Index(bech32.Charset, f.Type))
		data = append(data, kind, byte(len(f.Data)>>5&31), byte(len(f.Data)&31))
		data = append(data, f.Data...)
	}
	return data
}

// Sign returns the invoice with the signature of a key.
func (d Draft) Sign(key *secp256k1.PrivateKey) string {
	return bech32.Encode(d.Human, Sign(d.Human, d.Data(), key))
}

// Sign adds the signature of a key to the groups of an invoice.
func Sign(human string, data []byte, key *secp256k1.PrivateKey) []byte {
	compact := ecdsa.SignCompact(key, signedHash(human, data), true)
	signature := append(compact[1:], compact[0]-31)
	return append(data[:len(data):len(data)], Groups(signature)...)
}
