package tools

import (
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxValues is the most values that a completion may have (MCP, "Completion").
const maxValues = 100

// complete returns the values of an argument that begin with what was typed.
func (r *resources) complete(p *mcp.CompleteParams) (*mcp.CompleteResult, error) {
	arguments, err := r.completable(p.Ref)
	if err != nil {
		return nil, err
	}
	values, ok := arguments[p.Argument.Name]
	if !ok {
		return nil, invalidParams("unknown argument %s; the arguments are: %s", quote(p.Argument.Name), strings.Join(sortedKeys(arguments), ", "))
	}
	found := withPrefix(values, strings.ToLower(p.Argument.Value))
	if p.Ref.Name == "compare_protocols" && p.Argument.Name == "b" && p.Context != nil {
		found = slices.DeleteFunc(slices.Clone(found), func(id string) bool { return id == p.Context.Arguments["a"] })
	}
	out := &mcp.CompleteResult{}
	out.Completion.Total = len(found)
	out.Completion.HasMore = len(found) > maxValues
	out.Completion.Values = append([]string{}, found[:min(maxValues, len(found))]...)
	return out, nil
}

// completable returns the arguments of a prompt or a resource template with their values, sorted.
func (r *resources) completable(ref *mcp.CompleteReference) (map[string][]string, error) {
	switch ref.Type {
	case "ref/prompt":
		switch ref.Name {
		case "compare_protocols":
			protocols := slices.Sorted(slices.Values(r.protocols.ids))
			return map[string][]string{"a": protocols, "b": protocols}, nil
		case "whats_new":
			var days []string
			for _, day := range r.catalog.HistoryDays() {
				days = append(days, string(day))
			}
			slices.Sort(days)
			return map[string][]string{"date": days}, nil
		case "cite_sources":
			return map[string][]string{"topic": r.entries.tags}, nil
		}
		return nil, invalidParams("unknown prompt %s", quote(ref.Name))
	case "ref/resource":
		for _, f := range r.families {
			if f.member != "" && f.URITemplate == ref.URI {
				return map[string][]string{f.member: f.IDs}, nil
			}
		}
		return nil, invalidParams("unknown resource template %s", quote(ref.URI))
	}
	return nil, invalidParams("ref.type must be ref/prompt or ref/resource")
}

// withPrefix returns the part of a sorted list that begins with a prefix.
func withPrefix(sorted []string, prefix string) []string {
	from, _ := slices.BinarySearch(sorted, prefix)
	to := from
	for to < len(sorted) && strings.HasPrefix(sorted[to], prefix) {
		to++
	}
	return sorted[from:to]
}
