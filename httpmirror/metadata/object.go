package metadata

import "almanac/wirejson"

// An object is a wirejson.Object whose literals stay short: {"name", value} instead of {Name: "name", Value: value}.
type object []member

type member struct {
	name  string
	value any
}

// with returns the object with one more member at its end.
func (o object) with(name string, value any) object { return append(o, member{name, value}) }

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	doc := make(wirejson.Object, len(o))
	for i, m := range o {
		doc[i] = wirejson.Member{Name: m.name, Value: m.value}
	}
	return doc.MarshalJSON()
}

// orNull returns a text, or null for "".
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}
