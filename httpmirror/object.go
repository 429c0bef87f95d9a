package httpmirror

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// An object is a JSON object whose members keep their order, for documents that are read by
// people too and have no type of their own.
type object []member

type member struct {
	name  string
	value any
}

// with gives the object with one more member at its end.
func (o object) with(name string, value any) object { return append(o, member{name, value}) }

// MarshalJSON writes the members in their order. It does not escape < > &: the encoder around it
// decides on that.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := enc.Encode(m.name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := enc.Encode(m.value); err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
