package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	segmentjson "github.com/segmentio/encoding/json"

	"go.almanac.example/internal/problem"
)

// Versions of the protocol. They are dates and compare as such.
const (
	ModernVersion = "2026-07-28" // each request is complete in itself
	batchVersion  = "2025-03-26" // a batch of messages must be received

	lastSessionVersion = "2025-11-25"
)

// VersionHeader names the version of the protocol, in the form in which net/http keeps headers.
const VersionHeader = "Mcp-Protocol-Version"

// An era is a group of protocol versions.
type era int

const (
	bothEras era = iota
	legacyOnly
	modernOnly
)

// A method is a request that the SDK serves.
type method struct {
	era    era
	params func() any // returns a value to decode the params into; nil: they are optional
}

func paramsOf[T any]() func() any { return func() any { return new(T) } }

// methods are all requests. Their params are checked here against the SDK's own types, because the
// SDK names Go types when it refuses them.
var methods = map[string]method{
	"initialize":            {legacyOnly, paramsOf[mcp.InitializeParams]()},
	"ping":                  {legacyOnly, nil},
	"logging/setLevel":      {legacyOnly, paramsOf[struct{ Level string }]()},
	"resources/subscribe":   {legacyOnly, paramsOf[mcp.SubscribeParams]()},
	"resources/unsubscribe": {legacyOnly, paramsOf[mcp.UnsubscribeParams]()},
	"server/discover":       {modernOnly, nil},
	"subscriptions/listen":  {modernOnly, paramsOf[mcp.SubscriptionsListenParams]()},
	"completion/complete":   {bothEras, paramsOf[mcp.CompleteParams]()},
	"prompts/get":           {bothEras, paramsOf[mcp.GetPromptParams]()},
	"resources/read":        {bothEras, paramsOf[mcp.ReadResourceParams]()},
	"tools/call":            {bothEras, paramsOf[mcp.CallToolParamsRaw]()},
	"prompts/list":          {bothEras, nil}, "resources/list": {bothEras, nil}, "resources/templates/list": {bothEras, nil}, "tools/list": {bothEras, nil},
	"notifications/initialized": {}, "notifications/cancelled": {}, "notifications/progress": {}, "notifications/roots/list_changed": {},
}

// Known reports whether there is a method of that name.
func Known(name string) bool { _, ok := methods[name]; return ok }

// Version reads the header. A client that sends none is of the oldest era, or is about to initialize.
func Version(h http.Header) (string, *Refusal) {
	values := h[VersionHeader]
	if strings.Join(values, "") == "" {
		return "", nil
	}
	supported := mcp.SupportedProtocolVersions()
	if len(values) == 1 && slices.Contains(supported, values[0]) {
		return values[0], nil
	}
	return "", &Refusal{Status: http.StatusBadRequest, Err: problem.RPCError{
		Code: mcp.CodeUnsupportedProtocolVersion, Message: "unsupported protocol version",
		Data: mcp.UnsupportedProtocolVersionData{Supported: supported, Requested: fmt.Sprintf("%.40s", values[0])}}}
}

// Check refuses messages that the SDK accepts and should not, and those that it refuses in words that callers should not
// see. version is the header's, or the session's.
func Check(version string, m Message) *Refusal {
	modern := version >= ModernVersion
	if m.Method == "" {
		if modern { // a server of this era asks nothing
			return InvalidRequest("this server sends no requests, so it takes no responses")
		}
		return Accepted
	}
	spec, exists := methods[m.Method]
	notification := strings.HasPrefix(m.Method, "notifications/")
	switch {
	case m.ID == nil && !exists:
		return Accepted
	case m.ID == nil && !notification:
		return InvalidRequest(m.Method + " is a request and needs an id")
	case m.ID != nil && notification:
		return InvalidRequest(m.Method + " is a notification and must not have an id")
	case !exists || spec.era == legacyOnly && modern ||
		spec.era == modernOnly && !modern && Member(Member(m.Params, "_meta"), mcp.MetaKeyProtocolVersion) == nil:
		status := http.StatusOK // with which clients before 2026 read the error
		if modern {
			status = http.StatusNotFound
		}
		return refuse(status, jsonrpc.CodeMethodNotFound, fmt.Sprintf("unknown method %.60q", m.Method))
	}
	f := checkParams(m, spec, modern)
	if f == nil && notification && modern {
		return Accepted
	}
	return f
}

// NotFoundCode is the code of a resource that does not exist.
func NotFoundCode(modern bool) int64 {
	if modern {
		return jsonrpc.CodeInvalidParams
	}
	return -32002
}

// checkParams checks the form of the params. A notification has no id under which an error could be answered, so the
// status of HTTP says that it was refused.
func checkParams(m Message, spec method, modern bool) *Refusal {
	invalid := func(format string, a ...any) *Refusal {
		f := refuse(http.StatusOK, jsonrpc.CodeInvalidParams, fmt.Sprintf(format, a...))
		if modern || m.ID == nil {
			f.Status = http.StatusBadRequest
		}
		return f
	}
	switch {
	case m.Params == nil && spec.params == nil:
		return nil
	case m.Params == nil:
		return invalid("%s needs params", m.Method)
	case !IsObject(m.Params):
		return invalid("params of %s must be an object", m.Method)
	}
	meta := Member(m.Params, "_meta")
	if meta != nil && !IsObject(meta) && string(meta) != "null" {
		return invalid("_meta must be an object")
	}
	for _, object := range [...][]byte{m.Params, meta} {
		if !IsObject(object) {
			continue
		}
		if err := checkMembers(object); err != nil {
			return invalid("params of %s: %v", m.Method, err)
		}
	}
	into := any(new(mcp.ListToolsParams)) // the lists accept a cursor and nothing else
	if spec.params != nil {
		into = spec.params()
	}
	// The SDK decodes so too: encoding/json would take the member "Name" for "name".
	if _, err := segmentjson.Parse(m.Params, into, segmentjson.DontMatchCaseInsensitiveStructFields); err == nil {
		return nil
	}
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](json.Unmarshal(m.Params, into))
	if ok && wrong.Field != "" {
		return invalid("params of %s: %s must not be of type %s", m.Method, wrong.Field, wrong.Value)
	}
	return invalid("params of %s do not have the form that the protocol defines", m.Method)
}
