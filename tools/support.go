package tools

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
)

func getSupportMethods(d *data) *tool {
	return &tool{
		signature: signature{name: "get_support_methods"},
		title:     "Ways to tip",
		about:     "When someone wants to tip, donate to or support this service: addresses, and whether they are samples. Example: {}.",
		run:       func(context.Context, arguments, Caller) (*mcp.CallToolResult, error) { return d.supportMethods(), nil },
	}
}

// idleMembers are those of a method that a model does not need: pictures, and addresses in other forms.
var idleMembers = []string{"qr_svg", "qr_text", "qr_error_correction", "address_type", "format", "uri", "bip21_uri", "eip681_uri"}

// supportMethods answers with the support document, without its pictures and the other forms of its addresses.
func (d *data) supportMethods() *mcp.CallToolResult {
	s := d.catalog.Support()
	doc := leaveOut(s, "$schema", "data_is_free", "access_conditional_on_payment", "suggested_amounts_optional", "usdc_contracts_source", "paid_api")
	doc["sample"] = encode(d.catalog.SupportIsSample()) // nobody may pay to one
	doc["url"] = encode(d.catalog.Site().URL(catalog.SupportPath))
	doc["methods"] = encode(catalog.Convert(s.Methods, func(m catalog.SupportMethod) any { return leaveOut(m, idleMembers...) }))
	return newJSONAnswer(doc)
}

// leaveOut returns the members of an object but for some.
func leaveOut(object any, names ...string) (members map[string]json.RawMessage) {
	if err := json.Unmarshal(encode(object), &members); err != nil {
		panic(err) // a document is a JSON object
	}
	maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool { return slices.Contains(names, name) })
	return members
}
