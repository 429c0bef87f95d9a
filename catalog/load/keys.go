package load

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

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
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name != "" && name != "-" {
			fields[name] = t.Field(i).Type
		}
	}
	return fields
}
