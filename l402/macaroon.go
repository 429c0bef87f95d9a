package l402

import (
	"bytes"
	"errors"
	"fmt"

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
