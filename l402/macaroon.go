package l402

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/lightningnetwork/lnd/lntypes"
	"gopkg.in/macaroon.v2"
)

// Bounds on parsing and hashing for strangers. A fresh macaroon has three caveats and about 220 bytes.
const (
	maxMacaroons     = 8
	maxMacaroonBytes = 4 << 10
	maxCaveats       = 32
)

// macaroonLocation is a hint for people who inspect a macaroon. It is not signed, and nothing here reads it.
const macaroonLocation = "almanac"

// mint returns a new macaroon with that identifier, signed with a key derived from the master key and the identifier.
func mint(keys Keys, id identifier, caveats []string) ([]byte, error) {
	m, err := macaroon.New(keys.minting().rootKey(&id), id[:], macaroonLocation, macaroon.V2)
	if err != nil {
		return nil, fmt.Errorf("create macaroon: %w", err)
	}
	for _, c := range caveats {
		if err := m.AddFirstPartyCaveat([]byte(c)); err != nil {
			return nil, fmt.Errorf("add caveat to macaroon: %w", err)
		}
	}
	b, err := m.MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("encode macaroon: %w", err)
	}
	return b, nil
}

var errMacaroon = errors.New("not a macaroon in the binary format, version 2")

// parseMacaroon parses one macaroon to its last byte. The library ignores bytes after a macaroon, and accepts encodings
// of a length that nobody writes; whatever does not encode to the same bytes again is refused.
func parseMacaroon(b []byte) (*macaroon.Macaroon, error) {
	if len(b) == 0 || len(b) > maxMacaroonBytes || b[0] != byte(macaroon.V2) {
		return nil, errMacaroon
	}
	m := new(macaroon.Macaroon)
	if err := m.UnmarshalBinary(b); err != nil {
		return nil, errMacaroon
	}
	if len(m.Caveats()) > maxCaveats {
		return nil, fmt.Errorf("the macaroon has more than %d caveats", maxCaveats)
	}
	again, err := m.MarshalBinary()
	if err != nil || !bytes.Equal(b, again) {
		return nil, errMacaroon
	}
	return m, nil
}

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
