package tools

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// encode encodes a value of our own without escaping < > &, which URLs are full of.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("tools: encode a value of our own: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

const hexDigits = "0123456789abcdef"

// appendEscaped appends s as the inside of a JSON string. Bytes that are not UTF-8 become U+FFFD.
func appendEscaped(dst []byte, s string) []byte {
	start := 0
	for i := 0; i < len(s); {
		b := s[i]
		if b >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[start:i]...), "\ufffd"...)
				start = i + 1
			}
			i += n
			continue
		}
		if b >= ' ' && b != '"' && b != '\\' {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		switch b {
		case '"', '\\':
			dst = append(dst, '\\', b)
		case '\n':
			dst = append(dst, '\\', 'n')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[b>>4], hexDigits[b&15])
		}
		i++
		start = i
	}
	return append(dst, s[start:]...)
}

// unescape reverses appendEscaped.
func unescape(text []byte) (string, error) {
	var s string
	err := json.Unmarshal([]byte(`"`+string(text)+`"`), &s)
	return s, err
}
