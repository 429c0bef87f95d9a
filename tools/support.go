package tools

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
)

func getSupportMethods(d *data) *tool {
	return &tool{
		signature: signature{name: "get_support_methods"},
		title:     "Get ways to tip",
		about: "Use it when someone wants to tip, donate to or support this service: addresses, offers and networks, and whether they are " +
			"samples. Example: {}.",
		run: func(context.Context, arguments, Caller) (*mcp.CallToolResult, error) { return d.supportMethods(), nil },
	}
}

// idleMembers are those of a method that a model does not need: pictures, and addresses in other forms.
var idleMembers = []string{"qr_svg", "qr_text", "qr_error_correction", "address_type", "format", "uri", "bip21_uri", "eip681_uri"}

// supportMethods answers with the support document, without its pictures and the other forms of its addresses.
func (d *data) supportMethods() *mcp.CallToolResult {
	s := d.catalog.Support()
	out := struct {
		Sample    bool         `json:"sample"` // nobody may pay to these
		Voluntary bool         `json:"voluntary"`
		Purpose   string       `json:"purpose"`
		Methods   []any        `json:"methods"`
		Amounts   []int64      `json:"suggested_amounts_sats"`
		Note      string       `json:"note"`
		Warning   string       `json:"warning"`
		Updated   catalog.Date `json:"updated"`
		URL       string       `json:"url"`
	}{d.catalog.SupportIsSample(), s.Voluntary, s.Purpose, nil, s.SuggestedAmountsSats, s.Note, s.Warning, s.Updated,
		d.catalog.Site().URL(catalog.SupportPath)}
	for _, m := range s.Methods {
		var values map[string]json.RawMessage
		if err := json.Unmarshal(encode(m), &values); err != nil {
			panic(err) // a method is a JSON object
		}
		for name := range values {
			if slices.Contains(idleMembers, name) {
				delete(values, name)
			}
		}
		out.Methods = append(out.Methods, values)
	}
	return newJSONAnswer(out)
}
