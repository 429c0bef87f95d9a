package bridge

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/http402/client"
	"go.almanac.example/http402/journal"
	"go.almanac.example/internal/rpc"
)

// forward sends a request of the host on. The SDK answers unknown methods.
func (b *Bridge) forward(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		_, isCall := req.GetParams().(*mcp.CallToolParamsRaw)
		send := b.sender(ctx, req)
		if send == nil {
			result, err := next(ctx, method, req)
			if hello, ok := result.(*mcp.InitializeResult); ok && err == nil {
				b.initialize(ctx, hello)
			}
			return result, err
		}
		result, err := b.remote.do(ctx, !isCall, send)
		var away *awayError
		switch {
		case !errors.As(err, &away):
			return result, legacyError(method, err)
		case isCall:
			return failure(away.message + " " + afterwards(away)), nil
		}
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: away.message}
	}
}

// legacyError returns the error of a request as the versions that are spoken with the host number it.
func legacyError(method string, err error) error {
	var known *jsonrpc.Error
	if method == "resources/read" && errors.As(err, &known) && known.Code == jsonrpc.CodeInvalidParams {
		return &jsonrpc.Error{Code: rpc.NotFoundCode(false), Message: known.Message, Data: known.Data}
	}
	return err
}

// afterwards tells a model what follows from a call that was not answered.
func afterwards(e *awayError) string {
	if e.sent {
		return "The call may have arrived; what was paid for it stays paid, and calling again does not pay twice."
	}
	return "Nothing was paid. Try again later."
}

func failure(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// sender returns the function that sends a request on, or nil for one that the SDK answers.
func (b *Bridge) sender(ctx context.Context, req mcp.Request) func(remote *mcp.ClientSession) (mcp.Result, error) {
	switch p := req.GetParams().(type) {
	case *mcp.ListToolsParams:
		return func(remote *mcp.ClientSession) (mcp.Result, error) {
			result, err := remote.ListTools(ctx, p)
			if err == nil {
				b.rewrite(result)
			}
			return result, err
		}
	case *mcp.ListResourcesParams:
		return func(remote *mcp.ClientSession) (mcp.Result, error) { return remote.ListResources(ctx, p) }
	case *mcp.ListResourceTemplatesParams:
		return func(remote *mcp.ClientSession) (mcp.Result, error) { return remote.ListResourceTemplates(ctx, p) }
	case *mcp.ListPromptsParams:
		return func(remote *mcp.ClientSession) (mcp.Result, error) { return remote.ListPrompts(ctx, p) }
	case *mcp.CompleteParams:
		return func(remote *mcp.ClientSession) (mcp.Result, error) { return remote.Complete(ctx, p) }
	case *mcp.CallToolParamsRaw:
		return func(remote *mcp.ClientSession) (mcp.Result, error) { return b.callTool(ctx, remote, p) }
	case *mcp.ReadResourceParams:
		return func(remote *mcp.ClientSession) (mcp.Result, error) {
			return pay(ctx, b, "resources/read "+p.URI, p.Meta,
				func(ctx context.Context, meta mcp.Meta) (*mcp.ReadResourceResult, error) {
					return remote.ReadResource(ctx, &mcp.ReadResourceParams{Meta: meta, URI: p.URI})
				})
		}
	case *mcp.GetPromptParams:
		return func(remote *mcp.ClientSession) (mcp.Result, error) {
			return pay(ctx, b, "prompts/get "+p.Name, p.Meta,
				func(ctx context.Context, meta mcp.Meta) (*mcp.GetPromptResult, error) {
					return remote.GetPrompt(ctx, &mcp.GetPromptParams{Meta: meta, Name: p.Name, Arguments: p.Arguments})
				})
		}
	}
	return nil
}

// callTool calls a tool. A refused payment is a result that the model can act on, not an error of the protocol.
func (b *Bridge) callTool(
	ctx context.Context, remote *mcp.ClientSession, p *mcp.CallToolParamsRaw,
) (mcp.Result, error) {
	var spent atomic.Int64 // in millisatoshis, with fees
	ctx = client.OnPaid(ctx, func(p journal.Purchase) { spent.Add(p.AmountMilliSats + p.FeeMilliSats) })
	result, err := pay(ctx, b, "tools/call "+p.Name, p.Meta,
		func(ctx context.Context, meta mcp.Meta) (*mcp.CallToolResult, error) {
			return remote.CallTool(ctx, &mcp.CallToolParams{Meta: meta, Name: p.Name, Arguments: p.Arguments})
		})
	if refusal, ok := errors.AsType[*client.Refusal](err); ok {
		return b.refused(ctx, refusal), nil
	}
	if err != nil {
		return nil, err
	}
	if b.takesCredential(p.Name) && result.IsError && b.client.Find(ctx, client.Origin(b.url), "") == nil {
		about := &mcp.TextContent{Text: "The bridge has no credential yet. " + b.terms()}
		result.Content = append(result.Content, about)
	}
	b.report(ctx, result, spent.Load())
	return result, nil
}

// credentialArgument is the argument by which an almanac's paid tool takes a credential, which is not the model's to
// give.
const credentialArgument = "l402"

// unpaid is the sentence of an almanac's paid tool that is not true here.
const unpaid = "Without a credential it returns an invoice. "

// rewrite removes the argument for a credential from the tools, and says who pays instead.
func (b *Bridge) rewrite(list *mcp.ListToolsResult) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, tool := range list.Tools {
		schema, _ := tool.InputSchema.(map[string]any)
		properties, _ := schema["properties"].(map[string]any)
		if _, has := properties[credentialArgument]; !has {
			continue
		}
		b.paid[tool.Name] = true
		copied := *tool // the SDK may read its own while this is written
		properties = maps.Clone(properties)
		delete(properties, credentialArgument)
		schema = maps.Clone(schema)
		schema["properties"] = properties
		copied.InputSchema = schema
		copied.Description = strings.TrimSpace(strings.Replace(tool.Description, unpaid, "", 1) + " " + b.terms())
		list.Tools[i] = &copied
	}
}

