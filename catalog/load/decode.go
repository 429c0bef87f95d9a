package load

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/wirejson"
)

// decodeStrict reads one JSON value of type T. Like encoding/json it refuses malformed JSON, and also invalid UTF-8,
// unknown keys, more than one value, and bytes that differ from the canonical form; the last also finds keys in another
// case. It returns all faults that it finds; ok is false if the value cannot be judged further.
func decodeStrict[T any](path string, data []byte) (v *T, faults Faults, ok bool) {
	v = new(T)
	if json.Unmarshal(data, v) == nil && bytes.Equal(data, canonical(v)) {
		return v, nil, true // bytes in canonical form hold nothing else, and are valid UTF-8
	}
	v = new(T)
	if !faults.addInvalid(path, data) {
		return v, faults, false
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(v); err != nil {
		var typ *json.UnmarshalTypeError
		if !errors.As(err, &typ) {
			faults.add(path, "line %d: %s", lineOf(data, offsetOf(err, dec, data)), plainJSONError(err))
			return v, faults, false
		}
		what := cmp.Or(typ.Field, "the value")
		faults.add(path, "line %d: %s is %s and must be %s", lineOf(data, int(typ.Offset)), what, jsonName(typ.Value), jsonName(typ.Type.Kind().String()))
		if typ.Field == "" {
			return v, faults, false
		}
	}
	end := dec.InputOffset()
	if _, err := dec.Token(); err != io.EOF {
		faults.add(path, "line %d: something follows the end of the value; remove it", lineOf(data, int(end)+1))
		return v, faults, false
	}
	faults.addStrayKeys(path, json.NewDecoder(bytes.NewReader(data)), reflect.TypeFor[T](), "")
	if len(faults) == 0 {
		form := canonical(v)
		message := fmt.Sprintf("line %d is not in canonical form; run: almanac check -w", firstDifference(data, form))
		faults = Faults{{path, message, form}}
	}
	return v, faults, true
}

// canonical returns the bytes of a record's file: members in the order of their Go fields, indented by two spaces.
// Records hold only strings, numbers and lists of them, so that they always encode. A file of a protocol has only the
// fields that its sources state.
func canonical(record any) []byte {
	text := wirejson.Must(wirejson.Indent(record))
	switch record.(type) {
	case *catalog.Profile, *catalog.Protocol:
		text = absentField.ReplaceAll(text, nil)
	}
	return text
}

// absentField matches a member that is null.
var absentField = regexp.MustCompile(`(?m)^  "\w+": null,\n`)

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

// jsonNames are the kinds of values, as encoding/json or reflect names them, under names for people.
var jsonNames = map[string]string{
	"int": "a whole number", "int64": "a whole number", "bool": "true or false", "array": "a list", "slice": "a list",
	"object": "an object", "struct": "an object", "map": "an object",
}

// jsonName returns the name that people read of a kind of value.
func jsonName(kind string) string { return cmp.Or(jsonNames[kind], "a "+kind) }

// addStrayKeys adds the keys of the next value of dec, which is well formed, that its type t has no field for, or that
// occur more than once in an object: encoding/json would take the last of them, and a rewrite lose the others. t is nil
// for a value of an unknown key.
func (fs *Faults) addStrayKeys(path string, dec *json.Decoder, t reflect.Type, at string) {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	token, _ := dec.Token()
	switch token {
	case json.Delim('['):
		var item reflect.Type
		if t != nil && t.Kind() == reflect.Slice {
			item = t.Elem()
		}
		for i := 0; dec.More(); i++ {
			fs.addStrayKeys(path, dec, item, fmt.Sprintf("%s[%d]", at, i))
		}
	case json.Delim('{'):
		isStruct := t != nil && t.Kind() == reflect.Struct
		seen := make(map[json.Token]bool)
		for dec.More() {
			key, _ := dec.Token()
			where := strings.TrimPrefix(fmt.Sprintf("%s.%s", at, key), ".")
			var member reflect.Type
			if isStruct {
				member = jsonFields(t)[key.(string)]
			}
			switch {
			case seen[key]:
				fs.add(path, "key %q occurs twice; remove one", where)
			case isStruct && member == nil:
				fs.add(path, "key %q is unknown; remove it or correct its spelling", where)
			}
			seen[key] = true
			fs.addStrayKeys(path, dec, member, where)
		}
	default:
		return
	}
	dec.Token() // the end of the list or the object
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

// addInvalid adds the first byte that is not UTF-8, if there is one, and reports whether there is none.
func (fs *Faults) addInvalid(path string, data []byte) (valid bool) {
	if valid = utf8.Valid(data); !valid {
		fs.add(path, "line %d is not valid UTF-8; save the file as UTF-8", firstDifference(data, bytes.ToValidUTF8(data, nil)))
	}
	return valid
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
