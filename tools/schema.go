package tools

import (
	"bytes"
	"encoding/json"
)

// A schema is a JSON Schema 2020-12 in the form that every client accepts in a list of tools:
// everything inline, no $ref, one scalar type each.
type schema struct {
	Type                 string     `json:"type,omitempty"`
	Description          string     `json:"description,omitempty"`
	Enum                 []string   `json:"enum,omitempty"`
	Pattern              string     `json:"pattern,omitempty"`
	Format               string     `json:"format,omitempty"`
	MaxLength            int        `json:"maxLength,omitempty"`
	Minimum              int        `json:"minimum,omitempty"`
	Maximum              int        `json:"maximum,omitempty"`
	Default              any        `json:"default,omitempty"`
	Items                *schema    `json:"items,omitempty"`
	MinItems             int        `json:"minItems,omitempty"`
	MaxItems             int        `json:"maxItems,omitempty"`
	AnyOf                []*schema  `json:"anyOf,omitempty"`
	Properties           properties `json:"properties,omitempty"`
	Required             []string   `json:"required,omitempty"`
	AdditionalProperties any        `json:"additionalProperties,omitempty"` // false, or a *schema
}

// properties keep their order, so that a model reads the important ones first.
type properties []property

type property struct {
	name string
	*schema
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

func (s *schema) raw() json.RawMessage { return encode(s) }

// The schemas that answers are made of.
var (
	textSchema    = &schema{Type: "string"}
	integerSchema = &schema{Type: "integer"}
	boolSchema    = &schema{Type: "boolean"}
	textsSchema   = listOf(textSchema)
	nullableText  = orNull(textSchema)
)

func listOf(items *schema) *schema { return &schema{Type: "array", Items: items} }

func orNull(s *schema) *schema { return &schema{AnyOf: []*schema{s, {Type: "null"}}} }

// object returns the schema of an object with some required properties. Others are allowed, since
// answers gain members over the years.
func object(required []string, ps ...property) *schema {
	return &schema{Type: "object", Properties: ps, Required: required}
}

func prop(name string, s *schema) property { return property{name, s} }
