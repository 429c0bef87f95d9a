// Package wirejson is the one JSON encoder of published documents. It differs from a plain json.Marshal in one thing:
// the characters < > & stay as they are, because the documents are full of addresses and are never pasted into a script
// element unescaped.
package wirejson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"
)

// Compact returns the encoding of v on one line, without a newline at its end.
func Compact(v any) ([]byte, error) { return Append(nil, v) }

// An Appender appends itself as JSON on one line, as this package encodes. It saves the cost of json.Marshaler: each
// value that such a method returns is read and copied again by every level around it.
type Appender interface {
	AppendJSON(dst []byte) ([]byte, error)
}

// Append appends the encoding of v on one line to dst.
func Append(dst []byte, v any) ([]byte, error) {
	if a, ok := v.(Appender); ok {
		return a.AppendJSON(dst)
	}
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
	dst = slices.Grow(dst, len(*line)*3/2)
	return append(appendIndented(dst, *line), '\n'), nil
}

// appendIndented appends JSON on one line over several lines, as json.Indent does, which takes several times as long
// because it also checks its input.
func appendIndented(dst, line []byte) []byte {
	depth := 0
	newline := func() {
		dst = append(dst, '\n')
		for range depth {
			dst = append(dst, "  "...)
		}
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case '"':
			end := stringEnd(line, i)
			dst = append(dst, line[i:end]...)
			i = end - 1
		case '{', '[':
			if dst = append(dst, c); line[i+1] == c+2 { // the brackets are two apart in ASCII, and so are the braces
				i++
				dst = append(dst, c+2)
				continue
			}
			depth++
			newline()
		case '}', ']':
			depth--
			newline()
			dst = append(dst, c)
		case ',':
			dst = append(dst, c)
			newline()
		case ':':
			dst = append(dst, ": "...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// stringEnd returns the place after a JSON string that begins at start.
func stringEnd(line []byte, start int) int {
	for i := start + 1; ; i++ {
		i += bytes.IndexByte(line[i:], '"')
		escapes := 0
		for line[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
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
func AppendString(dst []byte, s string) []byte {
	return append(AppendEscaped(append(dst, '"'), s), '"')
}

// AppendEscaped appends the inside of the JSON string s: escaped, without the quotes around it.
func AppendEscaped(dst []byte, s string) []byte {
	start := 0 // of the rest that has not been copied yet
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		n := 1
		if c >= utf8.RuneSelf {
			var r rune
			if r, n = utf8.DecodeRuneInString(s[i:]); (r != utf8.RuneError || n > 1) && r != '\u2028' && r != '\u2029' {
				i += n
				continue
			}
		}
		dst = appendEscape(append(dst, s[start:i]...), s[i:i+n])
		i += n
		start = i
	}
	return append(dst, s[start:]...)
}

// appendEscape appends the escape of one character: a control character, a quote, a backslash, a line or paragraph
// separator, or a byte that is not UTF-8.
func appendEscape(dst []byte, char string) []byte {
	const hex = "0123456789abcdef"
	c := char[0]
	if c >= utf8.RuneSelf {
		r, _ := utf8.DecodeRuneInString(char)
		return append(dst, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
	}
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

// An Object is a JSON object whose members keep their order, for documents that have no Go type of their own.
type Object []Member

// A Member is one member of an Object.
type Member struct {
	Name  string
	Value any
}

// Add returns o with one more member at its end.
func (o Object) Add(name string, value any) Object { return append(o, Member{name, value}) }

// AppendJSON implements Appender.
func (o Object) AppendJSON(dst []byte) ([]byte, error) { return AppendMembers(dst, o) }

// MarshalJSON implements json.Marshaler. It leaves < > & as they are; the encoder around it may still escape them.
func (o Object) MarshalJSON() ([]byte, error) { return o.AppendJSON(nil) }

// AppendMembers appends an object with the given members, for packages whose own type of member keeps their literals
// short.
func AppendMembers[M ~struct {
	Name  string
	Value any
}](dst []byte, members []M) ([]byte, error) {
	dst = append(dst, '{')
	for i := range members {
		m := Member(members[i])
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendString(dst, m.Name), ':')
		var err error
		if dst, err = Append(dst, m.Value); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	return append(dst, '}'), nil
}
