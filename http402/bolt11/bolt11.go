// Package bolt11 reads and writes Lightning invoices (https://github.com/lightning/bolts/blob/master/11-payment-encoding.md) of
// every network. A writer that breaks a rule of the specification is refused where readers could disagree about the
// invoice: repeated fields, needless zeros, amounts that overflow.
package bolt11

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.almanac.example/http402/bech32"
)

// The networks of an invoice.
const (
	Testnet                          = "testnet" // also testnet4, whose invoices look the same
	Mainnet, Signet, Simnet, Regtest = "mainnet", "signet", "simnet", "regtest"
)

// networks are the networks by the beginning of their invoices.
var networks = map[string]string{"lnbcrt": Regtest, "lntbs": Signet, "lntb": Testnet, "lnsb": Simnet, "lnbc": Mainnet}

// Networks returns the names of all networks.
func Networks() []string { return []string{Mainnet, Testnet, Signet, Simnet, Regtest} }

// maxLength bounds an invoice, in characters. A usual one has 300, one with route hints 1,500.
const maxLength = 7089

// An Invoice is a decoded invoice.
type Invoice struct {
	Text        string // in lower case, without "lightning:"
	Network     string
	Hash        [32]byte // of the payment
	MilliSats   int64    // 0 when the payer chooses
	Description string
	Payee       string // the node's public key in hexadecimal
	FinalDelta  uint64 // blocks that the last hop needs

	CreatedAt, ExpiresAt time.Time

	Secret                    [32]byte // of the payment
	DescriptionHash, Metadata string   // bytes; the first is "" when there is a description
}

// beginning matches the part of an invoice that people can read: network and amount.
var beginning = regexp.MustCompile(`^(lnbcrt|lntbs|lntb|lnsb|lnbc)([0-9].*)?1`)

// ErrUnpayable is the fault of invoices that are read and that no wallet pays: old ones without the payment secret that the
// specification requires, and those without a signature of their payee.
var ErrUnpayable = errors.New("cannot be paid")

// Decode reads an invoice and checks its signature. Its errors complete the sentence "the invoice …". Of an
// invoice that cannot be read, it returns the network and the amount of the readable beginning, which no checksum protects;
// with [ErrUnpayable] all the rest.
func Decode(text string) (Invoice, error) {
	text = FromURI(strings.TrimSpace(text))
	if len(text) > maxLength {
		return Invoice{}, fmt.Errorf("has %d characters; at most %d are read", len(text), maxLength)
	}
	parts := beginning.FindStringSubmatch(strings.ToLower(text))
	if parts == nil {
		return Invoice{}, errors.New("is not BOLT 11 of a known network")
	}
	stated := Invoice{Network: networks[parts[1]]}
	amount, err := parseAmount(parts[2])
	stated.MilliSats = amount
	inv := stated
	if err = cmp.Or(inv.decode(text), err); errors.Is(err, ErrUnpayable) {
		return inv, err
	} else if err != nil {
		return stated, fmt.Errorf("cannot be read: %w", err)
	}
	return inv, nil
}

// The lengths of the parts of an invoice, in characters.
const timestampLength, signatureLength = 7, 104

func (inv *Invoice) decode(text string) error {
	human, data, err := bech32.Decode(text)
	if err != nil {
		return fmt.Errorf("it %w", err)
	}
	if len(data) < timestampLength+signatureLength {
		return errors.New("it is too short")
	}
	signed, signature := data[:len(data)-signatureLength], data[len(data)-signatureLength:]
	fields, err := parseFields(signed[timestampLength:])
	if err != nil {
		return err
	}
	inv.Text = strings.ToLower(text)
	inv.Hash = [32]byte(fields.data[typeHash])
	inv.Description, inv.DescriptionHash = string(fields.data[typeDescription]), string(fields.data[typeDescriptionHash])
	inv.Metadata = string(fields.data[typeMetadata])
	inv.CreatedAt = time.Unix(int64(number(signed[:timestampLength])), 0)
	inv.ExpiresAt, inv.FinalDelta = inv.CreatedAt.Add(fields.expiry), fields.delta
	payee, err := verify(human, signed, signature, fields.data[typePayee])
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnpayable, err)
	}
	inv.Payee = hex.EncodeToString(payee)
	if copy(inv.Secret[:], fields.data[typeSecret]) == 0 {
		return fmt.Errorf("%w: it has no payment secret", ErrUnpayable)
	}
	return nil
}

// multipliers are millisatoshis by the letter of an amount in bitcoin. The unit pico is a tenth of a millisatoshi.
var multipliers = map[byte]int64{'m': 100_000_000, 'u': 100_000, 'n': 100}

// maxBitcoin is more than there will ever be.
const maxBitcoin = 21_000_000

// parseAmount returns an amount in millisatoshis, or 0 if the invoice has none.
func parseAmount(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	digits, unit := s, int64(100_000_000_000)
	if last := s[len(s)-1]; last == 'p' {
		cut, ok := strings.CutSuffix(s, "0p")
		if !ok {
			return 0, fmt.Errorf("the amount %q is not in whole millisatoshis", s)
		}
		digits, unit = cut, 1
	} else if m := multipliers[last]; m > 0 {
		digits, unit = s[:len(s)-1], m
	}
	n, err := strconv.ParseUint(digits, 10, 63)
	if err != nil || n == 0 || digits[0] == '0' {
		return 0, fmt.Errorf("the amount %q is not a number with a multiplier", s)
	}
	if n > maxBitcoin*100_000_000_000/uint64(unit) {
		return 0, fmt.Errorf("the amount %q is beyond every limit", s)
	}
	return int64(n) * unit, nil
}

