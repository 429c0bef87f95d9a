package mcpserver

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
	"go.almanac.example/tools"
)

// modernVersion is the protocol in which each request is complete in itself. Versions are dates
// and compare as such.
const modernVersion = "2026-07-28"

// The headers of the protocol, in the form in which net/http keeps them.
const (
	versionHeader = "Mcp-Protocol-Version"
	methodHeader  = "Mcp-Method"
	nameHeader    = "Mcp-Name"
)

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
	"initialize":                {legacyOnly, paramsOf[mcp.InitializeParams]()},
	"ping":                      {legacyOnly, nil},
	"logging/setLevel":          {legacyOnly, paramsOf[struct{ Level string }]()},
	"resources/subscribe":       {legacyOnly, paramsOf[mcp.SubscribeParams]()},
	"resources/unsubscribe":     {legacyOnly, paramsOf[mcp.UnsubscribeParams]()},
	"server/discover":           {modernOnly, nil},
	"subscriptions/listen":      {modernOnly, paramsOf[mcp.SubscriptionsListenParams]()},
	"completion/complete":       {bothEras, paramsOf[mcp.CompleteParams]()},
	"prompts/get":               {bothEras, paramsOf[mcp.GetPromptParams]()},
	"prompts/list":              {bothEras, nil},
	"resources/list":            {bothEras, nil},
	"resources/read":            {bothEras, paramsOf[mcp.ReadResourceParams]()},
	"resources/templates/list":  {bothEras, nil},
	"tools/call":                {bothEras, paramsOf[mcp.CallToolParamsRaw]()},
	"tools/list":                {bothEras, nil},
	tools.ListSkills:            {bothEras, nil},
	tools.GetSkill:              {bothEras, paramsOf[tools.GetSkillParams]()},
	tools.ListEvents:            {bothEras, nil},
	tools.PollEvents:            {bothEras, paramsOf[tools.PollEventsParams]()},
	"notifications/initialized": {}, "notifications/cancelled": {}, "notifications/progress": {},
	"notifications/roots/list_changed": {},
}

// protocolVersion reads the header. A client that sends none is of the oldest era, or is about to
// initialize.
func protocolVersion(h http.Header) (string, *refusal) {
	values := h[versionHeader]
	if len(values) == 0 {
		return "", nil
	}
	supported := mcp.SupportedProtocolVersions()
	if len(values) == 1 && slices.Contains(supported, values[0]) {
		return values[0], nil
	}
	return "", &refusal{status: http.StatusBadRequest, err: problem.RPCError{
		Code: mcp.CodeUnsupportedProtocolVersion, Message: "unsupported protocol version",
		Data: mcp.UnsupportedProtocolVersionData{Supported: supported, Requested: fmt.Sprintf("%.40s", values[0])}}}
}

// checkMessage refuses messages that the SDK accepts and should not, and those that it refuses in words that callers
// should not see.
func checkMessage(h http.Header, m message) *refusal {
	version, f := protocolVersion(h)
	if f != nil {
		return f
	}
	modern := version >= modernVersion
	if m.method == "" {
		if modern { // a server of this era asks nothing
			return invalidRequest("this server sends no requests, so it takes no responses")
		}
		return accepted
	}
	spec, exists := methods[m.method]
	notification := strings.HasPrefix(m.method, "notifications/")
	switch {
	case m.id == nil && !exists:
		return accepted
	case m.id == nil && notification:
		return checkNotification(m, modern)
	case m.id == nil:
		return invalidRequest(m.method + " is a request and needs an id")
	case notification:
		return invalidRequest(m.method + " is a notification and must not have an id")
	case !exists || spec.era == legacyOnly && modern || spec.era == modernOnly && !modern && !hasModernMeta(m.params):
		return unknownMethod(m.method, modern)
	}
	return checkParams(m, spec, modern)
}

