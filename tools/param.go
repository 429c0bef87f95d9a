package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.almanac.example/catalog"
)

// An argumentKind is the type of an argument.
type argumentKind int

const (
	kindText argumentKind = iota
	kindDate
	kindNumber
	kindList // of texts
	kindBool
)

// A param describes one argument of a tool. Its schema and its check come from the same fields, so that they cannot
// disagree; a form, a length and a least value are checked only, since a refusal explains them better.
type param struct {
	name     string
	about    string
	kind     argumentKind
	allowed  []string       // the closed vocabulary of a text, or of the items of a list
	pattern  *regexp.Regexp // the form of a text, or of the items of a list
	form     string         // the pattern in words
	near     []string       // what a text of the wrong form may have been meant for
	min, max int            // characters of a text, value of a number, items of a list
	standard any            // the value when it is absent, if there is one
	example  string         // JSON, for messages
	required bool
	orOne    bool   // a list may also be one text
	secret   bool   // never repeated in a message
	prefix   string // that a text of the vocabulary may have
	brief    bool   // the schema leaves out what is allowed, since the schema of another tool has it
}

// call returns an example of arguments with this one.
func (p *param) call() string { return `{"` + p.name + `":` + p.example + "}" }

func (p *param) schema() *schema {
	s := &schema{Type: "string", Description: p.about, Default: p.standard}
	item := s
	switch p.kind {
	case kindDate:
		s.Format = "date"
	case kindNumber:
		s.Type, s.Maximum = "integer", p.max
	case kindBool:
		s.Type = "boolean"
	case kindList:
		item = &schema{Type: "string"}
		s.Type, s.Items = "array", item
		if p.allowed == nil && !p.brief {
			s.MaxItems = p.max
		}
	}
	if !p.brief {
		item.Enum = p.allowed
	}
	return s
}

// read checks the value of an argument, which is not null. Its errors are sentences for the model.
func (p *param) read(raw json.RawMessage) (any, error) {
	switch p.kind {
	case kindBool:
		var set bool
		if json.Unmarshal(raw, &set) != nil {
			return nil, fmt.Errorf("%s must be true or false; you sent %s.", p.name, echo(raw))
		}
		return set, nil
	case kindNumber:
		return p.readNumber(raw)
	case kindList:
		return p.readList(raw)
	}
	return p.readText(p.name, raw)
}

func (p *param) readList(raw json.RawMessage) (list []string, err error) {
	if p.orOne && raw[0] == '"' {
		s, err := p.readText(p.name, raw)
		return []string{s}, err
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, fmt.Errorf("%s must be a list of strings; you sent %s.", p.name, echo(raw))
	}
	if len(items) < p.min || len(items) > p.max {
		return nil, fmt.Errorf("%s takes %d to %d items; you sent %d.", p.name, p.min, p.max, len(items))
	}
	for i, item := range items {
		s, err := p.readText(fmt.Sprintf("%s[%d]", p.name, i), item)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list, nil
}

// readNumber accepts any JSON number with a whole value, such as 1e1 for 10, also as a string.
func (p *param) readNumber(raw json.RawMessage) (int, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = json.RawMessage(strings.TrimSpace(text))
	}
	if n, err := strconv.Atoi(string(raw)); err == nil && n >= p.min && n <= p.max {
		return n, nil
	}
	var f float64
	if json.Unmarshal(raw, &f) != nil || f != float64(int32(f)) || int(f) < p.min || int(f) > p.max {
		return 0, fmt.Errorf("%s must be a whole number from %d to %d; you sent %s.", p.name, p.min, p.max, echo(raw))
	}
	return int(f), nil
}

const maxPattern = 200 // bytes of a value that is compared with a pattern; no pattern allows more

// allowedWord returns the word of the vocabulary that s is, whatever its case, separators and prefix; "" for none.
func (p *param) allowedWord(s string) string {
	plain := func(s string) string {
		return strings.NewReplacer(" ", "-", "_", "-").Replace(strings.ToLower(strings.TrimSpace(s)))
	}
	s = strings.TrimPrefix(plain(s), p.prefix)
	for _, word := range p.allowed {
		if plain(word) == s {
			return word
		}
	}
	return ""
}

// readText reads a string under the name that messages use for it.
func (p *param) readText(name string, raw json.RawMessage) (string, error) {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		if p.secret {
			raw = json.RawMessage("something else")
		}
		return "", fmt.Errorf("%s must be a string; you sent %s.", name, echo(raw))
	}
	if p.kind == kindDate {
		if d, err := catalog.ParseDate(s); err != nil || string(d) != s {
			return "", fmt.Errorf("%s must be a calendar date in the form YYYY-MM-DD; you sent %s.", name, quote(s))
		}
		return s, nil
	}
	if p.allowed != nil {
		word := p.allowedWord(s)
		if word == "" {
			return "", fmt.Errorf("%s %s does not exist%s. Valid: %s.", name, quote(s), didYouMean(s, p.allowed),
				strings.Join(p.allowed, ", "))
		}
		return word, nil
	}
	if n := utf8.RuneCountInString(s); p.kind == kindText && (n < p.min || p.max > 0 && n > p.max) {
		return "", fmt.Errorf("%s must have %d to %d characters; you sent %d.", name, p.min, p.max, n)
	}
	if p.pattern != nil && (len(s) > maxPattern || !p.pattern.MatchString(s)) {
		return "", fmt.Errorf("%s %s has the wrong form: it must be %s%s.",
			name, quote(s), p.form, didYouMean(s, p.near))
	}
	return s, nil
}

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
	return catalog.Convert(names, func(name string) property { return prop(name, textSchema) })
}

// pageSchema returns the schema of a page; see data.page.
func pageSchema(entry *schema, ps ...property) *schema {
	return object(append(ps, prop("total", integerSchema), prop("count", integerSchema), prop("entries", listOf(entry)),
		optional("next_cursor", textSchema))...)
}
