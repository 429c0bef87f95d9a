package tools

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxAnswer is the most bytes an answer may have, so that no client cuts or refuses it: about
// 10,000 tokens. Answers that would be larger are cut at an item and say how to get the rest.
const maxAnswer = 40_000

// An Answer is what a tool says: a text for models and the same facts as JSON for programs. Both
// are kept encoded, in segments that answers share, so that making one copies nothing.
type Answer struct {
	text       segments // the inside of a JSON string: escaped, without the quotes
	structured segments // a JSON object, or nothing
	meta       []byte   // members of _meta, without the braces; or nothing
	failed     bool     // isError
}

// segments are bytes in the order in which they are written. They are never changed.
type segments [][]byte

func (ss segments) appendTo(dst []byte) []byte {
	for _, s := range ss {
		dst = append(dst, s...)
	}
	return dst
}

// answer makes an answer of a text, not yet escaped, and its JSON.
func answer(text string, structured []byte) *Answer {
	return &Answer{text: segments{appendEscaped(nil, text)}, structured: segments{structured}}
}

// failure is an answer that tells what the caller did wrong.
func failure(text string) *Answer {
	return &Answer{text: segments{appendEscaped(nil, text)}, failed: true}
}

// Append appends the answer as the result of tools/call. The members that only one era of the
// protocol has come from the caller: more are members of the result, meta of its _meta, both
// without braces and without leading commas, and both may be empty.
func (a *Answer) Append(dst []byte, more, meta string) []byte {
	dst = append(dst, `{"content":[{"type":"text","text":"`...)
	dst = a.text.appendTo(dst)
	dst = append(dst, `"}]`...)
	if a.structured != nil {
		dst = append(dst, `,"structuredContent":`...)
		dst = a.structured.appendTo(dst)
	}
	if a.failed {
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

// result gives the answer as a result of the SDK. It is a new one each time: the SDK writes into
// the results it is given.
func (a *Answer) result() (*mcp.CallToolResult, error) {
	text, err := unescape(a.text.appendTo(nil))
	if err != nil {
		return nil, err
	}
	r := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: a.failed}
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

func unescape(text []byte) (string, error) {
	var s string
	err := json.Unmarshal([]byte(`"`+string(text)+`"`), &s)
	return s, err
}

// A piece is a fragment of an answer in its two forms: JSON, and the text beside it, escaped.
type piece struct{ json, text []byte }

func (p piece) size() int { return len(p.json) + len(p.text) }

// same makes a piece whose text is the JSON itself.
func same(json string) piece { return piece{[]byte(json), appendEscaped(nil, json)} }

// A twin is an answer in the making whose text is the structured answer itself, which is the one
// form that every client shows to the model complete.
type twin struct {
	json, text segments
	size       int
}

func newTwin(pieces int) *twin {
	return &twin{json: make(segments, 0, pieces), text: make(segments, 0, pieces)}
}

func (w *twin) raw(s string) { w.piece(same(s)) }

func (w *twin) value(v any) { w.raw(string(encode(v))) }

func (w *twin) piece(p piece) {
	w.json, w.text = append(w.json, p.json), append(w.text, p.text)
	w.size += p.size()
}

func (w *twin) twin(other *twin) {
	w.json, w.text = append(w.json, other.json...), append(w.text, other.text...)
	w.size += other.size
}

// omits says what was left out to keep the answer small, if anything was.
func (w *twin) omits(ids []string) {
	if ids != nil {
		w.raw(`,"omitted":`)
		w.value(ids)
		w.raw(`,"truncated":true`)
	}
}

func (w *twin) answer() *Answer { return &Answer{text: w.text, structured: w.json} }

// encode encodes a value of our own without escaping < > &, which URLs are full of.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("tools: a value of ours does not encode: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

const hexDigits = "0123456789abcdef"

// appendEscaped appends s as the inside of a JSON string. Bytes that are not UTF-8 become U+FFFD.
func appendEscaped(dst []byte, s string) []byte {
	start := 0
	for i := 0; i < len(s); {
		b := s[i]
		if b >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[start:i]...), "\ufffd"...)
				start = i + 1
			}
			i += n
			continue
		}
		if b >= ' ' && b != '"' && b != '\\' {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		switch b {
		case '"', '\\':
			dst = append(dst, '\\', b)
		case '\n':
			dst = append(dst, '\\', 'n')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[b>>4], hexDigits[b&15])
		}
		i++
		start = i
	}
	return append(dst, s[start:]...)
}
