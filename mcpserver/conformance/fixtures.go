//lint:file-ignore SA1019 The suite still tests what the protocol has deprecated.

package conformance

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// server adds the tools, resources and prompts that the suite calls by name. What they answer is
// specified in the suite's scenarios.
type server struct{ *mcp.Server }

const (
	redPixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
	silence  = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
)

func bytesOf(s string) []byte {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

func text(format string, a ...any) mcp.Content {
	return &mcp.TextContent{Text: fmt.Sprintf(format, a...)}
}

func embedded(uri, content string) mcp.Content {
	return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: content}}
}

func resultOf(content ...mcp.Content) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: content}
}

func (s server) tool(name, schema string, run mcp.ToolHandler) {
	s.Server.AddTool(&mcp.Tool{Name: name, Description: "A fixture of the conformance suite.",
		InputSchema: json.RawMessage(schema)}, run)
}

const noInput = `{"type":"object"}`

// schema2020 has the vocabulary of JSON Schema 2020-12 that must reach clients unchanged.
const schema2020 = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},
"additionalProperties":false}`

func (s server) addTools() {
	fixed := func(name string, content ...mcp.Content) {
		s.tool(name, noInput, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return resultOf(content...), nil
		})
	}
	image := &mcp.ImageContent{Data: bytesOf(redPixel), MIMEType: "image/png"}
	fixed("test_simple_text", text("This is a simple text response for testing."))
	fixed("test_image_content", image)
	fixed("test_audio_content", &mcp.AudioContent{Data: bytesOf(silence), MIMEType: "audio/wav"})
	fixed("test_embedded_resource", embedded("test://embedded-resource", "This is an embedded resource"))
	fixed("test_multiple_content_types", text("This is text content"), image,
		embedded("test://embedded-in-multiple", "This is an embedded resource"))
	fixed("test_streaming_elicitation", text("Only this result is on the stream."))
	s.tool("json_schema_2020_12_tool", schema2020, repeating)
	s.tool("test_x_mcp_header", `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"level":{"type":"integer"}}}`,
		repeating)
	s.tool("test_error_handling", noInput, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		r := &mcp.CallToolResult{}
		r.SetError(errors.New("this tool intentionally returns an error for testing"))
		return r, nil
	})
	s.tool("test_tool_with_logging", noInput, logging)
	s.tool("test_logging_tool", noInput, logging)
	s.tool("test_tool_with_progress", noInput, progress)
	s.tool("test_missing_capability", noInput, missingCapability)
	s.tool("test_sampling", `{"type":"object","properties":{"prompt":{"type":"string"}}}`, sampling)
	s.tool("test_elicitation", `{"type":"object","properties":{"message":{"type":"string"}}}`,
		eliciting(`{"type":"object","properties":{"username":{"type":"string","description":"Your preferred username"}},"required":["username"]}`))
	s.tool("test_elicitation_sep1034_defaults", noInput, eliciting(`{"type":"object","properties":{
		"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},
		"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}}`))
	s.tool("test_elicitation_sep1330_enums", noInput, eliciting(`{"type":"object","properties":{
		"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
		"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
		"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
		"untitledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","enum":["option1","option2","option3"]}},
		"titledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"anyOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]}}}}`))
	s.tool("test_reconnection", noInput, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if r.Extra != nil && r.Extra.CloseSSEStream != nil {
			r.Extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
		}
		time.Sleep(100 * time.Millisecond)
		return resultOf(text("Reconnection test completed successfully.")), nil
	})
	s.tool("test_trigger_tool_change", noInput, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.tool("test_transient", noInput, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult,
			error) {
			return resultOf(), nil
		})
		return resultOf(text("the list of tools changed")), nil
	})
	s.tool("test_trigger_prompt_change", noInput, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult,
		error) {
		s.prompt("test_transient_prompt", nil, func(map[string]string) []mcp.Content { return nil })
		return resultOf(text("the list of prompts changed")), nil
	})
}

func repeating(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return resultOf(text("called with %s", r.Params.Arguments)), nil
}

func logging(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for _, step := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if err := r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: step}); err != nil {
			return nil, err
		}
		time.Sleep(50 * time.Millisecond)
	}
	return resultOf(text("Tool with logging executed successfully")), nil
}

