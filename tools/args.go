package tools

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"almanac/catalog"
)

// A kind is the type of an argument.
type kind int

const (
	text kind = iota
	date
	number
	list // of texts
)

// A param is one argument of a tool. Its schema and its check are made of the same words, so
// that they cannot disagree.
type param struct {
	name     string
	about    string
	kind     kind
	allowed  []string       // the closed vocabulary of a text, or of the items of a list
	pattern  *regexp.Regexp // the form of a text, or of the items of a list
	form     string         // the same in words
	near     []string       // what a text that has not the form may have been meant for
	min, max int            // characters of a text, value of a number, items of a list
	standard any            // the value when it is absent, if there is one
	example  string         // JSON, for messages
	required bool
	secret   bool // never repeated in a message
	brief    bool // the schema says the type alone, since another tool says the rest
}

func (p *param) schema() *schema {
	s := &schema{Type: "string", Description: p.about, Default: p.standard}
	item := s
	switch p.kind {
	case date:
		s.Format = "date"
	case number:
		s.Type, s.Minimum, s.Maximum = "integer", p.min, p.max
	case list:
		item = &schema{Type: "string"}
		s.Type, s.Items, s.MinItems = "array", item, p.min
		if p.allowed == nil {
			s.MaxItems = p.max
		}
	default:
		if p.pattern == nil {
			s.MaxLength = p.max
		}
	}
	if p.brief {
		return &schema{Type: s.Type}
	}
	item.Enum = p.allowed
	if p.pattern != nil {
		item.Pattern = p.pattern.String()
	}
	return s
}

// args are the arguments of a call that passed their checks, in the order of the tool's params.
type args []given

type given struct {
	name   string
	text   string
	number int
	list   []string
}

func (in args) find(name string) (given, bool) {
	for _, g := range in {
		if g.name == name {
			return g, true
		}
	}
	return given{}, false
}

func (in args) has(name string) bool { _, ok := in.find(name); return ok }

func (in args) text(name string) string { g, _ := in.find(name); return g.text }

func (in args) list(name string) []string { g, _ := in.find(name); return g.list }

func (in args) number(name string, standard int) int {
	if g, ok := in.find(name); ok {
		return g.number
	}
	return standard
}

// read checks the arguments of a call. Absent, null and {} are all no arguments; a null argument
// is an absent one, because some clients fill every optional argument with null. Of a key given
// twice the last one counts.
func (d *tool) read(raw json.RawMessage) (args, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return d.complete(nil)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, refusal("The arguments of " + d.name + " must be a JSON object. Example: " + d.example())
	}
	if err := d.known(members); err != nil {
		return nil, err
	}
	in := make(args, 0, len(members))
	for i := range d.params {
		p := &d.params[i]
		v, ok := members[p.name]
		if !ok || string(v) == "null" {
			continue
		}
		g, err := p.read(v)
		if err != nil {
			return nil, refusal(fmt.Sprintf("%s Example: %s", err, d.exampleOf(p)))
		}
		if p.kind == list && g.list == nil {
			continue // an empty list chooses nothing, which is to choose as if it were absent
		}
		in = append(in, g)
	}
	return d.complete(in)
}

// known refuses names that the tool does not have.
func (d *tool) known(members map[string]json.RawMessage) error {
	var unknown string
	for name := range members {
		if !slices.ContainsFunc(d.params, func(p param) bool { return p.name == name }) && (unknown == "" || name < unknown) {
			unknown = name
		}
	}
	if unknown == "" {
		return nil
	}
	if len(d.params) == 0 {
		return refusal(fmt.Sprintf("%s takes no arguments; you sent %s. Call it with {}.", d.name, quote(unknown)))
	}
	names := make([]string, len(d.params))
	for i, p := range d.params {
		names[i] = p.name
	}
	hint := didYouMean(unknown, names)
	if slices.Contains(searchWords, unknown) {
		hint += d.noSearch
	}
	return refusal(fmt.Sprintf("%s has no argument %s.%s Its arguments are: %s.", d.name, quote(unknown), hint, strings.Join(names, ", ")))
}

// searchWords are arguments that callers make up to look for words.
var searchWords = []string{"q", "query", "search", "text", "keyword", "keywords", "term", "terms"}

