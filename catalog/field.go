package catalog

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A FieldName is a field about a protocol. The tags of its member in Profile or FactSet declare it; schemas, manual,
// topics of search, comparison, tools and pages follow from them.
type FieldName struct {
	Name  string   // the JSON name
	Label string   // the name that people read
	Group string   // the heading of a profile's field
	Topic string   // the subject of search
	About string   // its subject in the manual
	Words []string // of its classes: the chooser compares them; most fields have none
	fact  string   // the fact that states the same as a profile's field
}

// A ProfileField is a reading of a profile, or a fact of a protocol, in a form that pages, lists and checks can iterate
// over.
type ProfileField struct {
	FieldName
	Value   any // nil when the sources do not say, and when the fact is null
	Short   string
	Classes []string
	Evidence
}

// A declaredField is a field and its place in the struct.
type declaredField struct {
	FieldName
	index    int
	optional bool         // a nil value is left out, in JSON too
	value    reflect.Type // of its value
}

// declaredFields returns the fields that the tags of T declare, in their published order.
func declaredFields[T any]() (list []declaredField) {
	for i := range reflect.TypeFor[T]().NumField() {
		f := reflect.TypeFor[T]().Field(i)
		tag := f.Tag.Get
		if tag("label") == "" {
			continue
		}
		name, options, _ := strings.Cut(tag("json"), ",")
		value, _ := f.Type.Elem().FieldByName("Value")
		list = append(list, declaredField{
			FieldName{name, tag("label"), tag("group"), tag("topic"), tag("about"), strings.Fields(tag("classes")), tag("fact")},
			i, options != "", value.Type,
		})
	}
	return list
}

var profileFields, factFields = declaredFields[Profile](), declaredFields[FactSet]()

func (r *Reading[T]) field() (f ProfileField) {
	if r != nil {
		f.Value, f.Short, f.Classes, f.Evidence = r.Value, r.Short, r.Classes, r.Evidence
	}
	return f
}

func (f *Fact[T]) field() (v ProfileField) {
	if f != nil {
		v.Value, v.Source, v.VerifiedAt = f.Value, f.Source, f.VerifiedAt
	}
	return v
}

// Fields returns the readings of p in their published order. Fields of which the sources say nothing are included, with
// a nil Value.
func (p *Profile) Fields() []ProfileField { return fieldsOf(p, profileFields) }

// Facts returns the facts in their published order. Null facts are included, with a nil Value, except the example,
// which only one protocol has.
func (p *FactSet) Facts() []ProfileField { return fieldsOf(p, factFields) }

func fieldsOf(record any, declared []declaredField) []ProfileField {
	list := make([]ProfileField, 0, len(declared))
	for _, d := range declared {
		f := reflect.ValueOf(record).Elem().Field(d.index).Interface().(interface{ field() ProfileField }).field()
		if f.FieldName = d.FieldName; f.Value != nil || !d.optional {
			list = append(list, f)
		}
	}
	return list
}

// VerifiedAt returns the newest date on which a fact was verified.
func (p *FactSet) VerifiedAt() Date {
	return newestOf(p.Facts(), func(f ProfileField) Date { return f.VerifiedAt })
}

// Fact returns the name of the fact that states the same as the profile's field, or "".
func (f FieldName) Fact() string { return f.fact }

// ProtocolFields returns everything that c states about a protocol, each subject once and under one name: the facts,
// then the fields of the profile. A field of the profile that states the same as a fact gives it its short form and
// classes, and its value if the protocol has no such fact. Every protocol has the same fields in the same order.
func (c *Catalog) ProtocolFields(id string) []ProfileField {
	if list, ok := c.fields[id]; ok {
		return list
	}
	var list []ProfileField
	protocol, ok := c.Protocol(id)
	if !ok {
		protocol = new(Protocol)
	}
	facts := protocol.Facts()
	for _, d := range factFields {
		f, _ := find(facts, func(f ProfileField) bool { return f.Name == d.Name })
		f.FieldName = d.FieldName
		list = append(list, f)
	}
	profile, ok := c.Profile(id)
	if !ok {
		profile = new(Profile)
	}
	for _, f := range profile.Fields() {
		i := slices.IndexFunc(list, func(g ProfileField) bool { return g.Name == f.fact })
		switch {
		case i < 0:
			list = append(list, f)
		case list[i].Value == nil:
			f.FieldName = list[i].FieldName
			list[i] = f
		default:
			list[i].Short, list[i].Classes = f.Short, f.Classes
		}
	}
	return list
}

