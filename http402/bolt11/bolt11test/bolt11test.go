// Package bolt11test writes Lightning invoices for tests, right and wrong ones.
package bolt11test

import (
	"crypto/sha256"
	"strings"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

const charset = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

// An Invoice is one to write. Nothing in it is checked.
type Invoice struct {
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
func Groups(b []byte) []byte { return regroup(b, 8, 5) }

// Number writes a number in as few groups as it needs, and zero in one.
func Number(n uint64) []byte {
	groups := []byte{byte(n & 31)}
	for n >>= 5; n > 0; n >>= 5 {
		groups = append([]byte{byte(n & 31)}, groups...)
	}
	return groups
}

// Features writes the features of these numbers.
func Features(bits ...int) []byte {
	size := 0
	for _, bit := range bits {
		size = max(size, bit/5+1)
	}
	groups := make([]byte, size)
	for _, bit := range bits {
		groups[size-1-bit/5] |= 1 << (bit % 5)
	}
	return groups
}

// Data returns the groups of time and fields, which are signed.
func (i Invoice) Data() []byte {
	var data []byte
	for shift := 30; shift >= 0; shift -= 5 {
		data = append(data, byte(i.Time>>shift&31))
	}
	for _, f := range i.Fields {
		kind := byte(strings.Index(charset, f.Type))
		data = append(data, kind, byte(len(f.Data)>>5&31), byte(len(f.Data)&31))
		data = append(data, f.Data...)
	}
	return data
}

// Sign returns the invoice with the signature of a key.
func (i Invoice) Sign(key *secp256k1.PrivateKey) string {
	return Seal(i.Human, Sign(i.Human, i.Data(), key))
}

// Sign adds the signature of a key to the groups of an invoice.
func Sign(human string, data []byte, key *secp256k1.PrivateKey) []byte {
	hash := sha256.Sum256(append([]byte(human), regroup(data, 5, 8)...))
	compact := ecdsa.SignCompact(key, hash[:], true)
	signature := append(compact[1:], compact[0]-31)
	return append(data[:len(data):len(data)], Groups(signature)...)
}

// Seal writes bech32: a human-readable part, groups, and their checksum.
func Seal(human string, data []byte) string {
	values := make([]byte, 0, 2*len(human)+len(data)+7)
	for _, c := range []byte(human) {
		values = append(values, c>>5)
	}
	values = append(values, 0)
	for _, c := range []byte(human) {
		values = append(values, c&31)
	}
	values = append(append(values, data...), 0, 0, 0, 0, 0, 0)
	sum := uint32(1)
	for _, v := range values {
		top := sum >> 25
		sum = sum&0x1ffffff<<5 ^ uint32(v)
		for i, generator := range [...]uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3} {
			sum ^= generator * (top >> i & 1)
		}
	}
	sum ^= 1
	text := []byte(human + "1")
	for _, group := range data {
		text = append(text, charset[group])
	}
	for shift := 25; shift >= 0; shift -= 5 {
		text = append(text, charset[sum>>shift&31])
	}
	return string(text)
}

func regroup(in []byte, from, to int) (out []byte) {
	buffer, bits := uint(0), 0
	for _, v := range in {
		buffer, bits = buffer<<from|uint(v), bits+from
		for bits >= to {
			bits -= to
			out = append(out, byte(buffer>>bits))
			buffer &= 1<<bits - 1
		}
	}
	if bits > 0 {
		out = append(out, byte(buffer<<(to-bits)))
	}
	return out
}
