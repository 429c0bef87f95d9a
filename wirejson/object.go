package wirejson

import "fmt"

// An Object is a JSON object whose members keep their order, for documents that have no Go type of their own.
type Object []Member

// A Member is one member of an Object.
type Member struct {
	Name  string
	Value any
}

// With returns o with one more member at its end.
func (o Object) With(name string, value any) Object { return append(o, Member{name, value}) }

// MarshalJSON implements json.Marshaler. It leaves < > & as they are; the encoder around it may still escape them.
func (o Object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(AppendString(b, m.Name), ':')
		var err error
		if b, err = Append(b, m.Value); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	return append(b, '}'), nil
}