// checkNotification refuses a notification whose params the protocol does not allow. It has no id
// under which an error could be answered, so the status of HTTP says that it was refused.
func checkNotification(m message, modern bool) *refusal {
	f := checkParams(m, method{}, modern)
	if f != nil {
		f.status = http.StatusBadRequest
		return f
	}
	if modern {
		return accepted
	}
	return nil
}

// unknownMethod has the status of its era: 404 since 2026, and before that 200, with which clients
// of that time read the error.
func unknownMethod(name string, modern bool) *refusal {
	f := &refusal{status: http.StatusOK,
		err: problem.RPCError{Code: jsonrpc.CodeMethodNotFound, Message: fmt.Sprintf("unknown method %.60q", name)}}
	if modern {
		f.status = http.StatusNotFound
	}
	return f
}

func hasModernMeta(params []byte) bool {
	meta := member(params, "_meta")
	return isObject(meta) && member(meta, mcp.MetaKeyProtocolVersion) != nil
}

// checkParams checks the form of the params.
func checkParams(m message, spec method, modern bool) *refusal {
	invalid := func(format string, a ...any) *refusal {
		f := &refusal{status: http.StatusOK,
			err: problem.RPCError{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, a...)}}
		if modern {
			f.status = http.StatusBadRequest
		}
		return f
	}
	switch {
	case m.params == nil && spec.params == nil:
		return nil
	case m.params == nil:
		return invalid("%s needs params", m.method)
	case !isObject(m.params):
		return invalid("params of %s must be an object", m.method)
	}
	switch name, value := tooLong(m); {
	case name == "uri": // as of any other address that does not exist
		var uri string
		_ = json.Unmarshal(value, &uri) // the SDK would refuse what is no string
		f := invalid("Resource not found")
		f.err.Data = map[string]string{"uri": strings.ToValidUTF8(uri[:min(len(uri), maxURI)], "")}
		return f
	case name != "":
		return invalid("%s is too long", name)
	}
	meta := member(m.params, "_meta")
	if meta != nil && !isObject(meta) && string(meta) != "null" {
		return invalid("_meta must be an object")
	}
	for _, object := range [...][]byte{m.params, meta} {
		if !isObject(object) {
			continue
		}
		if err := checkMembers(object); err != nil {
			return invalid("params of %s: %v", m.method, err)
		}
	}
	into := any(new(mcp.ListToolsParams)) // the lists accept a cursor and nothing else
	if spec.params != nil {
		into = spec.params()
	}
	if exactJSON(m.params, into) == nil {
		return nil
	}
	var wrong *json.UnmarshalTypeError
	if err := json.Unmarshal(m.params, into); errors.As(err, &wrong) && wrong.Field != "" {
		return invalid("params of %s: %s must not be of type %s", m.method, wrong.Field, wrong.Value)
	}
	return invalid("params of %s do not have the form that the protocol defines", m.method)
}

// The size limits of members of params in bytes. What a client says of itself has none but that of the message.
const (
	maxMember = 4 << 10
	maxURI    = 2 << 10
)

// tooLong returns a member of the params that is longer than anything sensible, or "". The arguments of a tool have a
// limit of their own, which is explained to the model.
func tooLong(m message) (long string, found []byte) {
	eachMember(m.params, func(name string, value []byte) bool {
		most := maxMember
		switch name {
		case "_meta", "capabilities", "clientInfo":
			return true
		case "arguments":
			if m.method == "tools/call" {
				return true
			}
		case "uri", "name":
			most = maxURI
		}
		if len(value) > most {
			long, found = strings.ToValidUTF8(name[:min(len(name), 40)], ""), value
		}
		return found == nil
	})
	return long, found
}

// exactJSON decodes as the SDK does: encoding/json would take the member "Name" for "name".
func exactJSON(b []byte, v any) error {
	_, err := segmentjson.Parse(b, v, segmentjson.DontMatchCaseInsensitiveStructFields)
	return err
}