// FieldAlias returns the name under which ProtocolFields has a field of a profile.
func FieldAlias(name string) string {
	for _, d := range profileFields {
		if d.Name == name && d.fact != "" {
			return d.fact
		}
	}
	return name
}

// Text returns the value as one line, or "" when the sources do not say.
func (f ProfileField) Text() string {
	switch v := f.Value.(type) {
	case string:
		return v
	case []string:
		return strings.Join(v, ", ")
	case []int:
		return strings.Join(Convert(v, strconv.Itoa), ", ")
	case []Link:
		return strings.Join(Convert(v, func(l Link) string { return l.Name + " (" + l.URL + ")" }), ", ")
	case []Header:
		return strings.Join(Convert(v, func(h Header) string { return h.Name + " (" + h.Direction + ")" }), ", ")
	case []Network:
		return strings.Join(Convert(v, func(n Network) string { return n.Name }), ", ")
	case []Library:
		return strings.Join(Convert(v, func(l Library) string { return l.Name }), ", ")
	}
	return ""
}

// Field returns the reading of a field of p.
func (p *Profile) Field(name string) ProfileField {
	f, _ := find(p.Fields(), func(f ProfileField) bool { return f.Name == name })
	return f
}

// groups are the headings of a profile's fields in the order of their sections.
var groups = []string{"Specification", "Price and payment", "Proof", "When something goes wrong", "Accounts and people", "Implementation"}

// GroupedFields returns the readings of p in the order in which people read them: by heading. The order is the same for
// every profile.
func (p *Profile) GroupedFields() []ProfileField {
	fields := p.Fields()
	slices.SortStableFunc(fields, func(a, b ProfileField) int {
		return slices.Index(groups, a.Group) - slices.Index(groups, b.Group)
	})
	return fields
}

// VerifiedAt returns the newest date on which something of the profile was verified.
func (p *Profile) VerifiedAt() Date {
	return max(newestOf(p.Fields(), func(f ProfileField) Date { return f.VerifiedAt }),
		newestOf(p.Events, func(e ProtocolEvent) Date { return e.VerifiedAt }),
		newestOf(p.Disagreements, func(d Disagreement) Date {
			return newestOf(d.Evidence, func(e Evidence) Date { return e.VerifiedAt })
		}))
}

// valueSchemas are the schemas of a reading with a value that is no text.
var valueSchemas = map[reflect.Type]string{
	reflect.TypeFor[[]string](): `{ "type": "array", "minItems": 1, "uniqueItems": true, "items": { "$ref": "#/$defs/line" } }`,
	reflect.TypeFor[[]int]():    `{ "type": "array", "minItems": 1, "items": { "type": "integer", "minimum": 100, "maximum": 599 } }`,
	reflect.TypeFor[[]Link]():   `{ "type": "array", "minItems": 1, "items": { "$ref": "#/$defs/facilitator" } }`,
}

// profileSchema returns the names of a profile's fields, quoted, and their properties in a JSON Schema.
func profileSchema() (required, properties string) {
	var names, members []string
	for _, d := range profileFields {
		schema := `{ "$ref": "#/$defs/text_reading" }`
		if value, ok := valueSchemas[d.value]; ok {
			schema = `{ "type": "object", "$ref": "#/$defs/reading", "properties": { "value": ` + value + ` }, "unevaluatedProperties": false }`
		}
		names = append(names, strconv.Quote(d.Name))
		members = append(members, strconv.Quote(d.Name)+`: { "anyOf": [`+schema+`, { "type": "null" }] }`)
	}
	return strings.Join(names, ", "), strings.Join(members, ", ")
}
