package tools

import (
	"bytes"
)

// A schema is a JSON Schema 2020-12 in the form that every client accepts in a list of tools:
// everything inline, no $ref, one scalar type each.
type schema struct {
	Type                 string     `json:"type,omitempty"`
	Description          string     `json:"description,omitempty"`
	Enum                 []string   `json:"enum,omitempty"`
	Format               string     `json:"format,omitempty"`
	Maximum              int        `json:"maximum,omitempty"`
	Default              any        `json:"default,omitempty"`
	Items                *schema    `json:"items,omitempty"`
	MaxItems             int        `json:"maxItems,omitempty"`
	Properties           properties `json:"properties,omitempty"`
	Required             []string   `json:"required,omitempty"`
	AdditionalProperties any        `json:"additionalProperties,omitempty"` // a bool or a *schema
}

// properties keep their order, so that a model reads the important ones first.
type properties []property

type property struct {
	name string
	*schema
	optional bool
}

// MarshalJSON writes the properties in their order.
func (ps properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, p := range ps {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(encode(p.name))
		b.WriteByte(':')
		b.Write(encode(p.schema))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// The schemas that answers are made of.
var (
	textSchema    = &schema{Type: "string"}
	integerSchema = &schema{Type: "integer"}
	textsSchema   = listOf(textSchema)
)

// listOf returns the schema of a list. Its items declare their members and require none, which keeps the list of tools
// short.
func listOf(items *schema) *schema {
	item := *items
	item.Required = nil
	return &schema{Type: "array", Items: &item}
}

func mapOf(values *schema) *schema { return &schema{Type: "object", AdditionalProperties: values} }

// object returns the schema of an object. What every answer has is declared and required. Others are allowed, since
// answers gain members over the years, and of those that only some answers have next_cursor alone is declared: it is
// what a program has to look for, and the list of tools is short.
func object(ps ...property) *schema {
	s := &schema{Type: "object", Properties: ps}
	for _, p := range ps {
		if !p.optional {
			s.Required = append(s.Required, p.name)
		}
	}
	return s
}

func prop(name string, s *schema) property { return property{name, s, false} }

// optional is a member that only some answers have.
func optional(name string, s *schema) property { return property{name, s, true} }

// texts are members that are strings.
func texts(names ...string) []property {
	ps := make([]property, len(names))
	for i, name := range names {
		ps[i] = prop(name, textSchema)
	}
	return ps
}

// pageSchema returns the schema of a page; see page.answer.
func pageSchema(entry *schema, ps ...property) *schema {
	return object(append(ps, prop("total", integerSchema), prop("count", integerSchema), prop("entries", listOf(entry)),
		optional("next_cursor", textSchema))...)
}
