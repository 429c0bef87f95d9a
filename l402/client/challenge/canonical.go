package challenge

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A CanonicalObject is a JSON object. Its values are those that encoding/json decodes into an any, and
// CanonicalObjects.
type CanonicalObject map[string]any

// Canonical returns o as RFC 8785 (JCS) writes it. It panics if a value has another type.
func (o CanonicalObject) Canonical() string {
	text, err := json.Marshal(o)
	canonical := jsontext.Value(text)
	if err = errors.Join(err, canonical.Canonicalize()); err != nil {
		panic(fmt.Sprintf("challenge: %v", err))
	}
	return string(canonical)
}

// Encode returns the base64url form of text, without padding (RFC 4648, section 5).
func Encode(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

var errEncoding = errors.New("it is not base64url")

// Decode is the inverse of Encode. It accepts correct padding, and refuses line ends, the standard alphabet and
// trailing bits that are not zero.
func Decode(text string) (string, error) {
	if strings.ContainsAny(text, "\r\n") {
		return "", errEncoding
	}
	enc := base64.RawURLEncoding
	if strings.HasSuffix(text, "=") {
		enc = base64.URLEncoding
	}
	b, err := enc.Strict().DecodeString(text)
	if err != nil {
		return "", errEncoding
	}
	return string(b), nil
}

// DecodeMacaroon decodes the base64 of a macaroon: the standard or the URL alphabet, padded or not. Line ends, which
// Go's decoders skip, are an error, as are trailing bits that are not zero.
func DecodeMacaroon(s string) ([]byte, error) {
	enc := base64.StdEncoding
	if strings.ContainsAny(s, "-_") {
		enc = base64.URLEncoding
	}
	if !strings.HasSuffix(s, "=") {
		enc = enc.WithPadding(base64.NoPadding)
	}
	if strings.ContainsAny(s, "\r\n") {
		return nil, errors.New("it has line ends")
	}
	return enc.Strict().DecodeString(s)
}
