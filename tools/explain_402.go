package tools

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
	"go.almanac.example/http402/explain"
)

// maxExplained is the size limit of the arguments of explain_402 in bytes: of a response with a long challenge, within
// the size limit of a message.
const maxExplained = 60 << 10

func explain402(d *data, read func(string) explain.Reading) *tool {
	return &tool{
		signature: signature{
			name: "explain_402", size: maxExplained,
			params: []param{{name: "text", aliases: []string{"response", "challenge", "invoice", "input", "body"}, min: 1, max: maxExplained, required: true, secret: true, json: true, example: `"HTTP/1.1 402 …"`,
				about: "As received, with headers."}},
		},
		title: "Explain a 402",
		about: "When a server answers 402 Payment Required, or for an invoice, offer, LNURL, token, credential, signature or receipt: what it " +
			"costs, until when, to whom, its faults, who can pay, the next step. Fetches nothing, masks secrets. " +
			`Example: {"text":"HTTP/1.1 402 …"}.`,
		private: true,
		run: func(_ context.Context, in arguments, _ Caller) (*mcp.CallToolResult, error) {
			r := read(in.text("text"))
			text := r.Text() + d.specifications(r)
			text += textIf(r.Kind == explain.None && asksForName.MatchString(text), "Or:     search explains an error code, a header or a name.\n")
			return newAnswer(text, encode(r)), nil // both short
		},
	}
}

// asksForName finds what search may know of a text that explain does not.
var asksForName = regexp.MustCompile(`Nothing known; the nearest kind is challenge|\bcode\b`)

// specifications returns a line with the addresses of the specifications of the protocols that a reading names, or "": of an
// earlier version with its days; where the facts have none, that of the text that says where the price is.
func (d *data) specifications(r explain.Reading) string {
	var addresses []string
	for _, o := range r.Offers {
		p, version := d.protocols.find(catalog.OfferProtocol(o.Scheme)), ""
		if p == nil {
			continue
		}
		if old, err := d.protocols.inVersion(fmt.Sprint(o.Version), []string{p.id}); err == nil && !old[0].newest {
			p, version = &old[0], old[0].name+": "
		}
		address, _ := p.values["spec_url"].Value.(string)
		if text := version + cmp.Or(address, p.values["quote_where"].Source); text != "" && !slices.Contains(addresses, text) {
			addresses = append(addresses, text)
		}
	}
	return textIf(addresses != nil, "Spec:   "+strings.Join(addresses, ", ")+"\n")
}
