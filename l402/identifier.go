package l402

import (
	"crypto/rand"
	"encoding/binary"
	"errors"

	"github.com/lightningnetwork/lnd/lntypes"
)

// identifierSize is the length of a version 0 identifier:
// a big-endian uint16 version, the payment hash, a random token id
// (https://github.com/lightninglabs/L402/blob/master/macaroon-spec.md).
const identifierSize = 2 + lntypes.HashSize + tokenIDSize

const (
	identifierVersion = 0
	tokenIDSize       = 32
)

// An identifier identifies a macaroon and commits to its payment hash.
type identifier [identifierSize]byte

// newIdentifier returns the identifier of a new token for the payment.
func newIdentifier(hash lntypes.Hash) identifier {
	var id identifier
	binary.BigEndian.PutUint16(id[:2], identifierVersion)
	copy(id[2:], hash[:])
	rand.Read(id[2+lntypes.HashSize:]) // never fails since Go 1.24
	return id
}

var errForeignID = errors.New("the macaroon's identifier is not an L402 identifier of version 0")

// parseIdentifier parses the identifier of a macaroon, which has exactly 66 bytes.
func parseIdentifier(b []byte) (identifier, error) {
	var id identifier
	if len(b) != identifierSize || binary.BigEndian.Uint16(b) != identifierVersion {
		return id, errForeignID
	}
	copy(id[:], b)
	return id, nil
}

// paymentHash returns the payment hash that the identifier commits to.
func (id *identifier) paymentHash() lntypes.Hash {
	return lntypes.Hash(id[2 : 2+lntypes.HashSize])
}
