// Package bech32 reads and writes the encoding of invoices, offers and payment requests: BIP 173 and BIP 350 without their bound on
// length.
package bech32

import (
	"errors"
	"fmt"
	"strings"
)

// Charset has the characters of the values 0 to 31.
const Charset = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

const checksumLength = 6

// Decode checks a text, and returns its human-readable part in lower case, and the values of its data without the
// checksum. Its errors complete the sentence "it …".
func Decode(text string) (human string, data []byte, err error) { return decode(text, 1) }

// DecodeM is Decode for bech32m (BIP 350).
func DecodeM(text string) (human string, data []byte, err error) { return decode(text, 0x2bc830a3) }

func decode(text string, checksum uint32) (human string, data []byte, err error) {
	lower := strings.ToLower(text)
	if text != lower && text != strings.ToUpper(text) {
		return "", nil, errors.New("mixes upper and lower case")
	}
	separator := strings.LastIndexByte(lower, '1')
	if separator < 1 || separator+checksumLength >= len(lower) {
		return "", nil, errors.New("is not bech32")
	}
	human = lower[:separator]
	data, err = Values(lower[separator+1:])
	if err != nil {
		return "", nil, err
	}
	if polymod(human, data) != checksum {
		return "", nil, errors.New("has a wrong checksum")
	}
	return human, data[:len(data)-checksumLength], nil
}

// Encode writes a human-readable part in lower case, the values of data, and their checksum.
func Encode(human string, data []byte) string {
	sum := polymod(human, append(data[:len(data):len(data)], make([]byte, checksumLength)...)) ^ 1
	text := []byte(human + "1")
	for _, value := range data {
		text = append(text, Charset[value])
	}
	for shift := 5 * (checksumLength - 1); shift >= 0; shift -= 5 {
		text = append(text, Charset[sum>>shift&31])
	}
	return string(text)
}

// Values returns the values of characters in lower case.
func Values(text string) ([]byte, error) {
	values := make([]byte, len(text))
	for i := range len(text) {
		value := strings.IndexByte(Charset, text[i])
		if value < 0 {
			return nil, fmt.Errorf("contains %q, which is not a bech32 letter", text[i])
		}
		values[i] = byte(value)
	}
	return values, nil
}

// polymod is the checksum's polynomial of BIP 173, which has a constant for a valid text.
func polymod(human string, data []byte) uint32 {
	sum := uint32(1)
	add := func(value byte) {
		top := sum >> 25
		sum = sum&0x1ffffff<<5 ^ uint32(value)
		for i, generator := range [...]uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3} {
			sum ^= generator * (top >> i & 1)
		}
	}
	for _, c := range []byte(human) {
		add(c >> 5)
	}
	add(0)
	for _, c := range []byte(human) {
		add(c & 31)
	}
	for _, value := range data {
		add(value)
	}
	return sum
}

// Bytes joins groups of five bits. The bits that are left must be fewer than five, and zero.
func Bytes(groups []byte) ([]byte, error) {
	joined, left, bits := Regroup(groups, 5, 8)
	if bits >= 5 || left != 0 {
		return nil, errors.New("is not padded with zeros")
	}
	return joined, nil
}

// Regroup cuts groups of some bits into groups of others, and returns the bits that are left, and their number.
func Regroup(in []byte, from, to int) (out []byte, left byte, bits int) {
	var buffer uint
	for _, group := range in {
		buffer, bits = buffer<<from|uint(group), bits+from
		for bits >= to {
			bits -= to
			out = append(out, byte(buffer>>bits))
			buffer &= 1<<bits - 1
		}
	}
	return out, byte(buffer), bits
}

// Pad is Regroup with zeros after the bits that are left.
func Pad(in []byte, from, to int) []byte {
	out, left, bits := Regroup(in, from, to)
	if bits > 0 {
		out = append(out, left<<(to-bits))
	}
	return out
}
