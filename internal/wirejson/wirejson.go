// Package wirejson is the one JSON encoder of published documents. It differs from a plain json.Marshal in one thing:
// the characters < > & stay as they are, because the documents are full of addresses and are never pasted into a script
// element unescaped.
package wirejson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	segmentjson "github.com/segmentio/encoding/json"
)

// Compact returns the encoding of v on one line, without a newline at its end.
func Compact(v any) ([]byte, error) { return Append(nil, v) }

// Append appends the encoding of v on one line to dst.
func Append(dst []byte, v any) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return dst, fmt.Errorf("encode %T as JSON: %w", v, err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// AppendPlain is Append in half the time, for structs without embedded ones and without methods that encode them, which
// the library behind it encodes otherwise.
func AppendPlain(dst []byte, v any) ([]byte, error) {
	return segmentjson.Append(dst, v, segmentjson.SortMapKeys)
}

// Indent returns the encoding of v as a file for people too: two spaces of indentation and one newline at the end. It
// is also the form of the curated files.
func Indent(v any) ([]byte, error) {
	line, err := Compact(v)
	if err != nil {
		return nil, err
	}
	b := indented.Get().(*bytes.Buffer)
	defer indented.Put(b)
	b.Reset()
	err = json.Indent(b, line, "", "  ")
	b.WriteByte('\n')
	return bytes.Clone(b.Bytes()), err
}

// indented keeps the buffers of Indent, which json.Indent grows to twice the size of a text.
var indented = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Must returns b and panics on an error. It is for values that always encode, such as structs of strings and numbers.
func Must(b []byte, err error) []byte {
	if err != nil {
		panic("wirejson: " + err.Error())
	}
	return b
}

// AppendString appends s as a JSON string, with the bytes that Append writes. Answers that are assembled from encoded
// parts use it: it allocates nothing.
func AppendString(dst []byte, s string) []byte { return segmentjson.AppendEscape(dst, s, 0) }
