// Package bolt12 reads Lightning offers (https://github.com/lightning/bolts/blob/master/12-offer-encoding.md).
package bolt12

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"go.almanac.example/http402/bech32"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
)

// An Offer is a decoded offer. A member that it does not state is empty.
type Offer struct {
	Text        string   // plain
	Networks    []string // by name, or the genesis hash of an unknown chain in hexadecimal
	Amount      uint64   // in millisatoshis, or in the smallest unit of the currency; 0 when the payer chooses
	Currency    string   // of ISO 4217; empty means Bitcoin
	Description string
	Issuer      string
	IssuerID    string // the public key in hexadecimal
	ExpiresAt   time.Time
}

// Decode reads an offer that a payer can act on: "lno1" and a stream of records that a reader must not refuse (BOLT 12,
// "Requirements For Offers"). Its errors complete the sentence "the offer …".
func Decode(text string) (Offer, error) {
	lower := strings.ToLower(text)
	if text != lower && text != strings.ToUpper(text) { // capitals throughout are for QR codes
		return Offer{}, errors.New("mixes capitals and small letters")
	}
	plain := joint.ReplaceAllString(lower, "")
	records, err := decodeRecords(plain)
	if err != nil {
		return Offer{}, err
	}
	o := Offer{Text: plain, Amount: number(records[offerAmount]), Currency: string(records[offerCurrency]),
		Description: string(records[offerDescription]), Issuer: string(records[offerIssuer]),
		IssuerID: hex.EncodeToString(records[offerIssuerID])}
	for chains := records[offerChains]; len(chains) > 0; chains = chains[32:] {
		hash := hex.EncodeToString(chains[:32])
		o.Networks = append(o.Networks, cmp.Or(networks[hash], hash))
	}
	if len(o.Networks) == 0 {
		o.Networks = []string{"mainnet"}
	}
	if expiry, ok := records[offerExpiry]; ok {
		o.ExpiresAt = time.Unix(int64(min(number(expiry), maxTime)), 0).UTC()
	}
	return o, nil
}

// maxTime is the last second of the year 9999, the last that RFC 3339 has.
const maxTime = 253402300799

// networks are chains by their genesis hashes, as they are on the wire.
var networks = map[string]string{
	"6fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000": "mainnet",
	"43497fd7f826957108f4a30fd9cec3aeba79972084e90ead01ea330900000000": "testnet",
	"f61eee3b63a380a477a063af32b2bbc97c9ff9f01f2c4225e973988108000000": "signet",
	"06226e46111a0b59caaf126043eb5bbf28c34f3a5e332a1fc7b2b73cf188910f": "regtest",
}

func number(b []byte) (n uint64) {
	for _, c := range b {
		n = n<<8 | uint64(c)
	}
	return n
}

// joint is a "+" between two letters, with white space after it, where a long offer was split (BOLT 12, "Encoding").
var joint = regexp.MustCompile(`\b\+\s*\b`)

// The records of an offer that have rules of their own.
const (
	offerChains, offerMetadata, offerCurrency, offerAmount, offerDescription, offerFeatures = 2, 4, 6, 8, 10, 12
	offerExpiry, offerPaths, offerIssuer, offerQuantityMax, offerIssuerID                   = 14, 16, 18, 20, 22
)

// decodeRecords returns the records of a plain offer, checked.
func decodeRecords(offer string) (map[uint64][]byte, error) {
	data, ok := strings.CutPrefix(offer, "lno1")
	if !ok {
		return nil, errors.New("does not begin with lno1, in lower case")
	}
	groups, err := bech32.Values(data) // without a checksum
	stream, padding := bech32.Bytes(groups)
	if err = cmp.Or(err, padding); err != nil {
		return nil, err
	}
	records, err := tlvRecords(stream)
	if err != nil {
		return nil, err
	}
	for _, typ := range slices.Sorted(maps.Keys(records)) {
		if err := checkOfferRecord(typ, records[typ]); err != nil {
			return nil, fmt.Errorf("has a record %d that %w", typ, err)
		}
	}
	has := func(typ uint64) bool { _, ok := records[typ]; return ok }
	switch {
	case has(offerAmount) && !has(offerDescription):
		return nil, errors.New("has an amount but no description")
	case has(offerCurrency) && !has(offerAmount):
		return nil, errors.New("has a currency but no amount")
	case !has(offerIssuerID) && !has(offerPaths):
		return nil, errors.New("names neither an issuer nor a path to one")
	}
	return records, nil
}