func (b *Bridge) takesCredential(tool string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.paid[tool]
}

// Approve asks the user about the first payment if Config.AskFirst says so, and about one above Config.AskAbove. A host
// that cannot ask gets none.
func (b *Bridge) Approve(ctx context.Context, o client.Quote) error {
	b.mu.Lock()
	first := b.cfg.AskFirst && !b.agreed
	b.mu.Unlock()
	price, fee, further := client.Sats(o.AmountMilliSats), client.Sats(o.FeeLimitMilliSats), ""
	reason := fmt.Sprintf("the price of %s is above %d sat", price, b.cfg.AskAbove)
	switch {
	case first:
		reason = "no budget is set (start almanac mcp with -max-day SATOSHIS to set one)"
		further = fmt.Sprintf(" Further payments of this session are made unasked: up to %d sat each, %d sat a day.",
			b.cfg.Budget.PerPayment, b.cfg.Budget.PerDay)
	case b.cfg.AskAbove < 0 || o.AmountMilliSats <= b.cfg.AskAbove*1000:
		return nil
	}
	host := b.host()
	if host == nil {
		return fmt.Errorf("%s, and there is nobody to ask", reason)
	}
	requests := ""
	if o.Credits > 0 {
		requests = fmt.Sprintf(" for %d requests", o.Credits)
	}
	answer, err := host.Elicit(ctx, &mcp.ElicitParams{
		Message: fmt.Sprintf("Pay %s to %s%s? At most %s more for routing.%s", price,
			strings.TrimPrefix(strings.TrimPrefix(o.Origin, "https://"), "http://"), requests, fee, further),
		RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}},
	})
	if err != nil {
		return fmt.Errorf("%s, and the user cannot be asked: %w", reason, err)
	}
	if answer.Action != "accept" {
		return fmt.Errorf("the user does not want to pay %s", price)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.agreed = true
	return nil
}

// refused is the result of a call that was not paid for.
func (b *Bridge) refused(ctx context.Context, r *client.Refusal) *mcp.CallToolResult {
	text := "This costs money. It was " + r.Message + "."
	if !strings.HasPrefix(r.Message, "not paid") {
		text = "This costs money, and " + r.Message + "."
	}
	if budget := b.budget(ctx); budget != "" {
		text += " " + budget
	}
	result := failure(text)
	result.Meta = mcp.Meta{"almanac/refusal": string(r.Reason)}
	return result
}

// report adds the amount spent, in millisatoshis, and the balance to a result.
func (b *Bridge) report(ctx context.Context, result *mcp.CallToolResult, spent int64) {
	left := balanceOf(result)
	var parts []string
	if spent > 0 {
		parts = append(parts, fmt.Sprintf("%s were paid for this.", client.Sats(spent)))
	}
	if left.Known {
		parts = append(parts, fmt.Sprintf("%d requests are left of what was paid for.", left.Remaining))
	}
	if len(parts) == 0 {
		return
	}
	if budget := b.budget(ctx); budget != "" {
		parts = append(parts, budget)
	}
	result.Content = append(result.Content, &mcp.TextContent{Text: strings.Join(parts, " ")})
	if result.Meta == nil {
		result.Meta = mcp.Meta{}
	}
	result.Meta["almanac/spent_msat"] = spent
}

// budget returns the state of the budget in words.
func (b *Bridge) budget(ctx context.Context) string {
	taken, limits, err := b.client.Spending(context.WithoutCancel(ctx))
	if err != nil {
		return ""
	}
	text := fmt.Sprintf("Spent today: %s", client.Sats(taken.Day))
	if limits.Day > 0 {
		text += " of " + client.Sats(limits.Day)
	}
	if limits.Total > 0 {
		text += fmt.Sprintf("; in all %s of %s", client.Sats(taken.Total), client.Sats(limits.Total))
	}
	return text + "."
}