func (d *tool) complete(in args) (args, error) {
	for i := range d.params {
		if p := &d.params[i]; p.required && !in.has(p.name) {
			return nil, refusal(fmt.Sprintf("%s needs %s: %s Example: %s", d.name, p.name, p.about, d.exampleOf(p)))
		}
	}
	return in, nil
}

// example is a call of the tool that is worth copying.
func (d *tool) example() string {
	for i := range d.params {
		if p := &d.params[i]; p.example != "" {
			return d.exampleOf(p)
		}
	}
	return "{}"
}

func (d *tool) exampleOf(p *param) string {
	return fmt.Sprintf("{%q:%s}", p.name, p.example)
}

func (p *param) read(raw json.RawMessage) (given, error) {
	g := given{name: p.name}
	switch p.kind {
	case number:
		n, err := p.readNumber(raw)
		g.number = n
		return g, err
	case list:
		var items []json.RawMessage
		if err := json.Unmarshal(raw, &items); err != nil {
			return g, fmt.Errorf("%s must be a list of strings; you sent %s.", p.name, show(raw))
		}
		if len(items) < p.min || len(items) > p.max {
			return g, fmt.Errorf("%s takes %d to %d items; you sent %d.", p.name, p.min, p.max, len(items))
		}
		for i, item := range items {
			s, err := p.readText(fmt.Sprintf("%s[%d]", p.name, i), item)
			if err != nil {
				return g, err
			}
			if !slices.Contains(g.list, s) {
				g.list = append(g.list, s)
			}
		}
		return g, nil
	}
	s, err := p.readText(p.name, raw)
	g.text = s
	return g, err
}

// readNumber takes any JSON number with a whole value: 1e1 is 10.
func (p *param) readNumber(raw json.RawMessage) (int, error) {
	if n, err := strconv.Atoi(string(raw)); err == nil && n >= p.min && n <= p.max {
		return n, nil
	}
	var f float64
	if json.Unmarshal(raw, &f) != nil || f != float64(int32(f)) || int(f) < p.min || int(f) > p.max {
		return 0, fmt.Errorf("%s must be a whole number from %d to %d; you sent %s.", p.name, p.min, p.max, show(raw))
	}
	return int(f), nil
}

func (p *param) readText(name string, raw json.RawMessage) (string, error) {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		if p.secret {
			raw = json.RawMessage("something else")
		}
		return "", fmt.Errorf("%s must be a string; you sent %s.", name, show(raw))
	}
	if p.kind == date {
		if d, err := catalog.ParseDate(s); err != nil || string(d) != s {
			return "", fmt.Errorf("%s must be a calendar date in the form YYYY-MM-DD; you sent %s.", name, quote(s))
		}
		return s, nil
	}
	if p.allowed != nil {
		if !slices.Contains(p.allowed, s) {
			return "", fmt.Errorf("%s %s does not exist.%s Valid: %s.", name, quote(s), didYouMean(s, p.allowed), strings.Join(p.allowed, ", "))
		}
		return s, nil
	}
	if n := utf8.RuneCountInString(s); p.kind == text && (n < p.min || p.max > 0 && n > p.max) {
		return "", fmt.Errorf("%s must have %d to %d characters; you sent %d.", name, p.min, p.max, n)
	}
	if p.pattern != nil && !p.pattern.MatchString(s) {
		return "", fmt.Errorf("%s %s has the wrong form: it must be %s.%s", name, quote(s), p.form, didYouMean(s, p.near))
	}
	return s, nil
}

// didYouMean is a sentence with the nearest words, or nothing.
func didYouMean(s string, vocabulary []string) string {
	near := catalog.Nearest(s, vocabulary, 3)
	for i := range near {
		near[i] = quote(near[i])
	}
	switch len(near) {
	case 0:
		return ""
	case 1:
		return " Did you mean " + near[0] + "?"
	}
	last := len(near) - 1
	return " Did you mean " + strings.Join(near[:last], ", ") + " or " + near[last] + "?"
}

const maxShown = 80 // bytes of what the caller sent that a message repeats

// show repeats what the caller sent, cut.
func show(raw json.RawMessage) string {
	s := string(raw)
	if len(s) > maxShown {
		s = strings.ToValidUTF8(s[:maxShown], "") + "…"
	}
	return s
}

// quote repeats a string of the caller's with everything invisible made visible.
func quote(s string) string {
	if len(s) > maxShown {
		s = strings.ToValidUTF8(s[:maxShown], "") + "…"
	}
	return strconv.Quote(s)
}
