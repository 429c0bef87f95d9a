package bridge

import (
	"context"
	"errors"
	"maps"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/l402/client"
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
		return result, unwrap(err)
	}
}

// forwarded reports whether send knows requests with such parameters.
func forwarded(params mcp.Params) bool {
	switch params.(type) {
	case *mcp.ListToolsParams, *mcp.ListResourcesParams, *mcp.ListResourceTemplatesParams, *mcp.ListPromptsParams, *mcp.CompleteParams,
		*mcp.CallToolParamsRaw, *mcp.ReadResourceParams, *mcp.GetPromptParams:
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
		return pay(ctx, b, req, "resources/read "+p.URI, p.Meta, func(ctx context.Context, meta mcp.Meta) (*mcp.ReadResourceResult, error) {
			return remote.ReadResource(ctx, &mcp.ReadResourceParams{Meta: meta, URI: p.URI})
		})
	case *mcp.GetPromptParams:
		return pay(ctx, b, req, "prompts/get "+p.Name, p.Meta, func(ctx context.Context, meta mcp.Meta) (*mcp.GetPromptResult, error) {
			return remote.GetPrompt(ctx, &mcp.GetPromptParams{Meta: meta, Name: p.Name, Arguments: p.Arguments})
		})
	}
	return nil, errNotForwarded
}

// callTool calls a tool. A refused payment is a result that the model can act on, not an error of the protocol.
func (b *Bridge) callTool(ctx context.Context, remote *mcp.ClientSession, req mcp.Request, p *mcp.CallToolParamsRaw) (mcp.Result, error) {
	var spent purchases
	ctx = client.OnPaid(ctx, spent.add)
	result, err := pay(ctx, b, req, "tools/call "+p.Name, p.Meta, func(ctx context.Context, meta mcp.Meta) (*mcp.CallToolResult, error) {
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
