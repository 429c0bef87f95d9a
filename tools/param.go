package tools

import (
	"encoding/json"
	"fmt"
	"math"
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
// disagree; a length and a least value are checked only, since a refusal explains them better.
type param struct {
	name     string
	about    string // "": it is accepted, and no schema has it
	kind     argumentKind
	allowed  []string // the closed vocabulary of a text, or of the items of a list
	min, max int      // characters of a text, value of a number, items of a list
	standard any      // the value when it is absent, if there is one
	example  string   // JSON, for messages
	required bool
	one      bool              // the schema of a list is that of one text
	secret   bool              // never repeated in a message
	json     bool              // a value that is no text is taken as its JSON
	prefix   string            // that a text of the vocabulary may have
	brief    bool              // the schema leaves out what is allowed, since another tool has it
	aliases  []string          // other names that are accepted
	means    map[string]string // words that are accepted for others of the vocabulary
}

// call returns an example of arguments with this one.
func (p *param) call() string { return `{"` + p.name + `":` + p.example + "}" }

func (p *param) schema() *schema {
	s := &schema{Type: "string", Description: p.about, Default: p.standard}
	item := s
	switch p.kind {
	case kindDate:
		s.Description += textIf(p.name == "since", " YYYY-MM-DD.")
	case kindNumber:
		s.Type, s.Maximum = "integer", p.max
	case kindBool:
		s.Type = "boolean"
	case kindList:
		if p.one {
			break
		}
		item = &schema{Type: "string"}
		s.Type, s.Items = "array", item
	}
	if !p.brief {
		item.Enum = p.allowed
	}
	return s
}

// read checks the value of an argument, which is not null. It reads lists, numbers and booleans that were sent as text,
// too, as some clients do; nil is an empty one, which is the same as none. Its errors are sentences for the model.
func (p *param) read(raw json.RawMessage) (any, error) {
	var only []json.RawMessage // some models send a list of one
	if p.kind != kindList && !p.json && json.Unmarshal(raw, &only) == nil && len(only) == 1 {
		raw = only[0]
	}
	text, isText := textOf(raw)
	if isText && !p.required && (isNothing(text) || p.allowed != nil && slices.Contains([]string{"all", "any", "*"}, strings.ToLower(text))) {
		return nil, nil
	}
	switch p.kind {
	case kindBool:
		set, err := strconv.ParseBool(strings.ToLower(strings.Trim(string(raw), `" `)))
		if err != nil {
			return nil, fmt.Errorf("%s must be true or false; you sent %s.", p.name, echo(raw))
		}
		return set, nil
	case kindNumber:
		if isText {
			raw = json.RawMessage(text)
		}
		if string(raw) == "0" { // which OpenAI's strict mode fills in
			return nil, nil
		}
		return p.readNumber(raw)
	case kindList:
		list, err := p.readList(raw, text)
		if list == nil {
			return nil, err
		}
		return list, err
	}
	if p.json && !isText {
		raw = encode(string(raw))
	}
	return p.readText(p.name, raw)
}

// isNothing reports whether a text stands for no value: some clients send null as text, and OpenCode the placeholder of
// what nobody typed, and in Claude Code one types something to go on.
func isNothing(text string) bool {
	return slices.Contains([]string{"", "null", "none", "undefined", "$1", "."}, strings.ToLower(text))
}

// textOf returns the text that a value is, if it is one, without spaces around.
func textOf(raw json.RawMessage) (text string, ok bool) {
	err := json.Unmarshal(raw, &text)
	return strings.TrimSpace(text), err == nil
}

// readList reads a list, also one that is the text of a list in JSON, words between commas, or one word. text is the
// value if it is a text.
func (p *param) readList(raw json.RawMessage, text string) (list []string, err error) {
	var items []json.RawMessage
	switch {
	case strings.HasPrefix(text, "["):
		if err = json.Unmarshal([]byte(text), &items); err != nil { // of Python
			err = json.Unmarshal([]byte(strings.ReplaceAll(text, "'", `"`)), &items)
		}
	case text != "":
		for word := range strings.SplitSeq(text, ",") {
			items = append(items, encode(strings.TrimSpace(word)))
		}
	case len(raw) > 0 && raw[0] != '[':
		items = append(items, raw)
	default:
		err = json.Unmarshal(raw, &items)
	}
	if err != nil {
		return nil, fmt.Errorf("%s must be a list of strings; you sent %s.", p.name, echo(raw))
	}
	items = slices.DeleteFunc(items, func(item json.RawMessage) bool {
		var t *string
		return json.Unmarshal(item, &t) == nil && (t == nil || isNothing(*t))
	})
	if len(items) < p.min || len(items) > p.max {
		return nil, fmt.Errorf("%s takes %d to %d items; you sent %d.", p.name, p.min, p.max, len(items))
	}
	for i, item := range items {
		name := fmt.Sprintf("%s[%d]", p.name, i)
		if text != "" && len(items) == 1 {
			name = p.name
		}
		s, err := p.readText(name, item)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list, nil
}

// readNumber accepts any JSON number with a whole value, such as 1e1 for 10. One above the bound is the bound.
func (p *param) readNumber(raw json.RawMessage) (int, error) {
	var f float64
	if json.Unmarshal(raw, &f) != nil || f != math.Trunc(f) || f < float64(p.min) {
		return 0, fmt.Errorf("%s must be a whole number from %d to %d; you sent %s.", p.name, p.min, p.max, echo(raw))
	}
	return int(min(f, float64(p.max))), nil
}

// allowedWord returns the word of the vocabulary that s is, whatever its case, number, separators and prefix; "" for none.
func (p *param) allowedWord(s string) string {
	plain := func(s string) string {
		return strings.TrimSuffix(strings.NewReplacer(" ", "-", "_", "-").Replace(strings.ToLower(strings.Trim(s, " #"))), "s")
	}
	s = strings.TrimPrefix(plain(s), p.prefix)
	for other, word := range p.means {
		if plain(other) == s {
			return word
		}
	}
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
	var number json.Number // some clients and models send 402 for "402"
	if !p.secret && raw[0] != '"' && json.Unmarshal(raw, &number) == nil {
		s = number.String()
	} else if err := json.Unmarshal(raw, &s); err != nil {
		if p.secret {
			raw = json.RawMessage("something else")
		}
		return "", fmt.Errorf("%s must be a string; you sent %s.", name, echo(raw))
	}
	if p.kind == kindDate {
		if first, last, ok := span(s); ok && first.Year() > 0 {
			if p.name == "until" {
				first = last
			}
			return string(catalog.DateOf(first)), nil
		}
		return "", fmt.Errorf("%s must be a calendar date in the form YYYY-MM-DD; you sent %s.", name, quote(s))
	}
	if p.allowed != nil {
		word := p.allowedWord(s)
		if word == "" {
			return "", fmt.Errorf("%s %s does not exist%s. Valid: %s.", name, quote(s), didYouMean(s, p.allowed), strings.Join(p.allowed, ", "))
		}
		return word, nil
	}
	if n := utf8.RuneCountInString(strings.TrimSpace(s)); p.kind == kindText && (n < p.min || p.max > 0 && n > p.max) {
		return "", fmt.Errorf("%s must have %d to %d characters; you sent %d.", name, p.min, p.max, n)
	}
	return s, nil
}

// A schema is a JSON Schema 2020-12 in the form that every client accepts in a list of tools:
// everything inline, no $ref, one scalar type each.
type schema struct {
	Type                 string   `json:"type,omitempty"`
	Description          string   `json:"description,omitempty"`
	Enum                 []string `json:"enum,omitempty"`
	Maximum              int      `json:"maximum,omitempty"`
	Default              any      `json:"default,omitempty"`
	Items                *schema  `json:"items,omitempty"`
	Properties           members  `json:"properties,omitzero"`
	Required             []string `json:"required,omitempty"`
	AdditionalProperties any      `json:"additionalProperties,omitempty"`
}

// members are an object whose members keep their order, so that a model reads the important ones first.
type members []member

type member struct {
	name  string
	value any
}

// MarshalJSON implements [json.Marshaler].
func (ms members) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range ms {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, encode(m.name)...), ':'), encode(m.value)...)
	}
	return append(b, '}'), nil
}
