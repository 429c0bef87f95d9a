package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// TestAnswersComeOnce: a clean answer is one JSON document, as text alone, so that no host shows it to a model twice; only explain_402 has
// its short reading in two forms.
func TestAnswersComeOnce(t *testing.T) {
	s := serverOver(t, Options{})
	for _, c := range corpus(s) {
		method, params, _ := strings.Cut(c, " ")
		var r toolResult
		if err := json.Unmarshal(send(s, request(true, body(true, method, params))).Result, &r); method != "tools/call" || err != nil || r.IsError {
			continue
		}
		both := strings.Contains(params, "explain_402")
		if (r.Structured != nil) != both || json.Valid([]byte(r.Content[0].Text)) == both || len(r.Content) != 1 {
			t.Errorf("%s: %.200s", params, r.Content[0].Text)
		}
	}
}

// TestSchemasAreTyped holds what programs that generate code from the schemas need: each argument is described, each
// list has items of a type, a filter has its values in the list, and what is required is declared.
func TestSchemasAreTyped(t *testing.T) {
	s := serverOver(t, Options{Paid: paid()})
	var list struct {
		Tools []struct {
			Name        string
			InputSchema *jsonschema.Schema
		}
	}
	if err := json.Unmarshal(send(s, request(true, body(true, "tools/list", ""))).Result, &list); err != nil {
		t.Fatal(err)
	}
	valued := map[string]bool{}
	for _, tool := range list.Tools {
		if tool.InputSchema.Properties == nil { // OpenAI's API refuses an object without properties
			t.Errorf("%s: the schema of its arguments has no properties", tool.Name)
		}
		for name, argument := range tool.InputSchema.Properties {
			if argument.Description == "" || argument.Type == "" || argument.Type == "array" && (argument.Items == nil || argument.Items.Type != "string") {
				t.Errorf("%s: the argument %s is of type %q and described as %q", tool.Name, name, argument.Type, argument.Description)
			}
			valued[name] = valued[name] || len(argument.Enum) > 0 || argument.Items != nil && len(argument.Items.Enum) > 0
		}
		for _, name := range tool.InputSchema.Required {
			if tool.InputSchema.Properties[name] == nil {
				t.Errorf("%s: the required argument %s is not declared", tool.Name, name)
			}
		}
	}
	for _, filter := range []string{"category", "type", "kind", "fields", "change", "format", "sort"} {
		if !valued[filter] {
			t.Errorf("no tool names the values of %s", filter)
		}
	}
}
