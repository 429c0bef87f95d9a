package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/http402/client"
)

// The members of _meta that carry payments.
const (
	metaL402     = "almanac/l402"                     // request: an L402 credential
	metaLeft     = "almanac/l402-receipt"             // result: its balance
	metaRequired = "org.paymentauth/payment-required" // result: challenges
	metaPayment  = "org.paymentauth/credential"       // request: a Payment credential
	metaReceipt  = "org.paymentauth/receipt"          // result
)

// pay sends a request, and sends it again with a credential when it is answered with a challenge, paying once at the
// most.
func pay[R mcp.Result](ctx context.Context, b *Bridge, resource string, meta mcp.Meta,
	send func(context.Context, mcp.Meta) (R, error)) (R, error) {
	var none R
	origin := client.Origin(b.url)
	cred := b.client.Take(ctx, origin, resource)
	var spare *client.Credential
	if cred != nil && !cred.Opens(resource) {
		b.client.Abandon(cred)
		cred, spare = nil, cred // bought for something else here: it is tried when this turns out to cost something
	}
	var tried []*client.Credential
	defer func() {
		for _, cred := range tried {
			b.client.Abandon(cred)
		}
	}()
	paid := false
	for {
		first := false
		m := meta
		if cred != nil {
			var err error
			if first, err = b.client.Present(ctx, cred); err != nil {
				b.client.Abandon(cred)
				return none, err
			}
			m = withCredential(meta, cred)
		}
		result, err := send(ctx, m)
		need, challenged := needOf(result, err)
		tool := strings.TrimPrefix(resource, "tools/call ")
		if !challenged && spare != nil && b.takesCredential(tool) && isFailure(result) {
			cred, spare = spare, nil // the call may be about the credential itself
			continue
		}
		if !challenged {
			b.note(ctx, cred, resource, result, err)
			return result, err
		}
		need.Origin, need.Host, need.Method, need.Resource = origin, strings.ToLower(b.url.Hostname()), "MCP", resource
		if cred != nil {
			b.client.Rejected(cred, resource, first)
			tried = append(tried, cred)
		}
		switch {
		case !client.Secure(b.url):
			return none, &client.Refusal{Reason: client.Cleartext, Message: "not paid: " + origin +
				" is not encrypted; use https"}
		case paid:
			return none, &client.Refusal{Reason: client.NotAccepted, Message: need.Host + " took the payment " +
				cred.ID() + " and asks for another; it is not paid"}
		}
		if cred, paid, err = b.client.Buy(ctx, need, tried...); err != nil {
			return none, err
		}
	}
}

// note records an answer that was no challenge.
func (b *Bridge) note(ctx context.Context, cred *client.Credential, resource string, result mcp.Result, err error) {
	switch {
	case cred == nil:
	case err != nil && !errors.As(err, new(*jsonrpc.Error)):
		b.client.Abandon(cred) // nobody knows whether it arrived
	case err != nil:
		b.client.Accepted(ctx, cred, resource, false, client.Left{})
	default:
		b.client.Accepted(ctx, cred, resource, !isFailure(result), balanceOf(result))
	}
}

func isFailure(result mcp.Result) bool {
	call, ok := result.(*mcp.CallToolResult)
	return ok && call != nil && call.IsError // an error has no result
}

// balanceOf reads the balance from the _meta of a result.
func balanceOf(result mcp.Result) (l client.Left) {
	meta := result.GetMeta()
	if n, ok := challenge.Member(meta, metaLeft, "credits_left").(float64); ok && n >= 0 {
		l.Known, l.Remaining = true, int64(n)
	}
	if receipt := meta[metaReceipt]; receipt != nil {
		if b, err := json.Marshal(receipt); err == nil && len(b) < 8<<10 {
			l.Receipt = string(b)
		}
	}
	return l
}

// withCredential adds a credential to the _meta of a request.
func withCredential(meta mcp.Meta, cred *client.Credential) mcp.Meta {
	out := maps.Clone(meta)
	if out == nil {
		out = mcp.Meta{}
	}
	if cred.Scheme() != challenge.Payment {
		_, value, _ := strings.Cut(cred.Value(), " ")
		out[metaL402] = value
		return out
	}
	// In MCP the credential is an object, and so is the request within its challenge.
	var c map[string]any
	if !decodeBase64JSON(strings.TrimPrefix(cred.Value(), challenge.Payment+" "), &c) {
		return out
	}
	if echo, ok := c["challenge"].(map[string]any); ok {
		var native map[string]any
		if text, ok := echo["request"].(string); ok && decodeBase64JSON(text, &native) {
			echo["request"] = native
		}
	}
	out[metaPayment] = c
	return out
}

func decodeBase64JSON(text string, into any) bool {
	body, err := challenge.Decode(text)
	return err == nil && json.Unmarshal([]byte(body), into) == nil
}

// needOf reads the challenges of an answer, in each of the forms in which they come.
func needOf(result mcp.Result, err error) (need client.Need, challenged bool) {
	message := map[string]any{}
	var fault *jsonrpc.Error
	switch {
	case errors.As(err, &fault):
		message["error"] = fault
	case err != nil:
		return need, false
	case isFailure(result):
		content := result.(*mcp.CallToolResult).StructuredContent
		message["result"] = map[string]any{"isError": true, "structuredContent": content, "_meta": result.GetMeta()}
		terms, _ := json.Marshal(challenge.Member(content, "payment_required")) // it came from JSON
		need.StatedPrice, need.StatedHash = client.StatedTerms(terms)
	case result.GetMeta()[metaRequired] != nil:
		message["result"] = map[string]any{"_meta": result.GetMeta()}
	default:
		return need, false
	}
	text, err := json.Marshal(message)
	if err != nil {
		return need, false
	}
	need.Challenges, need.Unusable = challenge.Payable(challenge.ReadMessage(text))
	return need, len(need.Challenges)+len(need.Unusable) > 0
}