// The types of tagged fields.
const (
	typeHash, typeRoute, typeFeatures, typeExpiry, typeFallback                               = 1, 3, 5, 6, 9
	typeDescription, typeSecret, typePayee, typeDescriptionHash, typeFinalDelta, typeMetadata = 13, 16, 19, 23, 24, 27
)

// fixedLengths are the lengths of fields that have one, in characters. As lnd does, and as the example of the
// specification has it ("including fields which must be ignored"), fields of another length are skipped.
var fixedLengths = map[byte]int{typeHash: 52, typeSecret: 52, typeDescriptionHash: 52, typePayee: 53}

// fields are the tagged fields that the payer needs.
type fields struct {
	data   map[byte][]byte // of the types that are bytes
	expiry time.Duration
	delta  uint64
}

// parseFields reads all tagged fields. It refuses two different ones of a type of which a writer may send one only,
// because readers disagree about which counts.
func parseFields(data []byte) (f fields, err error) {
	f.data, f.expiry, f.delta = map[byte][]byte{}, time.Hour, 18
	seen := map[byte][]byte{}
	for len(data) > 0 {
		if len(data) < 3 {
			return f, errors.New("its last field is incomplete")
		}
		kind, length := data[0], int(data[1])<<5|int(data[2])
		if len(data) < 3+length {
			return f, errors.New("a field is longer than the invoice")
		}
		field := data[3 : 3+length]
		data = data[3+length:]
		if fixed := fixedLengths[kind]; fixed > 0 && length != fixed {
			continue
		}
		if first := seen[kind]; first != nil && !bytes.Equal(first, field) && strings.IndexByte("p9xdsnhcm", bech32.Charset[kind]) >= 0 {
			return f, fmt.Errorf("it has two fields %q", bech32.Charset[kind])
		}
		seen[kind] = field
		if err := f.parse(kind, field); err != nil {
			return f, fmt.Errorf("its field %q %w", bech32.Charset[kind], err)
		}
	}
	switch {
	case seen[typeHash] == nil:
		return f, errors.New("it has no payment hash")
	case (seen[typeDescription] == nil) == (seen[typeDescriptionHash] == nil):
		return f, errors.New("it needs a description, or the hash of one, and not both")
	}
	return f, nil
}

func (f *fields) parse(kind byte, field []byte) (err error) {
	switch kind {
	case typeHash, typePayee, typeSecret, typeDescription, typeDescriptionHash, typeMetadata:
		f.data[kind], err = bech32.Bytes(field)
		if err == nil && kind == typeDescription && !utf8.Valid(f.data[kind]) {
			err = errors.New("is not UTF-8")
		}
	case typeExpiry:
		seconds, numberErr := parseNumber(field)
		if seconds > math.MaxInt64/uint64(time.Second) {
			return errors.New("is beyond every limit")
		}
		f.expiry, err = time.Duration(seconds)*time.Second, numberErr
	case typeFinalDelta:
		f.delta, err = parseNumber(field)
	case typeFeatures:
		err = checkFeatures(field)
	case typeFallback:
		err = checkFallback(field)
	case typeRoute:
		err = checkRoute(field)
	}
	return err
}

// parseNumber reads a number, without needless zeros.
func parseNumber(field []byte) (n uint64, err error) {
	if len(field) > 12 {
		return 0, errors.New("is beyond every limit")
	}
	if len(field) > 0 && field[0] == 0 {
		return 0, errors.New("begins with a needless zero")
	}
	return number(field), nil
}

func number(groups []byte) (n uint64) {
	for _, group := range groups {
		n = n<<5 | uint64(group)
	}
	return n
}

// invoiceFeatures are the even features of invoices that a payer may be required to know, in BOLT 9: variable onions,
// payment secrets, several parts, blinded routes, attributed errors, payment metadata.
var invoiceFeatures = map[int]bool{8: true, 14: true, 16: true, 24: true, 36: true, 48: true}

// checkFeatures refuses what an unknown feature would require. The wallet checks the others.
func checkFeatures(field []byte) error {
	if len(field) > 0 && field[0] == 0 {
		return errors.New("begins with a needless zero")
	}
	for i, group := range field {
		for bit := range 5 {
			n := (len(field)-1-i)*5 + bit
			if group>>bit&1 == 1 && n%2 == 0 && !invoiceFeatures[n] {
				return fmt.Errorf("requires the unknown feature %d", n)
			}
		}
	}
	return nil
}

// checkFallback checks an address on the chain, which nobody pays here.
func checkFallback(field []byte) error {
	if len(field) < 2 {
		return errors.New("has no address")
	}
	sizes := map[byte][]int{0: {20, 32}, 1: {32}, 17: {20}, 18: {20}}[field[0]]
	if sizes == nil {
		return nil // an unknown version
	}
	program, err := bech32.Bytes(field[1:])
	if !slices.Contains(sizes, len(program)) {
		return errors.New("has an address of a wrong length")
	}
	return err
}

// hopLength is the length of a private channel in a route, in bytes, which begin with the key of a node.
const hopLength = 51

func checkRoute(field []byte) error {
	hops, err := bech32.Bytes(field)
	if err != nil {
		return err
	}
	if len(hops) == 0 || len(hops)%hopLength != 0 {
		return errors.New("is no list of channels")
	}
	for hop := range slices.Chunk(hops, hopLength) {
		if _, err := parseKey(hop[:33]); err != nil {
			return err
		}
	}
	return nil
}
