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

// IsCanonical reports whether text is JSON as RFC 8785 writes it.
func IsCanonical(text string) bool {
	canonical := jsontext.Value(text)
	return canonical.Canonicalize() == nil && string(canonical) == text
}

// Decode is the inverse of Encode. It accepts correct padding, and refuses line ends, the standard alphabet and
// trailing bits that are not zero.
func Decode(text string) (string, error) {
	b, err := decode(text, base64.URLEncoding)
	return string(b), err
}

// DecodeMacaroon decodes the base64 of a macaroon: the standard or the URL alphabet, padded or not. Line ends, which
// Go's decoders skip, are an error, as are trailing bits that are not zero.
func DecodeMacaroon(text string) ([]byte, error) {
	if strings.ContainsAny(text, "-_") {
		return decode(text, base64.URLEncoding)
	}
	return decode(text, base64.StdEncoding)
}

func decode(text string, enc *base64.Encoding) ([]byte, error) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, errors.New("it has line ends")
	}
	if !strings.HasSuffix(text, "=") {
		enc = enc.WithPadding(base64.NoPadding)
	}
	return enc.Strict().DecodeString(text)
}
