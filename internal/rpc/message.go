// Package rpc reads and checks the messages of MCP, for HTTP and for the lines of a program's input alike.
package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	segmentjson "github.com/segmentio/encoding/json"

	"go.almanac.example/internal/problem"
)

// A Message is one JSON-RPC message, parsed no further than the checks need. Its parts point into the text.
type Message struct {
	Text   []byte
	ID     []byte   // nil: a notification or a response
	Method string   // "": a response
	Params []byte   // nil: none
	Fault  *Refusal // nil: the message is well formed
}

// A Refusal is a JSON-RPC error with the status that it has over HTTP.
type Refusal struct {
	Status int
	Err    problem.RPCError
	Wait   time.Duration // until it is worth asking again; 0 is not known
}

// refuse returns a refusal with an error of JSON-RPC.
func refuse(status int, code int64, message string) *Refusal {
	return &Refusal{Status: status, Err: problem.RPCError{Code: code, Message: message}}
}

// Accepted answers a message that needs no answer and is dropped.
var Accepted = &Refusal{Status: http.StatusAccepted}

// InvalidRequest refuses a message that JSON-RPC or the protocol does not allow.
func InvalidRequest(message string) *Refusal {
	return refuse(http.StatusBadRequest, jsonrpc.CodeInvalidRequest, message)
}

const (
	maxID  = 256 // bytes of a string id
	maxInt = 1<<53 - 1

	maxDepth = 1_000 // of nesting
	maxBatch = 20    // messages
)

// The refusals of a text that is not a message.
var (
	badSyntax = refuse(http.StatusBadRequest, jsonrpc.CodeParseError, "the message is not valid JSON in UTF-8")
	badBatch  = InvalidRequest("batches exist in protocol version 2025-03-26 alone; send one message at a time")
	badLength = InvalidRequest(fmt.Sprintf("a batch has 1 to %d messages", maxBatch))
	badID     = InvalidRequest("id must be a string of at most 256 bytes or an integer between -(2^53-1) and 2^53-1")
	badShape  = InvalidRequest(`the message must be one of JSON-RPC 2.0: {"jsonrpc":"2.0","id":1,"method":"…","params":{…}}`)
	badRepeat = InvalidRequest("a member of the message is given twice")
)

// emptyList matches an empty list in the place of an object: PHP writes an object without members as one. A text has no
// quotation mark that is not escaped, so that it does not match within one.
var emptyList = regexp.MustCompile(`("(?:params|arguments|_meta|capabilities|experimental|extensions|roots|sampling|elicitation|tasks)"\s*:\s*)\[\]`)

// Read returns the message of a text, or those of a batch, which the version of the protocol must allow ("" is one
// that does not say). A message that is refused has its id if that can be read. A byte order mark is no part of the text.
func Read(text []byte, version string) (messages []Message, batch bool) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if bytes.Contains(text, []byte("[]")) {
		text = emptyList.ReplaceAll(text, []byte(`$1{}`))
	}
	if !utf8.Valid(text) || !json.Valid(text) {
		return []Message{{Fault: badSyntax}}, false
	}
	text = bytes.Trim(text, jsonSpace)
	for t := segmentjson.NewTokenizer(text); t.Next(); {
		if t.Depth > maxDepth {
			return []Message{{Fault: badSyntax}}, false
		}
	}
	if text[0] != '[' {
		return []Message{parse(text)}, false
	}
	var items []json.RawMessage
	if version != "" && version != batchVersion {
		return []Message{{Fault: badBatch}}, false
	}
	if err := json.Unmarshal(text, &items); err != nil || len(items) == 0 || len(items) > maxBatch {
		return []Message{{Fault: badLength}}, false
	}
	for _, item := range items {
		messages = append(messages, parse(item))
	}
	return messages, true
}

// messageMembers are the members of a message that its checks need. It must have one of the last three.
var messageMembers = []string{"jsonrpc", "id", "params", "method", "result", "error"}

// parse reads a message whose syntax is valid. Names of members are compared exactly, as JSON has them.
func parse(text []byte) Message {
	if !IsObject(text) {
		return Message{Fault: badSyntax}
	}
	parts := make(map[string][]byte, len(messageMembers))
	once := EachMember(text, func(name string, value []byte) bool {
		if parts[name] != nil {
			return false
		}
		if slices.Contains(messageMembers, name) {
			parts[name] = value
		}
		return true
	})
	m := Message{Text: text, ID: parts["id"], Params: parts["params"]}
	method, result, fault := parts["method"], parts["result"], parts["error"]
	switch {
	case !once:
		return Message{Text: text, Fault: badRepeat}
	case method == nil && (result == nil) != (fault == nil):
		return Message{Text: text} // the id is the other side's; an answer to an answer would never end
	case m.ID != nil && !validID(m.ID):
		return Message{Text: text, Fault: badID}
	case string(parts["jsonrpc"]) != `"2.0"`:
		m.Fault = badShape
	case method == nil || result != nil || fault != nil || json.Unmarshal(method, &m.Method) != nil || m.Method == "":
		m.Fault = badShape
	case string(m.Params) == "null":
		m.Params = nil // as the SDK has it
	}
	return m
}

// validID reports whether an id can be returned exactly as it came. Integers beyond those that a
// float64 holds are read differently by different parsers (RFC 8259, section 6), the SDK's among them.
func validID(raw []byte) bool {
	if raw[0] != '"' {
		n, err := strconv.ParseInt(string(raw), 10, 64)
		return err == nil && n <= maxInt && n >= -maxInt && strconv.FormatInt(n, 10) == string(raw)
	}
	if len(raw)-2 > maxID {
		return false
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return true
	}
	var s string
	return json.Unmarshal(raw, &s) == nil && !bytes.ContainsRune([]byte(s), utf8.RuneError)
}

// jsonSpace is the white space of JSON.
const jsonSpace = " \t\r\n"

// EachMember calls f with the members of an object whose syntax is valid, until f returns false. It
// reports whether it reached the end. Names are unescaped, values raw.
func EachMember(object []byte, f func(name string, value []byte) bool) bool {
	var name string
	var value segmentjson.RawMessage
	for rest := object[1:]; ; {
		if rest = bytes.TrimLeft(rest, jsonSpace+","); rest[0] == '}' {
			return true
		}
		rest, _ = segmentjson.Parse(rest, &name, segmentjson.ZeroCopy)
		rest, _ = segmentjson.Parse(bytes.TrimLeft(rest, jsonSpace+":"), &value, segmentjson.ZeroCopy)
		if !f(name, value) {
			return false
		}
	}
}

// IsObject reports whether a value whose syntax is valid is an object.
func IsObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }

// Member returns a member of an object, or nil.
func Member(object []byte, name string) (found []byte) {
	if IsObject(object) {
		EachMember(object, func(n string, value []byte) bool {
			if n == name {
				found = value
			}
			return true
		})
	}
	return found
}

const maxMembers = 100 // of an object whose names the protocol defines

// checkMembers returns an error for an object in which a name appears twice, or with too many names.
func checkMembers(object []byte) error {
	seen := make(map[string]bool)
	var err error
	EachMember(object, func(name string, _ []byte) bool {
		switch {
		case seen[name]:
			err = fmt.Errorf("the member %.40q appears twice", name)
		case len(seen) == maxMembers:
			err = fmt.Errorf("there are more than %d members", maxMembers)
		}
		seen[name] = true
		return err == nil
	})
	return err
}
