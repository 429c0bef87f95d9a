package metadata

import "almanac/wirejson"

// An object is a wirejson.Object whose literals stay short: {"name", value} instead of {Name: "name", Value: value}.
type object []member

type member wirejson.Member

// with returns the object with one more member at its end.
func (o object) with(name string, value any) object { return append(o, member{name, value}) }

// AppendJSON implements wirejson.Appender.
func (o object) AppendJSON(dst []byte) ([]byte, error) { return wirejson.AppendMembers(dst, o) }

// MarshalJSON implements json.Marshaler, for objects in lists.
func (o object) MarshalJSON() ([]byte, error) { return o.AppendJSON(nil) }

// orNull returns a text, or null for "".
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}
