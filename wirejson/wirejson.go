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
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.Reset()
	if err := e.json.Encode(v); err != nil {
		return dst, fmt.Errorf("encode %T as JSON: %w", v, err)
	}
	return append(dst, bytes.TrimSuffix(e.Bytes(), []byte("\n"))...), nil
}

// Indent returns the encoding of v as a file for people too: two spaces of indentation and one newline at the end. It
// is also the form of the curated files.
func Indent(v any) ([]byte, error) { return AppendIndent(nil, v) }

// AppendIndent appends the encoding of Indent to dst.
func AppendIndent(dst []byte, v any) ([]byte, error) {
	line := lines.Get().(*[]byte)
	defer lines.Put(line)
	var err error
	if *line, err = Append((*line)[:0], v); err != nil {
		return dst, err
	}
	b := bytes.NewBuffer(dst)
	err = json.Indent(b, *line, "", "  ")
	b.WriteByte('\n')
	return b.Bytes(), err
}

// IsIndent reports whether b is the encoding of v that Indent returns.
func IsIndent(b []byte, v any) bool {
	form := lines.Get().(*[]byte)
	defer lines.Put(form)
	var err error
	*form, err = AppendIndent((*form)[:0], v)
	return err == nil && bytes.Equal(*form, b)
}

// Must returns b and panics on an error. It is for values that always encode, such as structs of strings and numbers.
func Must(b []byte, err error) []byte {
	if err != nil {
		panic("wirejson: " + err.Error())
	}
	return b
}

// An encoder keeps its buffer between documents: an export encodes a thousand of them.
type encoder struct {
	bytes.Buffer
	json *json.Encoder
}

var (
	encoders = sync.Pool{New: func() any {
		e := new(encoder)
		e.json = json.NewEncoder(e)
		e.json.SetEscapeHTML(false)
		return e
	}}
	lines = sync.Pool{New: func() any { return new([]byte) }}
)

// AppendString appends s as a JSON string, with the bytes that Append writes. Answers that are assembled from encoded
// parts use it: it allocates nothing.
func AppendString(dst []byte, s string) []byte { return segmentjson.AppendEscape(dst, s, 0) }