// checkOfferRecord checks the value of one record. Its errors continue "a record that".
func checkOfferRecord(typ uint64, value []byte) error {
	switch typ {
	case offerChains:
		if len(value) == 0 || len(value)%32 != 0 {
			return errors.New("is not a list of chains of 32 bytes each")
		}
	case offerCurrency, offerDescription, offerIssuer:
		if !utf8.Valid(value) {
			return errors.New("is not valid UTF-8")
		}
	case offerAmount, offerExpiry, offerQuantityMax:
		if typ == offerAmount && len(value) == 0 {
			return errors.New("is an amount of zero, which is to be left out if the payer chooses")
		}
		if len(value) > 8 || len(value) > 0 && value[0] == 0 {
			return errors.New("is not a number in its shortest form")
		}
	case offerFeatures:
		if slices.ContainsFunc(value, func(b byte) bool { return b&0x55 != 0 }) { // an even bit, of which none is defined
			return errors.New("demands an unknown feature")
		}
	case offerPaths:
		return checkPaths(value)
	case offerIssuerID:
		if !isPoint(value) {
			return errors.New("is not a public key")
		}
	case offerMetadata:
	default:
		const lastNormal, firstExperimental, lastExperimental = 79, 1_000_000_000, 1_999_999_999
		if typ == 0 || typ > lastNormal && (typ < firstExperimental || typ > lastExperimental) {
			return errors.New("does not belong in an offer")
		}
		if typ%2 == 0 {
			return errors.New("is unknown and even, so that it may not be skipped")
		}
	}
	return nil
}

// checkPaths checks a list of blinded paths (BOLT 4, "blinded_path").
func checkPaths(b []byte) error {
	s := scanner{rest: b}
	for first := true; s.err == nil && (first || len(s.rest) > 0); first = false {
		if len(s.rest) > 0 && s.rest[0] <= 1 { // a short channel id with its direction, instead of a key
			s.take(9)
		} else {
			s.point()
		}
		s.point() // the path key
		hops := s.number(1)
		if hops == 0 {
			s.fail("has a path without hops")
		}
		for range hops {
			s.point()
			s.take(s.number(2))
		}
	}
	return s.err
}

// isPoint reports whether b is a compressed point of secp256k1.
func isPoint(b []byte) bool {
	_, err := secp256k1.ParsePubKey(b)
	return len(b) == secp256k1.PubKeyBytesLenCompressed && err == nil
}

// tlvRecords returns the records of a TLV stream (BOLT 1) by their types, which must ascend. Its errors continue "the
// offer".
func tlvRecords(b []byte) (map[uint64][]byte, error) {
	records := make(map[uint64][]byte)
	s := scanner{rest: b}
	for last := uint64(0); len(s.rest) > 0; {
		typ := s.bigSize()
		value := s.take(s.bigSize())
		if s.err != nil {
			return nil, s.err
		}
		if len(records) > 0 && typ <= last {
			return nil, fmt.Errorf("has record %d after record %d, although records must ascend", typ, last)
		}
		records[typ], last = value, typ
	}
	return records, nil
}

// A scanner takes values from the front of bytes. It remembers the first error, after which it takes nothing.
type scanner struct {
	rest []byte
	err  error
}

func (s *scanner) fail(reason string) {
	if s.err == nil {
		s.rest, s.err = nil, errors.New(reason)
	}
}

func (s *scanner) take(n uint64) []byte {
	if n > uint64(len(s.rest)) {
		s.fail("ends too early")
		return nil
	}
	part := s.rest[:n]
	s.rest = s.rest[n:]
	return part
}

func (s *scanner) number(size uint64) uint64 { return number(s.take(size)) }

func (s *scanner) point() {
	if !isPoint(s.take(33)) {
		s.fail("contains an invalid public key")
	}
}

// bigSize takes a BigSize integer (BOLT 1), which must be in its shortest form.
func (s *scanner) bigSize() uint64 {
	first := s.number(1)
	if first < 0xfd {
		return first
	}
	n := s.number(2 << (first - 0xfd))
	if n < [...]uint64{0xfd, 1 << 16, 1 << 32}[first-0xfd] {
		s.fail("contains a number that is not in its shortest form")
	}
	return n
}
