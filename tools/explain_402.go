package tools

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/http402/explain"
)

// maxExplained is the size limit of the arguments of explain_402 in bytes: of a response with a long challenge, within
// the size limit of a message.
const maxExplained = 60 << 10

func explain402(read func(string) explain.Reading) *tool {
	return &tool{
		signature: signature{
			name: "explain_402", size: maxExplained,
			params: []param{{name: "text", min: 1, max: maxExplained, required: true, secret: true, example: `"HTTP/1.1 402 …"`,
				about: "As received, with headers."}},
		},
		title: "Explain a 402",
		about: "Explains a 402, invoice, offer, macaroon, credential or receipt: price, expiry, faults. " +
			`Fetches nothing, masks secrets. Example: {"text":"HTTP/1.1 402 …"}.`,
		output:  object(texts("kind")...),
		private: true,
		run: func(_ context.Context, in arguments, _ Caller) (*mcp.CallToolResult, error) {
			return newJSONAnswer(read(in.text("text"))), nil
		},
	}
}
