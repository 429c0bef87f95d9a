package challenge

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A CanonicalObject is a JSON object. Its values are those that encoding/json decodes into an any, and
// CanonicalObjects.
type CanonicalObject map[string]any

// Canonical returns o as RFC 8785 (JCS) writes it: names sorted by their UTF-16 code units, only those characters
// escaped that must be, and numbers as the shortest that are the same double. It panics if a value has another type.
func (o CanonicalObject) Canonical() string { return string(o.append(nil)) }

func (o CanonicalObject) append(b []byte) []byte {
	b = append(b, '{')
	for i, name := range slices.SortedFunc(maps.Keys(o), compareUTF16) {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendValue(append(appendString(b, name), ':'), o[name])
	}
	return append(b, '}')
}

func appendValue(b []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case string:
		return appendString(b, v)
	case float64:
		return appendNumber(b, v)
	case []any:
		b = append(b, '[')
		for i, element := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, element)
		}
		return append(b, ']')
	case map[string]any:
		return CanonicalObject(v).append(b)
	case CanonicalObject:
		return v.append(b)
	}
	panic(fmt.Sprintf("challenge: a value has type %T", value))
}

// appendNumber appends a JSON number (RFC 8785, section 3.2.2.3). encoding/json writes doubles as ECMAScript does, but
// for -0.
func appendNumber(b []byte, f float64) []byte {
	if f == 0 {
		return append(b, '0')
	}
	text, err := json.Marshal(f)
	if err != nil {
		panic(err) // JSON has neither NaN nor infinities
	}
	return append(b, text...)
}

// compareUTF16 compares strings by their UTF-16 code units, in which surrogate pairs precede U+E000 (RFC 8785, section
// 3.2.3).
func compareUTF16(a, b string) int {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

// appendString appends a JSON string (RFC 8785, section 3.2.2.2). Unlike encoding/json it escapes neither HTML nor
// U+2028 and U+2029.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < ' ':
			if i := strings.IndexRune("\b\t\n\f\r", r); i >= 0 {
				b = append(b, '\\', "btnfr"[i])
			} else {
				b = fmt.Appendf(b, `\u%04x`, r)
			}
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
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
		return nil, base64.CorruptInputError(0)
	}
	return enc.Strict().DecodeString(s)
}
