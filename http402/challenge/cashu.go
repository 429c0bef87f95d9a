package challenge

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"go.almanac.example/http402/bech32"
)

const clauseCashu = "Cashu, NUT-24, Server response"

// ReadCashu reads a payment request of Cashu: the value of X-Cashu in a 402 (NUT-24), or the same text elsewhere.
func ReadCashu(value string) Offer {
	o := Offer{Scheme: OfferCashu, Place: "X-Cashu"}
	value = strings.TrimSpace(value)
	prefix := strings.ToLower(value[:min(len(value), 5)])
	request, err := readCashuTLV(value)
	if prefix == "creqb" && err != nil {
		o.fault("Cashu, NUT-26, Encoded Request Format", "Encode the payment request in bech32m, as NUT-26 does.", "The payment request %v.", err)
		return o
	} else if prefix != "creqb" {
		b, err := DecodeLoose(value[len(prefix):])
		if prefix != "creqa" || err != nil {
			o.fault(clauseCashu, "Encode the payment request as NUT-18 does: creqA and base64url of CBOR.",
				"The header X-Cashu is not a payment request that begins with creqA.")
			return o
		}
		if request, err = ReadCBOR(b); err != nil {
			o.fault("Cashu, NUT-18, Encoded Request", "Encode the payment request as a CBOR map.", "The payment request is not one CBOR map.")
			return o
		}
	}
	return CashuOffer(request)
}

// CashuOffer returns the offer of a payment request by its members of NUT-18.
func CashuOffer(request map[string]any) Offer {
	o := Offer{Scheme: OfferCashu, Place: "X-Cashu", Extra: request}
	if amount := text(request["a"]); amount != "0" && baseUnits.MatchString(amount) {
		o.Amount = amount
	} else {
		o.fault(clauseCashu, "Add the amount, a positive whole number.", "The payment request has no positive amount a.")
	}
	if o.Currency, _ = request["u"].(string); o.Currency == "" {
		o.fault(clauseCashu, "Add the unit, such as sat.", "The payment request has no unit u.")
	}
	mints, _ := request["m"].([]any)
	for _, mint := range mints[:min(len(mints), maxOffers)] {
		o.Mints = append(o.Mints, text(mint))
	}
	if len(mints) == 0 {
		o.fault(clauseCashu, "List the addresses of the accepted mints.", "The payment request has no mints m.")
	}
	return o
}

// readCashuTLV returns the members of a payment request in bech32m by their names of NUT-18: id, amount, unit, mints, and the kinds
// of transports. Its errors complete the sentence "it …".
func readCashuTLV(text string) (map[string]any, error) {
	_, data, err := bech32.DecodeM(text)
	b, padding := bech32.Bytes(data)
	if err = cmp.Or(err, padding); err != nil {
		return nil, err
	}
	request, mints, ways := map[string]any{}, []any{}, []any{}
	for len(b) > 0 {
		if len(b) < 3 || int(binary.BigEndian.Uint16(b[1:])) > len(b)-3 {
			return nil, errors.New("ends in the middle of a field")
		}
		tag, value := b[0], string(b[3:3+binary.BigEndian.Uint16(b[1:])])
		b = b[3+len(value):]
		switch {
		case tag == 1:
			request["i"] = value
		case tag == 2 && len(value) == 8:
			request["a"] = binary.BigEndian.Uint64([]byte(value))
		case tag == 3:
			request["u"] = strings.Replace(value, "\x00", "sat", 1)
		case tag == 5:
			mints = append(mints, value)
		case tag == 7:
			ways = append(ways, map[string]any{"t": map[bool]string{true: "post", false: "nostr"}[strings.HasPrefix(value, "\x01\x00\x01\x01")]})
		}
	}
	request["m"], request["t"] = mints, ways
	return request, nil
}

var errCBOR = errors.New("it is not CBOR")

// ReadCBOR returns the map that b is in CBOR.
func ReadCBOR(b []byte) (map[string]any, error) {
	item, rest, err := cborItem(b, 0)
	if object, ok := item.(map[string]any); ok && len(rest) == 0 {
		return object, err
	}
	return nil, errCBOR
}

// cborItem returns the first item of b (RFC 8949) and the bytes after it. A map has text keys, an integer is a uint64,
// and a negative integer, a simple value or a float is nil.
func cborItem(b []byte, depth int) (item any, rest []byte, err error) {
	if len(b) == 0 || depth > 16 {
		return nil, nil, errCBOR
	}
	major, info := b[0]>>5, b[0]&31
	b = b[1:]
	n := uint64(info)
	if info >= 24 {
		size := 1 << (info - 24)
		if info > 27 || len(b) < size { // an indefinite length is not deterministic, and no wallet writes it
			return nil, nil, errCBOR
		}
		var wide [8]byte
		copy(wide[8-size:], b)
		n, b = binary.BigEndian.Uint64(wide[:]), b[size:]
	}
	switch major {
	case 0:
		return n, b, nil
	case 2, 3:
		if n > uint64(len(b)) {
			return nil, nil, errCBOR
		}
		return string(b[:n]), b[n:], nil
	case 6:
		return cborItem(b, depth+1) // the tag says nothing about the value of a payment request
	case 1, 7:
		return nil, b, nil
	}
	if n > uint64(len(b)) { // each element has a byte at least
		return nil, nil, errCBOR
	}
	if major == 5 {
		n *= 2 // keys and values by turns
	}
	list, object := []any{}, map[string]any{}
	for range n {
		var element any
		if element, b, err = cborItem(b, depth+1); err != nil {
			return nil, nil, err
		}
		list = append(list, element)
	}
	if major == 4 {
		return list, b, nil
	}
	for pair := range slices.Chunk(list, 2) {
		key, ok := pair[0].(string)
		if !ok {
			return nil, nil, errCBOR
		}
		object[key] = pair[1]
	}
	return object, b, nil
}
