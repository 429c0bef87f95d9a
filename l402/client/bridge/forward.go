package bridge

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/l402/client"
	"almanac/l402/client/journal"
)

// forward sends a request of the host on. The SDK answers unknown methods.
func (b *Bridge) forward(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if !forwarded(req.GetParams()) {
			return next(ctx, method, req)
		}
		remote, err := b.session(ctx)
		if err != nil {
			return nil, err
		}
		result, err := b.send(ctx, remote, req)
		b.lost(remote, err)
		return result, client.Unwrap(err)
	}
}

// forwarded reports whether send knows requests with such parameters.
func forwarded(params mcp.Params) bool {
	switch params.(type) {
	case *mcp.ListToolsParams, *mcp.ListResourcesParams, *mcp.ListResourceTemplatesParams, *mcp.ListPromptsParams,
		*mcp.CompleteParams, *mcp.CallToolParamsRaw, *mcp.ReadResourceParams, *mcp.GetPromptParams:
		return true
	}
	return false
}

func (b *Bridge) send(ctx context.Context, remote *mcp.ClientSession, req mcp.Request) (mcp.Result, error) {
	switch p := req.GetParams().(type) {
	case *mcp.ListToolsParams:
		result, err := remote.ListTools(ctx, p)
		return result, errors.Join(err, hideCredentials(result))
	case *mcp.ListResourcesParams:
		return remote.ListResources(ctx, p)
	case *mcp.ListResourceTemplatesParams:
		return remote.ListResourceTemplates(ctx, p)
	case *mcp.ListPromptsParams:
		return remote.ListPrompts(ctx, p)
	case *mcp.CompleteParams:
		return remote.Complete(ctx, p)
	case *mcp.CallToolParamsRaw:
		return b.callTool(ctx, remote, req, p)
	case *mcp.ReadResourceParams:
		return pay(ctx, b, req, "resources/read "+p.URI, p.Meta,
			func(ctx context.Context, meta mcp.Meta) (*mcp.ReadResourceResult, error) {
				return remote.ReadResource(ctx, &mcp.ReadResourceParams{Meta: meta, URI: p.URI})
			})
	case *mcp.GetPromptParams:
		return pay(ctx, b, req, "prompts/get "+p.Name, p.Meta,
			func(ctx context.Context, meta mcp.Meta) (*mcp.GetPromptResult, error) {
				return remote.GetPrompt(ctx, &mcp.GetPromptParams{Meta: meta, Name: p.Name, Arguments: p.Arguments})
			})
	}
	return nil, errNotForwarded
}

// callTool calls a tool. A refused payment is a result that the model can act on, not an error of the protocol.
func (b *Bridge) callTool(
	ctx context.Context, remote *mcp.ClientSession, req mcp.Request, p *mcp.CallToolParamsRaw,
) (mcp.Result, error) {
	var spent purchases
	ctx = client.OnPaid(ctx, spent.add)
	result, err := pay(ctx, b, req, "tools/call "+p.Name, p.Meta,
		func(ctx context.Context, meta mcp.Meta) (*mcp.CallToolResult, error) {
			return remote.CallTool(ctx, &mcp.CallToolParams{Meta: meta, Name: p.Name, Arguments: p.Arguments})
		})
	var refusal *client.Refusal
	if errors.As(err, &refusal) {
		return b.refused(ctx, refusal), nil
	}
	if err != nil {
		return nil, err
	}
	b.report(ctx, result, &spent)
	return result, nil
}

// credentialArgument is the argument by which an almanac's paid tool takes a credential, which is not the model's to
// give.
const credentialArgument = "l402"

// hideCredentials removes the argument for a credential from the tools.
func hideCredentials(list *mcp.ListToolsResult) error {
	if list == nil {
		return nil
	}
	for i, tool := range list.Tools {
		schema, ok := asObject(tool.InputSchema)
		if !ok {
			continue
		}
		properties, ok := asObject(schema["properties"])
		if _, has := properties[credentialArgument]; !ok || !has {
			continue
		}
		copied := *tool
		properties = maps.Clone(properties)
		delete(properties, credentialArgument)
		schema = maps.Clone(schema)
		schema["properties"] = properties
		copied.InputSchema = schema
		list.Tools[i] = &copied
	}
	return nil
}

// Approve asks the user about a payment above Config.AskAbove. A host that cannot ask gets none.
func (b *Bridge) Approve(ctx context.Context, o client.Quote) error {
	if b.cfg.AskAbove < 0 || o.AmountMilliSats <= b.cfg.AskAbove*1000 {
		return nil
	}
	session, ok := ctx.Value(sessionKey{}).(*mcp.ServerSession)
	if !ok {
		return fmt.Errorf("the price of %s is above %d sat, and there is nobody to ask",
			client.Sats(o.AmountMilliSats), b.cfg.AskAbove)
	}
	what := ""
	if o.Credits > 0 {
		what = fmt.Sprintf(" for %d requests", o.Credits)
	}
	answer, err := session.Elicit(ctx, &mcp.ElicitParams{
		Message: fmt.Sprintf("Pay %s to %s%s? At most %s more for routing.",
			client.Sats(o.AmountMilliSats), strings.TrimPrefix(strings.TrimPrefix(o.Origin, "https://"), "http://"),
			what, client.Sats(o.FeeLimitMilliSats)),
		RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}},
	})
	if err != nil {
		return fmt.Errorf("the price of %s is above %d sat, and the user cannot be asked: %w",
			client.Sats(o.AmountMilliSats), b.cfg.AskAbove, err)
	}
	if answer.Action != "accept" {
		return fmt.Errorf("the user does not want to pay %s", client.Sats(o.AmountMilliSats))
	}
	return nil
}

// purchases are the payments of one call.
type purchases struct {
	mu  sync.Mutex
	all []journal.Purchase
}

func (s *purchases) add(p journal.Purchase) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, p)
}

// msat returns the sum, with fees.
func (s *purchases) msat() (sum int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.all {
		sum += p.AmountMilliSats + p.FeeMilliSats
	}
	return sum
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
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}},
		Meta: mcp.Meta{"almanac/refusal": string(r.Reason)}}
}

// report adds the amount spent and the balance to a result.
func (b *Bridge) report(ctx context.Context, result *mcp.CallToolResult, spent *purchases) {
	left := balanceOf(result)
	var parts []string
	if msat := spent.msat(); msat > 0 {
		parts = append(parts, fmt.Sprintf("%s were paid for this.", client.Sats(msat)))
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
	result.Meta["almanac/spent_msat"] = spent.msat()
}

// budget returns the state of the budget in words.
func (b *Bridge) budget(ctx context.Context) string {
	s, err := b.client.Spending(context.WithoutCancel(ctx))
	if err != nil {
		return ""
	}
	text := fmt.Sprintf("Spent today: %s", client.Sats(s.Today))
	if s.TodayLimit > 0 {
		text += " of " + client.Sats(s.TodayLimit)
	}
	if s.AllLimit > 0 {
		text += fmt.Sprintf("; in all %s of %s", client.Sats(s.All), client.Sats(s.AllLimit))
	}
	return text + "."
}
