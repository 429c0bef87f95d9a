// Package bolt12 reads Lightning offers (https://github.com/lightning/bolts/blob/master/12-offer-encoding.md).
package bolt12

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"almanac/l402/client/bech32"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
)

// An Offer is a decoded offer. A member that it does not state is empty.
type Offer struct {
	Text        string   // plain
	Networks    []string // mainnet, or the genesis hash of another chain in hexadecimal
	Amount      uint64   // in millisatoshis, or in the smallest unit of the currency; 0 when the payer chooses
	Currency    string   // of ISO 4217; empty means Bitcoin
	Description string
	Issuer      string
	IssuerID    string // the public key in hexadecimal
	Expires     bool
	ExpiresAt   time.Time // if it expires
}

// Decode reads an offer that a payer can act on: "lno1" and a stream of records that a reader must not refuse (BOLT 12,
// "Requirements For Offers"). Its errors complete the sentence "the offer …".
func Decode(text string) (Offer, error) {
	plain, err := Plain(text)
	if err != nil {
		return Offer{}, err
	}
	if len(plain) > maxLength {
		return Offer{}, fmt.Errorf("has %d characters; at most %d are read", len(plain), maxLength)
	}
	records, err := decodeRecords(plain)
	if err != nil {
		return Offer{}, err
	}
	o := Offer{Text: plain, Amount: number(records[offerAmount]), Currency: string(records[offerCurrency]),
		Description: string(records[offerDescription]), Issuer: string(records[offerIssuer]),
		IssuerID: hex.EncodeToString(records[offerIssuerID])}
	for chains := records[offerChains]; len(chains) > 0; chains = chains[32:] {
		o.Networks = append(o.Networks, networkName(hex.EncodeToString(chains[:32])))
	}
	if len(o.Networks) == 0 {
		o.Networks = []string{"mainnet"}
	}
	if expiry, ok := records[offerExpiry]; ok {
		o.Expires, o.ExpiresAt = true, time.Unix(int64(min(number(expiry), maxTime)), 0).UTC()
	}
	return o, nil
}

// maxLength bounds an offer, in characters. maxTime is the last second of the year 9999, the last that RFC 3339 has.
const (
	maxLength = 16 << 10
	maxTime   = 253402300799
)

// networkName returns the name of a chain by its genesis hash, as it is on the wire.
func networkName(hash string) string {
	switch hash {
	case "6fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000":
		return "mainnet"
	case "43497fd7f826957108f4a30fd9cec3aeba79972084e90ead01ea330900000000":
		return "testnet"
	}
	return hash
}

func number(b []byte) (n uint64) {
	for _, c := range b {
		n = n<<8 | uint64(c)
	}
	return n
}

// joint is where an offer was split: a "+" between two letters, with white space after it.
var joint = regexp.MustCompile(`([0-9A-Za-z])\+\s*([0-9A-Za-z])`)

// Plain returns an offer in lower case and in one piece (BOLT 12, "Encoding"). A writer may use capitals
// throughout, as QR codes do, and may split a long offer by "+".
func Plain(offer string) (string, error) {
	lower := strings.ToLower(offer)
	if offer != lower && offer != strings.ToUpper(offer) {
		return "", errors.New("mixes capitals and small letters")
	}
	for {
		joined := joint.ReplaceAllString(lower, "$1$2")
		if joined == lower {
			return joined, nil
		}
		lower = joined // pieces of one letter share it with the next joint
	}
}

// The records of an offer that have rules of their own.
const (
	offerChains      = 2
	offerMetadata    = 4
	offerCurrency    = 6
	offerAmount      = 8
	offerDescription = 10
	offerFeatures    = 12
	offerExpiry      = 14
	offerPaths       = 16
	offerIssuer      = 18
	offerQuantityMax = 20
	offerIssuerID    = 22
)

// decodeRecords returns the records of a plain offer, checked.
func decodeRecords(offer string) (map[uint64][]byte, error) {
	records, err := offerRecords(offer)
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

// offerRecords returns the records of an offer by their types.
func offerRecords(offer string) (map[uint64][]byte, error) {
	data, ok := strings.CutPrefix(offer, "lno1")
	if !ok {
		return nil, errors.New("does not begin with lno1, in lower case")
	}
	groups, err := bech32.Values(data) // without a checksum
	if err != nil {
		return nil, err
	}
	stream, err := bech32.Bytes(groups)
	if err != nil {
		return nil, err
	}
	return tlvRecords(stream)
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
		return checkFeatures(value)
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

// checkFeatures refuses every even bit: those demand something, and none is defined for offers.
func checkFeatures(bits []byte) error {
	for _, b := range bits {
		if b&0x55 != 0 {
			return errors.New("demands an unknown feature")
		}
	}
	return nil
}

// checkPaths checks a list of blinded paths (BOLT 4, "blinded_path").
func checkPaths(b []byte) error {
	cut := errors.New("ends within a path")
	next := func(n int) (part []byte, ok bool) {
		if n > len(b) {
			return nil, false
		}
		part, b = b[:n], b[n:]
		return part, true
	}
	nextPoint := func() error {
		switch p, ok := next(33); {
		case !ok:
			return cut
		case !isPoint(p):
			return errors.New("contains an invalid public key")
		}
		return nil
	}
	for first := true; first || len(b) > 0; first = false {
		if len(b) > 0 && b[0] <= 1 { // a short channel id with its direction, instead of a key
			if _, ok := next(9); !ok {
				return cut
			}
		} else if err := nextPoint(); err != nil {
			return err
		}
		if err := nextPoint(); err != nil { // the path key
			return err
		}
		hops, ok := next(1)
		if !ok {
			return cut
		}
		if hops[0] == 0 {
			return errors.New("has a path without hops")
		}
		for range hops[0] {
			if err := nextPoint(); err != nil {
				return err
			}
			size, ok := next(2)
			if !ok {
				return cut
			}
			if _, ok := next(int(binary.BigEndian.Uint16(size))); !ok {
				return cut
			}
		}
	}
	return nil
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
	for last := uint64(0); len(b) > 0; {
		typ, rest, err := bigSize(b)
		if err != nil {
			return nil, err
		}
		length, rest, err := bigSize(rest)
		if err != nil {
			return nil, err
		}
		if length > uint64(len(rest)) {
			return nil, fmt.Errorf("has a record %d that declares %d bytes but has %d", typ, length, len(rest))
		}
		if len(records) > 0 && typ <= last {
			return nil, fmt.Errorf("has record %d after record %d, although records must ascend", typ, last)
		}
		records[typ], last, b = rest[:length], typ, rest[length:]
	}
	return records, nil
}

// bigSize returns the BigSize integer at the start of b, which must be in its shortest form, and the rest of b.
func bigSize(b []byte) (uint64, []byte, error) {
	if len(b) == 0 {
		return 0, nil, errors.New("ends within a record")
	}
	n, least := 0, uint64(0)
	switch b[0] {
	case 0xfd:
		n, least = 2, 0xfd
	case 0xfe:
		n, least = 4, 1<<16
	case 0xff:
		n, least = 8, 1<<32
	default:
		return uint64(b[0]), b[1:], nil
	}
	if len(b) < 1+n {
		return 0, nil, errors.New("ends within a number")
	}
	var v uint64
	for _, c := range b[1 : 1+n] {
		v = v<<8 | uint64(c)
	}
	if v < least {
		return 0, nil, errors.New("contains a number that is not in its shortest form")
	}
	return v, b[1+n:], nil
}
