package tools

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxValues is the most values a completion may give (MCP, "Completion").
const maxValues = 100

// badParams is the protocol's error for parameters that cannot be served.
func badParams(format string, a ...any) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, a...)}
}

// complete gives the values of an argument that begin with what was typed.
func (t *Tools) complete(p *mcp.CompleteParams) (*mcp.CompleteResult, error) {
	arguments, err := t.completable(p.Ref)
	if err != nil {
		return nil, err
	}
	values, ok := arguments[p.Argument.Name]
	if !ok {
		return nil, badParams("there is no argument %s to complete; there are: %s", quote(p.Argument.Name), strings.Join(sortedKeys(arguments), ", "))
	}
	found := withPrefix(values, strings.ToLower(p.Argument.Value))
	if p.Ref.Name == "compare_protocols" && p.Argument.Name == "b" && p.Context != nil {
		found = slices.DeleteFunc(slices.Clone(found), func(id string) bool { return id == p.Context.Arguments["a"] })
	}
	r := &mcp.CompleteResult{}
	r.Completion.Total = len(found)
	r.Completion.HasMore = len(found) > maxValues
	r.Completion.Values = append([]string{}, found[:min(maxValues, len(found))]...)
	return r, nil
}

// completable gives the arguments of a prompt or a resource template with their values, sorted.
func (t *Tools) completable(ref *mcp.CompleteReference) (map[string][]string, error) {
	protocols, days := slices.Sorted(slices.Values(t.facts.ids)), slices.Sorted(slices.Values(t.books.days))
	switch ref.Type {
	case "ref/prompt":
		switch ref.Name {
		case "compare_protocols":
			return map[string][]string{"a": protocols, "b": protocols}, nil
		case "whats_new":
			return map[string][]string{"date": days}, nil
		case "cite_sources":
			return map[string][]string{"topic": t.lib.tags}, nil
		}
		return nil, badParams("there is no prompt %s", quote(ref.Name))
	case "ref/resource":
		switch ref.URI {
		case entryTemplate:
			return map[string][]string{"id": t.lib.ids}, nil
		case categoryTemplate:
			return map[string][]string{"category": slices.Sorted(slices.Values(t.lib.categories)), "cursor": nil, "limit": nil}, nil
		case protocolTemplate:
			return map[string][]string{"id": protocols}, nil
		case changesTemplate:
			return map[string][]string{"date": days}, nil
		case datasetTemplate:
			return map[string][]string{"slug": t.books.datasets}, nil
		}
		return nil, badParams("there is no resource template %s", quote(ref.URI))
	}
	return nil, badParams("ref.type must be ref/prompt or ref/resource")
}

// withPrefix gives the part of a sorted list that begins with a prefix.
func withPrefix(sorted []string, prefix string) []string {
	from, _ := slices.BinarySearch(sorted, prefix)
	to := from
	for to < len(sorted) && strings.HasPrefix(sorted[to], prefix) {
		to++
	}
	return sorted[from:to]
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