func progress(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	token := r.Params.GetProgressToken()
	for _, p := range []float64{0, 50, 100} {
		if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: p,
			Total: 100}); err != nil {
			return nil, err
		}
		time.Sleep(50 * time.Millisecond)
	}
	return resultOf(text("%v", token)), nil
}

func missingCapability(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if caps := r.ClientCapabilities(); caps != nil && caps.Sampling != nil {
		return resultOf(text("the client can sample")), nil
	}
	data, err := json.Marshal(mcp.MissingRequiredClientCapabilityData{
		RequiredCapabilities: &mcp.ClientCapabilities{Sampling: &mcp.SamplingCapabilities{}}})
	if err != nil {
		return nil, err
	}
	return nil, &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities, Message: "the client cannot sample",
		Data: data}
}

func sampling(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in struct{ Prompt string }
	if err := json.Unmarshal(r.Params.Arguments, &in); err != nil {
		return nil, err
	}
	got, err := r.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 100,
		Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: in.Prompt}}}})
	if err != nil {
		return nil, err
	}
	answer, _ := got.Content.(*mcp.TextContent)
	return resultOf(text("LLM response: %s", answer.Text)), nil
}

func eliciting(schema string) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in struct{ Message string }
		_ = json.Unmarshal(r.Params.Arguments, &in) // two of the three have no message
		got, err := r.Session.Elicit(ctx,
			&mcp.ElicitParams{Message: in.Message + " ", RequestedSchema: json.RawMessage(schema)})
		if err != nil {
			return nil, err
		}
		return resultOf(text("Elicitation result: action=%s, content=%v", got.Action, got.Content)), nil
	}
}

func (s server) addResources() {
	add := func(uri, mime string, c mcp.ResourceContents) {
		c.URI, c.MIMEType = uri, mime
		s.AddResource(&mcp.Resource{URI: uri, Name: strings.TrimPrefix(uri, "test://"), MIMEType: mime,
			Description: "A fixture of the conformance suite."},
			func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				held := c
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{&held}}, nil
			})
	}
	add("test://static-text", "text/plain", mcp.ResourceContents{Text: "This is the content of the static text resource."})
	add("test://static-binary", "image/png", mcp.ResourceContents{Blob: bytesOf(redPixel)})
	add("test://watched-resource", "text/plain", mcp.ResourceContents{Text: "Watched resource content"})
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "template",
		MIMEType: "application/json", Description: "A fixture of the conformance suite."},
		func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(r.Params.URI, "test://template/"), "/data")
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, MIMEType: "application/json",
				Text: fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id, id)}}}, nil
		})
}

func (s server) prompt(name string, arguments []string, run func(map[string]string) []mcp.Content) {
	p := &mcp.Prompt{Name: name, Description: "A fixture of the conformance suite."}
	for _, a := range arguments {
		p.Arguments = append(p.Arguments, &mcp.PromptArgument{Name: a, Description: "An argument.", Required: true})
	}
	s.AddPrompt(p, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		result := &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{}}
		for _, c := range run(r.Params.Arguments) {
			result.Messages = append(result.Messages, &mcp.PromptMessage{Role: "user", Content: c})
		}
		return result, nil
	})
}

func (s server) addPrompts() {
	s.prompt("test_simple_prompt", nil, func(map[string]string) []mcp.Content {
		return []mcp.Content{text("This is a simple prompt for testing.")}
	})
	s.prompt("test_prompt_with_arguments", []string{"arg1", "arg2"}, func(in map[string]string) []mcp.Content {
		return []mcp.Content{text("Prompt with arguments: arg1='%s', arg2='%s'", in["arg1"], in["arg2"])}
	})
	s.prompt("test_prompt_with_embedded_resource", []string{"resourceUri"}, func(in map[string]string) []mcp.Content {
		return []mcp.Content{embedded(in["resourceUri"], "Embedded resource content for testing."),
			text("Please process the embedded resource above.")}
	})
	s.prompt("test_prompt_with_image", nil, func(map[string]string) []mcp.Content {
		return []mcp.Content{&mcp.ImageContent{Data: bytesOf(redPixel), MIMEType: "image/png"},
			text("Please analyze the image above.")}
	})
	s.AddPrompt(&mcp.Prompt{Name: "test_input_required_result_prompt",
		Description: "A fixture of the conformance suite."}, inputPrompt)
}
