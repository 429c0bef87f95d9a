package load

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	"almanac/wirejson"
)

// decodeStrict reads one JSON value of type T. Like encoding/json it refuses malformed JSON, and also invalid UTF-8,
// unknown keys, more than one value, and bytes that differ from the canonical form; the last also finds duplicate keys
// and keys in another case. It adds all it finds to l, and reports whether the value can be judged further.
func decodeStrict[T any](l *faultList, path string, data []byte) (v *T, ok bool) {
	v = new(T)
	if json.Unmarshal(data, v) == nil && wirejson.IsIndent(data, v) {
		return v, true // bytes in canonical form hold nothing else, and are valid UTF-8
	}
	return decodeFaulty[T](l, path, data)
}

// decodeFaulty is decodeStrict for bytes that are not in canonical form.
func decodeFaulty[T any](l *faultList, path string, data []byte) (v *T, ok bool) {
	v = new(T)
	if at := invalidUTF8(data); at >= 0 {
		l.add(path, "line %d is not valid UTF-8; save the file as UTF-8", lineOf(data, at+1))
		return v, false
	}
	before := len(l.list)
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(v); err != nil {
		var typ *json.UnmarshalTypeError
		if !errors.As(err, &typ) {
			l.add(path, "line %d: %s", lineOf(data, offsetOf(err, dec, data)), plainJSONError(err))
			return v, false
		}
		what := cmp.Or(typ.Field, "the value")
		l.add(path, "line %d: %s is %s and must be %s", lineOf(data, int(typ.Offset)), what, jsonValueName(typ.Value), jsonTypeName(typ.Type))
		if typ.Field == "" {
			return v, false
		}
	}
	form := canonical(v)
	end := dec.InputOffset()
	if _, err := dec.Token(); err != io.EOF {
		l.add(path, "line %d: something follows the end of the value; remove it", lineOf(data, int(end)+1))
		return v, false
	}
	for _, key := range unknownKeys(reflect.TypeFor[T](), data, "") {
		l.add(path, "key %q is unknown; remove it or correct its spelling", key)
	}
	for _, key := range repeatedKeys(json.NewDecoder(bytes.NewReader(data)), "") {
		l.add(path, "key %q occurs twice; remove one", key)
	}
	if len(l.list) == before {
		if l.rewrite == nil {
			l.add(path, "line %d is not in canonical form; run: almanac check -w", firstDifference(data, form))
		} else {
			l.rewrite[path] = form
		}
	}
	return v, true
}

// canonical returns the bytes of a record's file: members in the order of their Go fields, indented by two spaces.
// Records hold only strings, numbers and lists of them, so that they always encode.
func canonical(record any) []byte { return wirejson.Must(wirejson.Indent(record)) }

func offsetOf(err error, dec *json.Decoder, data []byte) int {
	var syn *json.SyntaxError
	if errors.As(err, &syn) {
		return int(syn.Offset)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return len(data)
	}
	return int(dec.InputOffset())
}

func plainJSONError(err error) string {
	switch {
	case errors.Is(err, io.EOF):
		return "the file is empty"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the file ends in the middle of a value"
	}
	return "not JSON: " + strings.TrimPrefix(err.Error(), "json: ")
}

func jsonTypeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a string"
}

// jsonValueName returns the name of a JSON value as encoding/json reports it, in the words of jsonTypeName.
func jsonValueName(value string) string {
	switch value {
	case "bool":
		return "true or false"
	case "array":
		return "a list"
	case "object":
		return "an object"
	}
	return "a " + value
}

// unknownKeys returns the paths of the object keys in data for which t has no field.
func unknownKeys(t reflect.Type, data []byte, at string) []string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var found []string
	switch t.Kind() {
	case reflect.Slice:
		var items []json.RawMessage
		if json.Unmarshal(data, &items) != nil {
			return nil
		}
		for i, item := range items {
			found = append(found, unknownKeys(t.Elem(), item, fmt.Sprintf("%s[%d]", at, i))...)
		}
	case reflect.Struct:
		var members map[string]json.RawMessage
		if json.Unmarshal(data, &members) != nil {
			return nil
		}
		fields := jsonFields(t)
		for _, key := range sortedKeys(members) {
			where := strings.TrimPrefix(at+"."+key, ".")
			if ft, ok := fields[key]; ok {
				found = append(found, unknownKeys(ft, members[key], where)...)
			} else {
				found = append(found, where)
			}
		}
	}
	return found
}

// repeatedKeys returns the paths of the keys that occur more than once in an object of the next value of dec.
// encoding/json would take the last of them, and a rewrite lose the others.
func repeatedKeys(dec *json.Decoder, at string) []string {
	tok, err := dec.Token()
	if err != nil {
		return nil
	}
	var found []string
	switch tok {
	case json.Delim('['):
		for i := 0; dec.More(); i++ {
			found = append(found, repeatedKeys(dec, fmt.Sprintf("%s[%d]", at, i))...)
		}
	case json.Delim('{'):
		seen := make(map[json.Token]bool)
		for dec.More() {
			key, err := dec.Token()
			if err != nil {
				return found
			}
			where := strings.TrimPrefix(fmt.Sprintf("%s.%s", at, key), ".")
			if seen[key] {
				found = append(found, where)
			}
			seen[key] = true
			found = append(found, repeatedKeys(dec, where)...)
		}
	default:
		return nil
	}
	dec.Token() // the end of the list or the object
	return found
}

// jsonFields returns the JSON members of a struct type.
func jsonFields(t reflect.Type) map[string]reflect.Type {
	fields := make(map[string]reflect.Type)
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "-" {
			fields[name] = f.Type
		}
	}
	return fields
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// lineOf returns the line in which the first offset bytes end.
func lineOf(data []byte, offset int) int {
	return 1 + bytes.Count(data[:min(max(offset-1, 0), len(data))], []byte("\n"))
}

// firstDifference returns the line in which a and b first differ.
func firstDifference(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return 1 + bytes.Count(a[:n], []byte("\n"))
}
