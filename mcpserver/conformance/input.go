//lint:file-ignore SA1019 The suite still tests what the protocol has deprecated.

package conformance

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The fixtures for results that ask the client for input (SEP-2322): the first call is answered
// with questions, the second brings the answers.

func askFor(field, kind, question string) *mcp.ElicitParams {
	return &mcp.ElicitParams{Message: question,
		RequestedSchema: json.RawMessage(`{"type":"object","properties":{"` + field + `":{"type":"` + kind +
			`"}},"required":["` + field + `"]}`)}
}

func sample(question string) *mcp.CreateMessageParams {
	return &mcp.CreateMessageParams{MaxTokens: 100,
		Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: question}}}}
}

func asks(state string, requests mcp.InputRequestMap) *mcp.CallToolResult {
	return &mcp.CallToolResult{InputRequests: requests, RequestState: state}
}

// accepted returns what the user answered to a question, or nil.
func accepted(in mcp.InputResponseMap, key string) map[string]any {
	if r, ok := in[key].(*mcp.ElicitResult); ok && r != nil && r.Action == "accept" {
		return r.Content
	}
	return nil
}

func sampled(in mcp.InputResponseMap, key string) (string, bool) {
	r, ok := in[key].(*mcp.CreateMessageWithToolsResult)
	if !ok || r == nil {
		return "", false
	}
	for _, c := range r.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			return t.Text, true
		}
	}
	return "", true
}

func (s server) addInputTools() {
	add := func(name string, run func(*mcp.CallToolRequest, mcp.InputResponseMap) (*mcp.CallToolResult, error)) {
		s.tool("test_input_required_result_"+name, noInput,
			func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return run(r, r.Params.InputResponses)
			})
	}
	add("elicitation", func(_ *mcp.CallToolRequest, in mcp.InputResponseMap) (*mcp.CallToolResult, error) {
		if name, _ := accepted(in, "user_name")["name"].(string); name != "" {
			return resultOf(text("Hello, %s!", name)), nil
		}
		return asks("", mcp.InputRequestMap{"user_name": askFor("name", "string", "What is your name?")}), nil
	})
	add("sampling", func(_ *mcp.CallToolRequest, in mcp.InputResponseMap) (*mcp.CallToolResult, error) {
		if answer, ok := sampled(in, "capital_question"); ok {
			return resultOf(text("Sampling response: %s", answer)), nil
		}
		return asks("", mcp.InputRequestMap{"capital_question": sample("What is the capital of France?")}), nil
	})
	add("list_roots", func(_ *mcp.CallToolRequest, in mcp.InputResponseMap) (*mcp.CallToolResult, error) {
		if roots, ok := in["client_roots"].(*mcp.ListRootsResult); ok && roots != nil {
			return resultOf(text("Client exposed %d root(s)", len(roots.Roots))), nil
		}
		return asks("", mcp.InputRequestMap{"client_roots": &mcp.ListRootsParams{}}), nil
	})
	add("request_state", confirm("request_state"))
	add("tampered_state", confirm("tampered_state"))
	add("multiple_inputs", multipleInputs)
	add("multi_round", multiRound)
	add("capabilities", capabilityAware)
}

// confirm accepts an answer only with the state that it issued.
func confirm(state string) func(*mcp.CallToolRequest, mcp.InputResponseMap) (*mcp.CallToolResult, error) {
	return func(r *mcp.CallToolRequest, in mcp.InputResponseMap) (*mcp.CallToolResult, error) {
		if got := r.Params.RequestState; got != "" && got != state {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "requestState was not issued by this server"}
		}
		if accepted(in, "confirm") != nil && r.Params.RequestState == state {
			return resultOf(text("state-ok")), nil
		}
		return asks(state, mcp.InputRequestMap{"confirm": askFor("ok", "boolean", "Please confirm")}), nil
	}
}

func multipleInputs(_ *mcp.CallToolRequest, in mcp.InputResponseMap) (*mcp.CallToolResult, error) {
	name, _ := accepted(in, "user_name")["name"].(string)
	greeting, greeted := sampled(in, "greeting")
	roots, rooted := in["client_roots"].(*mcp.ListRootsResult)
	if name != "" && greeted && rooted {
		return resultOf(text("%s %s, %d root(s)", greeting, name, len(roots.Roots))), nil
	}
	return asks("multiple_inputs", mcp.InputRequestMap{
		"user_name": askFor("name", "string", "What is your name?"), "greeting": sample("Generate a greeting"),
		"client_roots": &mcp.ListRootsParams{},
	}), nil
}

// multiRound keeps what it learned in the state, since the server keeps nothing.
func multiRound(r *mcp.CallToolRequest, in mcp.InputResponseMap) (*mcp.CallToolResult, error) {
	switch state := r.Params.RequestState; state {
	case "":
		return asks("round=1", mcp.InputRequestMap{"step1": askFor("name", "string", "What is your name?")}), nil
	case "round=1":
		name, _ := accepted(in, "step1")["name"].(string)
		return asks("round=2;name="+name,
			mcp.InputRequestMap{"step2": askFor("color", "string", "What is your favorite color?")}), nil
	default:
		color, _ := accepted(in, "step2")["color"].(string)
		return resultOf(text("%s likes %s", strings.TrimPrefix(state, "round=2;name="), color)), nil
	}
}

// capabilityAware asks only for what the client says it can give.
func capabilityAware(r *mcp.CallToolRequest, in mcp.InputResponseMap) (*mcp.CallToolResult, error) {
	requests := mcp.InputRequestMap{}
	if caps := r.ClientCapabilities(); caps != nil && len(in) == 0 {
		if caps.Elicitation != nil {
			requests["user_name"] = askFor("name", "string", "What is your name?")
		}
		if caps.Sampling != nil {
			requests["greeting"] = sample("Generate a short greeting")
		}
		if caps.RootsV2 != nil {
			requests["client_roots"] = &mcp.ListRootsParams{}
		}
	}
	if len(requests) > 0 {
		return asks("", requests), nil
	}
	return resultOf(text("nothing more to ask")), nil
}

func inputPrompt(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	if content := accepted(r.Params.InputResponses, "user_context"); content != nil {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user",
			Content: text("Context: %v", content["context"])}}}, nil
	}
	return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{"user_context": askFor("context", "string",
		"Please provide context for the prompt")}}, nil
}
