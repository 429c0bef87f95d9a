package tools

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/wirejson"
)

// maxAnswer is the size limit of an answer in bytes, about 10,000 tokens, so that no client cuts
// or refuses it. A longer answer ends after an item and says how to read the rest.
const maxAnswer = 40_000

// An Answer is the outcome of a tool call: a text for models and the same facts as JSON for
// programs. Both are kept encoded, in segments that answers share, so that building one copies
// nothing.
type Answer struct {
	text       segments // the inside of a JSON string: escaped, without the quotes
	structured segments // a JSON object, or nil
	meta       []byte   // members of _meta without the braces, or nil

	Failed bool // the answer explains what was wrong with the call (isError)
}

// segments are bytes in the order in which they are written. They are never modified.
type segments [][]byte

func (ss segments) appendTo(dst []byte) []byte {
	for _, s := range ss {
		dst = append(dst, s...)
	}
	return dst
}

// newAnswer returns an answer with a text, not yet escaped, and its JSON.
func newAnswer(text string, structured []byte) *Answer {
	return &Answer{text: segments{wirejson.AppendEscaped(nil, text)}, structured: segments{structured}}
}

// newFailure returns an answer that explains what was wrong with the call.
func newFailure(text string) *Answer {
	return &Answer{text: segments{wirejson.AppendEscaped(nil, text)}, Failed: true}
}

// TimedOut returns the answer to a call that took too long.
func TimedOut() *Answer {
	return newFailure("The call timed out. Narrow it, with a filter or a smaller limit, or try again later.")
}

// Append appends the answer as the result of tools/call. The members that only one era of the
// protocol has come from the caller: more holds members of the result, meta members of its _meta,
// both without braces or leading commas, and both may be empty.
func (a *Answer) Append(dst []byte, more, meta string) []byte {
	dst = append(dst, `{"content":[{"type":"text","text":"`...)
	dst = a.text.appendTo(dst)
	dst = append(dst, `"}]`...)
	if a.structured != nil {
		dst = append(dst, `,"structuredContent":`...)
		dst = a.structured.appendTo(dst)
	}
	if a.Failed {
		dst = append(dst, `,"isError":true`...)
	}
	if len(a.meta) > 0 || meta != "" {
		dst = append(dst, `,"_meta":{`...)
		dst = append(dst, a.meta...)
		if len(a.meta) > 0 && meta != "" {
			dst = append(dst, ',')
		}
		dst = append(dst, meta...)
		dst = append(dst, '}')
	}
	if more != "" {
		dst = append(dst, ',')
		dst = append(dst, more...)
	}
	return append(dst, '}')
}

// Result returns the answer as a result of the SDK, a new one on each call, because the SDK
// writes into the results it receives.
func (a *Answer) Result() (*mcp.CallToolResult, error) {
	text, err := unescape(a.text.appendTo(nil))
	if err != nil {
		return nil, err
	}
	r := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: a.Failed}
	if a.structured != nil {
		r.StructuredContent = json.RawMessage(a.structured.appendTo(nil))
	}
	if len(a.meta) > 0 {
		if err := json.Unmarshal([]byte("{"+string(a.meta)+"}"), &r.Meta); err != nil {
			return nil, err
		}
	}
	return r, nil
}
