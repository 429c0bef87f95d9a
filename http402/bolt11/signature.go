package bolt11

import (
	"crypto/sha256"
	"errors"

	"go.almanac.example/http402/bech32"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

// signedHash returns the hash of an invoice that its payee signs.
func signedHash(human string, data []byte) []byte {
	hash := sha256.Sum256(append([]byte(human), bech32.Pad(data, 5, 8)...))
	return hash[:]
}

// verify checks a signature with the payee's key, or recovers the key from it if there is none, and returns the key.
func verify(human string, signed, signature, payee []byte) ([]byte, error) {
	hash := signedHash(human, signed)
	raw, _, _ := bech32.Regroup(signature, 5, 8)
	recovery := raw[64]
	if recovery > 3 {
		return nil, errors.New("its signature has no recovery id")
	}
	if payee == nil {
		compact := append([]byte{27 + 4 + recovery}, raw[:64]...)
		key, _, err := ecdsa.RecoverCompact(compact, hash)
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
		!ecdsa.NewSignature(&r, &s).Verify(hash, key) {
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
