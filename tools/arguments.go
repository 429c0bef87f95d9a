package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.almanac.example/internal/nearest"
	"go.almanac.example/internal/problem"
)

// arguments are those of a call that passed their checks, by name: each a string, a []string, an int or a bool.
type arguments map[string]any

func (in arguments) text(name string) string {
	text, _ := in[name].(string)
	return text
}

func (in arguments) list(name string) []string {
	list, _ := in[name].([]string)
	return list
}

func (in arguments) number(name string, standard int) int {
	if n, ok := in[name].(int); ok {
		return n
	}
	return standard
}

func (in arguments) set(name string) bool { return in[name] == true }

// A signature is the name and the params of a tool.
type signature struct {
	name   string // of the tool
	params []param
	size   int // limit of the arguments in bytes; 0: maxArguments
}

// maxArguments is the size limit of the arguments of most calls in bytes. The largest sensible ones hold a credential.
const maxArguments = 12 << 10

// read checks the arguments of a call. Absent, null, "" and {} all mean no arguments; a null argument
// means an absent one, because some clients set every optional argument to null. Of a key that
// appears twice the last one counts.
func (s *signature) read(raw json.RawMessage) (arguments, error) {
	if most := cmp.Or(s.size, maxArguments); len(raw) > most {
		return nil, inputError(fmt.Sprintf("The arguments of %s are too long: %d bytes, at most %d. Example: %s", s.name, len(raw), most, s.example()))
	}
	switch text, ok := textOf(raw); {
	case ok && text != "" && text[0] != '{' && len(s.params) > 0: // of a model that sends the first argument alone
		raw = encode(map[string]string{s.params[0].name: text})
	case ok: // of a client that encodes twice
		raw = json.RawMessage(text)
	}
	var members map[string]json.RawMessage
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &members); err != nil {
			return nil, inputError("The arguments of " + s.name + " must be a JSON object. Example: " + s.example())
		}
	}
	values, err := s.byParam(members)
	if err != nil {
		return nil, err
	}
	in := make(arguments, len(members))
	for i := range s.params {
		p := &s.params[i]
		if v := values[p.name]; v != nil {
			a, err := p.read(v)
			if err != nil {
				return nil, inputError(fmt.Sprintf("%s Example: %s", err, p.call()))
			}
			if a != nil {
				in[p.name] = a
				continue
			}
		}
		if p.required {
			return nil, inputError(fmt.Sprintf("%s needs %s: %s Example: %s", s.name, p.name, p.about, p.call()))
		}
	}
	return in, nil
}

// ofHosts are arguments that hosts add for themselves to those of any tool: n8n the first five, then Cline, Gemini CLI,
// OpenHands and Cursor. So are all whose name begins with _.
var ofHosts = []string{"toolCallId", "sessionId", "chatInput", "action", "tool", "task_progress", "wait_for_previous", "security_risk", "random_string"}

// noValues stand for no value, whatever the name: OpenAI's strict mode fills in every argument, and Lua writes an empty list as {}.
var noValues = []string{"null", `""`, "{}", "[]"}

// wrappers are names under which some models send all arguments, also as their text.
var wrappers = []string{"arguments", "args", "params", "parameters", "input", "kwargs"}

// byParam returns the values that are not null by the names of their params. It refuses names that the tool does not
// have, and two names for one param.
func (s *signature) byParam(members map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	values := make(map[string]json.RawMessage, len(members))
	var inner map[string]json.RawMessage
	for _, name := range slices.Sorted(maps.Keys(members)) {
		i := slices.IndexFunc(s.params, func(p param) bool { return p.name == name || slices.Contains(p.aliases, name) })
		if i < 0 { // in another case, such as maxTokens
			i = slices.IndexFunc(s.params, func(p param) bool { return members[p.name] == nil && folded(p.name) == folded(name) })
		}
		text, _ := textOf(members[name])
		switch {
		case slices.Contains(noValues, string(members[name])), i < 0 && (strings.HasPrefix(name, "_") || slices.Contains(ofHosts, name)):
		case i < 0 && len(members) == 1 && slices.Contains(wrappers, name) && json.Unmarshal([]byte(cmp.Or(text, string(members[name]))), &inner) == nil:
			return s.byParam(inner)
		case i < 0:
			return nil, s.unknown(name)
		case values[s.params[i].name] != nil:
			return nil, inputError(fmt.Sprintf("%s has %s twice. Send %s alone.", s.name, quote(name), s.params[i].name))
		default:
			values[s.params[i].name] = members[name]
		}
	}
	return values, nil
}

// folded returns the name of a param without case and separators.
func folded(name string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
}

// queryAliases are names for what is searched for: some hosts drop an argument named query.
var queryAliases = []string{"q", "question", "search_query", "search", "text", "keyword", "keywords", "term", "terms"}

// limitAliases are names that others give to the most of a list.
var limitAliases = []string{"max_results", "num_results", "top_k", "count", "n", "page_size"}

// unknown refuses a name that the tool does not have.
func (s *signature) unknown(name string) error {
	var names []string
	for i := range s.params {
		if s.params[i].about != "" {
			names = append(names, s.params[i].name)
		}
	}
	if names == nil {
		return inputError(fmt.Sprintf("%s takes no arguments; you sent %s. Call it with {}.", s.name, quote(name)))
	}
	hint := textIf(name == "query" || slices.Contains(queryAliases, name), " It does not search for words: search does.")
	return inputError(fmt.Sprintf("%s has no argument %s%s.%s Its arguments are: %s.",
		s.name, quote(name), didYouMean(name, names), hint, strings.Join(names, ", ")))
}

// example returns arguments that a caller may copy.
func (s *signature) example() string {
	for i := range s.params {
		if p := &s.params[i]; p.example != "" {
			return p.call()
		}
	}
	return "{}"
}

// schema is the JSON Schema of the arguments.
func (s *signature) schema() *schema {
	out := &schema{Type: "object", Properties: members{}} // OpenAI's API wants properties
	for _, p := range s.params {
		if p.about == "" {
			continue
		}
		out.Properties = append(out.Properties, member{p.name, p.schema()})
		if p.required {
			out.Required = append(out.Required, p.name)
		}
	}
	if len(out.Properties) == 0 { // else hosts would refuse other names that are accepted, and Gemini's API the schema
		out.AdditionalProperties = false
	}
	return out
}

// An inputError explains to the model the fault of its call and the remedy: the allowed values, or an example. It
// becomes an answer marked as a failure.
type inputError string

func (e inputError) Error() string { return string(e) }

const maxEchoed = 80 // bytes of the caller's input that a message repeats

func shorten(s string) string { return problem.Shorten(s, maxEchoed) }

// echo returns raw JSON of the caller's, shortened.
func echo(raw json.RawMessage) string { return shorten(string(raw)) }

// quote returns a string of the caller's, shortened and quoted, with everything invisible made
// visible.
func quote(s string) string { return strconv.Quote(shorten(s)) }

// didYouMean names the nearest words of a vocabulary, to be put at the end of a clause, or
// returns "".
func didYouMean(s string, vocabulary []string) string {
	return nearest.DidYouMean(s, vocabulary, maxNear)
}

const maxNear = 3 // words that a "did you mean" names

const maxName = 160 // bytes of an id that anything is near to
