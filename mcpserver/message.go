package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	segmentjson "github.com/segmentio/encoding/json"

	"go.almanac.example/internal/problem"
)

// A message is one JSON-RPC message, parsed no further than the checks need. Its parts point into
// the body.
type message struct {
	id     []byte // nil: a notification or a response
	method string // "": a response
	params []byte // nil: none
}

const (
	maxID  = 256 // bytes of a string id
	maxInt = 1<<53 - 1

	maxDepth = 1_000 // of nesting
)

// The refusals of a body that is not a message.
var (
	badSyntax = &refusal{status: http.StatusBadRequest,
		err: problem.RPCError{Code: jsonrpc.CodeParseError, Message: "the body is not valid JSON in UTF-8"}}
	badBatch  = invalidRequest("batches are not supported; send one message a request")
	badID     = invalidRequest("id must be a string of at most 256 bytes or an integer between -(2^53-1) and 2^53-1")
	badShape  = invalidRequest(`the body must be a JSON-RPC 2.0 message: {"jsonrpc":"2.0","id":1,"method":"…","params":{…}}`)
	badRepeat = invalidRequest("a member of the message is given twice")
)

// parse reads a body that must be exactly one JSON-RPC message. Names of members are compared
// exactly, as JSON has them. A refused message has its id if that can be read.
func parse(body []byte) (message, *refusal) {
	if !utf8.Valid(body) || !json.Valid(body) {
		return message{}, badSyntax
	}
	object := bytes.TrimLeft(body, jsonSpace)
	for t := segmentjson.NewTokenizer(object); t.Next(); {
		if t.Depth > maxDepth {
			return message{}, badSyntax
		}
	}
	switch object[0] {
	case '[':
		return message{}, badBatch
	case '{':
		return members(object)
	}
	return message{}, badSyntax
}

// messageMembers are the members of a message that its checks need. It must have one of the last three.
var messageMembers = []string{"jsonrpc", "id", "params", "method", "result", "error"}

// members parses a message whose syntax is valid.
func members(object []byte) (message, *refusal) {
	parts := make(map[string][]byte, len(messageMembers))
	once := eachMember(object, func(name string, value []byte) bool {
		if parts[name] != nil {
			return false
		}
		if slices.Contains(messageMembers, name) {
			parts[name] = value
		}
		return true
	})
	m := message{id: parts["id"], params: parts["params"]}
	switch {
	case !once:
		return message{}, badRepeat
	case m.id != nil && !validID(m.id):
		return message{}, badID
	case string(parts["jsonrpc"]) != `"2.0"`:
		return m, badShape
	}
	method, result, fault := parts["method"], parts["result"], parts["error"]
	switch {
	case method == nil && (result == nil) != (fault == nil):
		return message{}, nil // the id is one of the other side's
	case method == nil || result != nil || fault != nil || json.Unmarshal(method, &m.method) != nil || m.method == "":
		return m, badShape
	}
	if string(m.params) == "null" {
		m.params = nil // as the SDK has it
	}
	return m, nil
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

// eachMember calls f with the members of an object whose syntax is valid, until f returns false. It
// reports whether it reached the end. Names are unescaped, values raw.
func eachMember(object []byte, f func(name string, value []byte) bool) bool {
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

// isObject reports whether a value whose syntax is valid is an object.
func isObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }

// member returns a member of an object, or nil.
func member(object []byte, name string) (found []byte) {
	if isObject(object) {
		eachMember(object, func(n string, value []byte) bool {
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
	eachMember(object, func(name string, _ []byte) bool {
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
