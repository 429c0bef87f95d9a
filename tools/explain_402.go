package tools

import (
	"context"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/http402/explain"
)

// maxExplained is the size limit of the arguments of explain_402 in bytes: of a response with a long challenge, within
// the size limit of a message.
const maxExplained = 60 << 10

func explain402(d *data, read func(string) explain.Reading) *tool {
	return &tool{
		signature: signature{
			name: "explain_402", size: maxExplained,
			params: []param{{name: "text", aliases: []string{"response", "challenge", "invoice", "input", "body"}, min: 1, max: maxExplained, required: true, secret: true, example: `"HTTP/1.1 402 …"`,
				about: "As received, with headers."}},
		},
		title: "Explain a 402",
		about: "Use it when a server answers 402 Payment Required, or for an invoice, offer, macaroon, credential or receipt: what it " +
			"costs, until when, to whom, its faults, who can pay, the next step. Fetches nothing, masks secrets. " +
			`Example: {"text":"HTTP/1.1 402 …"}.`,
		private: true,
		run: func(_ context.Context, in arguments, _ Caller) (*mcp.CallToolResult, error) {
			r := read(in.text("text"))
			return newAnswer(r.Text()+d.specifications(r), encode(r)), nil // both short
		},
	}
}

// specifications returns a line with the addresses of the specifications of the protocols that a reading names, as far as
// the data has them.
func (d *data) specifications(r explain.Reading) string {
	var schemes, addresses []string
	for _, o := range r.Offers {
		schemes = append(schemes, o.Scheme)
	}
	if r.Credential != nil {
		schemes = append(schemes, r.Credential.Scheme)
	}
	for _, scheme := range schemes {
		p, ok := d.catalog.Protocol(strings.Replace(scheme, "payment", "mpp", 1)) // the others have the names of their protocols
		if ok && p.SpecURL != nil && !slices.Contains(addresses, p.SpecURL.Value) {
			addresses = append(addresses, p.SpecURL.Value)
		}
	}
	if addresses == nil {
		return ""
	}
	return "Spec:   " + strings.Join(addresses, ", ") + "\n"
}
