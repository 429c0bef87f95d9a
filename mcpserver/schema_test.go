package mcpserver

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// TestAnswersFitTheirSchemas holds every clean answer to the schema its tool promises, and its text
// to the same facts.
func TestAnswersFitTheirSchemas(t *testing.T) {
	s := serverOver(t, Options{})
	var list struct {
		Tools []struct {
			Name         string
			OutputSchema *jsonschema.Schema
		}
	}
	if err := json.Unmarshal(send(s, request(true, body(true, "tools/list", ""))).Result, &list); err != nil {
		t.Fatal(err)
	}
	schemas := make(map[string]*jsonschema.Resolved)
	for _, tool := range list.Tools {
		r, err := tool.OutputSchema.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		schemas[tool.Name] = r
	}
	for _, c := range corpus(s) {
		method, params, _ := strings.Cut(c, " ")
		if method != "tools/call" {
			continue
		}
		var p struct{ Name string }
		_ = json.Unmarshal([]byte("{"+params+"}"), &p)
		var r toolResult
		if err := json.Unmarshal(send(s, request(true, body(true, method, params))).Result, &r); err != nil || r.IsError {
			continue
		}
		var v any
		if err := json.Unmarshal(r.Structured, &v); err != nil {
			t.Fatal(err)
		}
		if err := schemas[p.Name].Validate(v); err != nil {
			t.Errorf("%s: %v", params, err)
		}
		for _, name := range undeclared(schemas[p.Name].Schema(), v) {
			if !slices.Contains(sometimes[p.Name], name) {
				t.Errorf("%s: the schema does not declare %s", params, name)
			}
		}
		if r.Content[0].Text[0] == '{' {
			if !equalJSON([]byte(r.Content[0].Text), r.Structured) {
				t.Errorf("%s: the text is another value than the structured answer", params)
			}
			continue
		}
		for _, fact := range facts(v) {
			if !strings.Contains(r.Content[0].Text, fact) {
				t.Errorf("%s: the text does not say %q", params, fact)
			}
		}
	}
}

// sometimes are the members that only some answers of a tool have, and that its schema leaves undeclared.
var sometimes = map[string][]string{
	"search":       {"read_as", "missing", "note", "source", "verified_at"},
	"fetch":        {"section", "sections", "resource", "more_sections"},
	"list_entries": {"truncated", "type", "date_published", "tags", "publisher", "authors", "category", "last_checked", "http_status", "archive_url", "featured"},
	"get_entry": {"omitted", "truncated", "instead", "featured", "statements",
		"type", "date_published", "tags", "publisher", "authors", "category", "last_checked", "http_status", "archive_url"},
	"get_protocol_facts": {"about", "n", "classes", "source", "reason", "quote", "readings", "note", "omitted", "truncated"},
	"list_changes":       {"title", "member", "was", "is", "truncated"},
	"list_tags":          {"label", "count"},
}

// undeclared returns the members of a value that its schema does not describe.
func undeclared(s *jsonschema.Schema, v any) (names []string) {
	for _, option := range s.AnyOf { // a value or null
		if (option.Type == "null") == (v == nil) {
			return undeclared(option, v)
		}
	}
	if s.Type == "" {
		return nil // of any type
	}
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			names = append(names, undeclared(s.Items, item)...)
		}
	case map[string]any:
		for name, member := range v {
			of := cmp.Or(s.Properties[name], s.AdditionalProperties)
			if of == nil {
				names = append(names, name)
				continue
			}
			names = append(names, undeclared(of, member)...)
		}
	}
	return names
}

// TestSchemasAreTyped holds what programs that generate code from the schemas need: each argument is described, each
// list has items of a type, and what is required is declared with its type.
func TestSchemasAreTyped(t *testing.T) {
	s := serverOver(t, Options{Paid: paid()})
	var list struct {
		Tools []struct {
			Name                      string
			InputSchema, OutputSchema *jsonschema.Schema
		}
	}
	if err := json.Unmarshal(send(s, request(true, body(true, "tools/list", ""))).Result, &list); err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		for name, argument := range tool.InputSchema.Properties {
			if argument.Description == "" || argument.Type == "" {
				t.Errorf("%s: the argument %s is of type %q and described as %q", tool.Name, name, argument.Type, argument.Description)
			}
		}
		for _, schema := range append(within(tool.InputSchema), within(tool.OutputSchema)...) {
			checkTyped(t, tool.Name, schema)
		}
		for _, filter := range []string{"category", "type", "kind", "protocols", "types", "change"} {
			argument := tool.InputSchema.Properties[filter]
			if argument != nil && argument.Items != nil {
				argument = argument.Items
			}
			if argument != nil && len(argument.Enum) == 0 && tool.Name != "list_tags" && (tool.Name != "search_passages" || filter == "kind") { // list_entries has them
				t.Errorf("%s: the filter %s names no values", tool.Name, filter)
			}
		}
	}
}

// within returns a schema and those of its parts.
func within(s *jsonschema.Schema) []*jsonschema.Schema {
	if s == nil {
		return nil
	}
	all := append([]*jsonschema.Schema{s}, within(s.Items)...)
	for _, parts := range [][]*jsonschema.Schema{s.AnyOf, slices.Collect(maps.Values(s.Properties)), {s.AdditionalProperties}} {
		for _, part := range parts {
			all = append(all, within(part)...)
		}
	}
	return all
}

func checkTyped(t *testing.T, tool string, s *jsonschema.Schema) {
	t.Helper()
	if s.Type == "array" && (s.Items == nil || s.Items.Type == "") {
		t.Errorf("%s: a list has items of no type", tool)
	}
	for _, name := range s.Required {
		if s.Properties[name] == nil {
			t.Errorf("%s: the required member %s is not declared", tool, name)
		}
	}
	if s.Items != nil && s.Items.Type == "object" && len(s.Items.Properties) == 0 {
		t.Errorf("%s: the items of a list have no members", tool)
	}
}

// facts returns the strings of a structured answer.
func facts(v any) (found []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, item := range v {
			found = append(found, facts(item)...)
		}
	case map[string]any:
		for _, member := range v {
			found = append(found, facts(member)...)
		}
	}
	return found
}
