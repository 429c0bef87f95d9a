package tools

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"regexp"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/httpmirror/html"
	"go.almanac.example/internal/wirejson"
)

// A tool is one function that agents may call, with everything that is published about it.
type tool struct {
	signature
	title, about string
	price        any  // nil: the tool is free, and answers from memory; what costs waits for a ledger or a node
	private      bool // its arguments may have secrets, and its answers must not be kept
	run          func(context.Context, arguments, Caller) (*mcp.CallToolResult, error)
	noPayments   bool // a text from a payment is for explain_402
}

// A Caller is who calls a tool, as far as the paid tool needs to know.
type Caller struct {
	Credential    string     // from _meta; "" for none
	Authorization string     // the value of the header, if its scheme is L402 or Payment; "" for none
	Key           string     // the idempotency key from _meta; "" for none
	Source        netip.Addr // the client's address
	// ChallengeErrors reports whether the client takes challenges as errors of the protocol.
	ChallengeErrors bool
}

// call runs the tool on raw JSON. A fault of the caller is an answer too, marked as a failure, because a model can read
// it and correct itself.
func (d *tool) call(ctx context.Context, raw json.RawMessage, from Caller) (a *mcp.CallToolResult, err error) {
	if d.noPayments && holdsPayment(raw) {
		return newFailure(d.name + " does not read texts from payments, such as this one. Call explain_402 with it as text: " +
			"it tells amount, end, recipient, faults and the next step."), nil
	}
	in, err := d.read(raw)
	if err == nil {
		a, err = d.run(ctx, in, from)
		err = problemSentence(err, "")
	}
	var wrong inputError
	if errors.As(err, &wrong) {
		return newFailure(string(wrong)), nil
	}
	return a, err
}

// payload finds a response, or a value that no question has.
var payload = regexp.MustCompile(`(?s)^\s*HTTP/.{50}|\S{40}`)

// holdsPayment reports whether an argument was copied from a payment, such as a 402 or an invoice, and is no question
// about one.
func holdsPayment(raw json.RawMessage) bool {
	var members map[string]any
	if json.Unmarshal(raw, &members) != nil {
		return false
	}
	for _, value := range members {
		if text, _ := value.(string); payload.MatchString(text) && html.Payment.MatchString(text) {
			return true
		}
	}
	return false
}

// definition is the tool as tools/list publishes it.
func (d *tool) definition() *mcp.Tool {
	free := d.price == nil // what costs changes a balance, and an invoice leaves this service
	openWorld := !free
	m := &mcp.Tool{
		Name: d.name, Title: d.title, Description: d.about, InputSchema: json.RawMessage(encode(d.schema())),
		Annotations: &mcp.ToolAnnotations{Title: d.title, ReadOnlyHint: free, IdempotentHint: free, OpenWorldHint: &openWorld},
	}
	if !free { // destructive and idempotent mean something only of tools that change anything
		m.Annotations.DestructiveHint = new(bool)
		m.Meta = mcp.Meta{Prefix + "price": d.price}
	}
	return m
}

// Prefix begins the names that this service adds to the protocol: the keys of _meta and the
// extensions. The rules for _meta keys require a prefix of labels ending in a slash, and reserve
// those whose second label is mcp or modelcontextprotocol; they recommend reverse DNS, which a
// program that anyone may run under any name cannot follow. So the prefix is fixed. The names are
// almanac/payments (an extension among the capabilities: what is paid for, and the terms),
// almanac/price (_meta of the tool), almanac/l402 (_meta of a call: the credential) and
// almanac/l402-receipt (_meta of its result: what is left). The scheme Payment has names of its own
// (paymentscheme.go).
const Prefix = "almanac/"

// maxAnswer is the size limit of an answer in bytes, about 10,000 tokens, so that no client cuts
// or refuses it. A longer answer ends after an item and says how to read the rest.
const maxAnswer = 40_000

// newAnswer returns an answer to a call: a text for models and the same facts, an encoded object, for programs.
func newAnswer(text string, structured json.RawMessage) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, StructuredContent: structured}
}

// newJSONAnswer returns an answer that is a document in JSON, as text alone. Of the hosts, some show a model the text,
// some the structured content if there is any, and some both: one form in one place reaches each model once, in full.
// Beside it, structured content would double search by 1.00, fetch by 1.00, facts by 1.00 and lists by 1.1 to 1.6.
func newJSONAnswer(v any) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(encode(v))}}}
}

// newFailure returns an answer that explains the fault of a call.
func newFailure(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: true}
}

// TimedOut returns the answer to a call that took too long.
func TimedOut() *mcp.CallToolResult {
	return newFailure("The call timed out. Call again in a moment.")
}

// encode encodes a value of our own, which always has a JSON form.
func encode(v any) []byte { return wirejson.Must(wirejson.Compact(v)) }
