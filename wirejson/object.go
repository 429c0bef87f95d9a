package wirejson

import "fmt"

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

// AppendMembers appends an object with the given members, for packages whose own type of member keeps their literals short.
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
