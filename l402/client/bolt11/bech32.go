package bolt11

import (
	"crypto/sha256"
	"errors"
	"strings"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

// charset has the characters of the values 0 to 31, in BIP 173.
const charset = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

const checksumLength = 6

// decodeBech32 checks a text as BIP 173 says, but for its length, and returns its human-readable part in lower case,
// and the values of its data without the checksum.
func decodeBech32(text string) (human string, data []byte, err error) {
	lower := strings.ToLower(text)
	if text != lower && text != strings.ToUpper(text) {
		return "", nil, errors.New("it mixes upper and lower case")
	}
	separator := strings.LastIndexByte(lower, '1')
	if separator < 1 || separator+checksumLength >= len(lower) {
		return "", nil, errors.New("it is not bech32")
	}
	human = lower[:separator]
	for _, c := range []byte(lower[separator+1:]) {
		value := strings.IndexByte(charset, c)
		if value < 0 {
			return "", nil, errors.New("it has a character that is not of bech32")
		}
		data = append(data, byte(value))
	}
	if polymod(human, data) != 1 {
		return "", nil, errors.New("its checksum is wrong")
	}
	return human, data[:len(data)-checksumLength], nil
}

// polymod is the checksum's polynomial of BIP 173. It is 1 for a valid text.
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

// toBytes joins groups of five bits. The bits that are left must be fewer than five, and zero.
func toBytes(groups []byte) ([]byte, error) {
	joined, left, bits := joinBits(groups)
	if bits >= 5 || left != 0 {
		return nil, errors.New("is not padded with zeros")
	}
	return joined, nil
}

// joinBits joins groups of five bits, and returns the bits that are left, and their number.
func joinBits(groups []byte) (joined []byte, left byte, bits int) {
	var buffer uint
	for _, group := range groups {
		buffer, bits = buffer<<5|uint(group), bits+5
		if bits >= 8 {
			bits -= 8
			joined = append(joined, byte(buffer>>bits))
			buffer &= 1<<bits - 1
		}
	}
	return joined, byte(buffer), bits
}

// verify checks a signature with the payee's key, or recovers the key from it if there is none, and returns the key.
func verify(human string, signed, signature, payee []byte) ([]byte, error) {
	data, left, bits := joinBits(signed)
	if bits > 0 {
		data = append(data, left<<(8-bits))
	}
	hash := sha256.Sum256(append([]byte(human), data...))
	raw, _, _ := joinBits(signature)
	recovery := raw[64]
	if recovery > 3 {
		return nil, errors.New("its signature has no recovery id")
	}
	if payee == nil {
		compact := append([]byte{27 + 4 + recovery}, raw[:64]...)
		key, _, err := ecdsa.RecoverCompact(compact, hash[:])
		if err != nil {
			return nil, errors.New("its signature is of no key")
		}
		return key.SerializeCompressed(), nil
	}
	key, err := parseKey(payee)
	if err != nil {
		return nil, err
	}
	var r, s secp256k1.ModNScalar
	if r.SetByteSlice(raw[:32]) || s.SetByteSlice(raw[32:64]) || s.IsOverHalfOrder() ||
		!ecdsa.NewSignature(&r, &s).Verify(hash[:], key) {
		return nil, errors.New("its signature is not the payee's")
	}
	return payee, nil
}

func parseKey(raw []byte) (*secp256k1.PublicKey, error) {
	key, err := secp256k1.ParsePubKey(raw)
	if err != nil || len(raw) != secp256k1.PubKeyBytesLenCompressed {
		return nil, errors.New("names no key of a node")
	}
	return key, nil
}
