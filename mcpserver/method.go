package mcpserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// modernVersion is the protocol in which each request says all about itself. Version names are
// dates and compare as such.
const modernVersion = "2026-07-28"

// The headers of the protocol, in the form in which net/http keeps them.
const (
	versionHeader = "Mcp-Protocol-Version"
	methodHeader  = "Mcp-Method"
	nameHeader    = "Mcp-Name"
)

// An era is a group of methods of the protocol.
type era int

const (
	bothEras era = iota
	legacyOnly
	modernOnly
)

// A method is a request that the SDK serves.
type method struct {
	era    era
	params func() any // decodes what it takes; nil: it can do without
}

func of[T any]() func() any { return func() any { return new(T) } }

// methods are the requests there are. The forms of their params are the SDK's own, looked at here
// because the SDK tells Go types in its refusals.
var methods = map[string]method{
	"initialize":                {legacyOnly, of[mcp.InitializeParams]()},
	"ping":                      {legacyOnly, nil},
	"logging/setLevel":          {legacyOnly, of[struct{ Level string }]()},
	"resources/subscribe":       {legacyOnly, of[mcp.SubscribeParams]()},
	"resources/unsubscribe":     {legacyOnly, of[mcp.UnsubscribeParams]()},
	"server/discover":           {modernOnly, nil},
	"subscriptions/listen":      {modernOnly, of[mcp.SubscriptionsListenParams]()},
	"completion/complete":       {bothEras, of[mcp.CompleteParams]()},
	"prompts/get":               {bothEras, of[mcp.GetPromptParams]()},
	"prompts/list":              {bothEras, nil},
	"resources/list":            {bothEras, nil},
	"resources/read":            {bothEras, of[mcp.ReadResourceParams]()},
	"resources/templates/list":  {bothEras, nil},
	"tools/call":                {bothEras, of[mcp.CallToolParamsRaw]()},
	"tools/list":                {bothEras, nil},
	"notifications/initialized": {}, "notifications/cancelled": {}, "notifications/progress": {},
	"notifications/roots/list_changed": {},
}

// known gives the method and the tool of a message for records, where made-up names have no place.
func (s *Server) known(m message) (method, tool string) {
	const madeUp = "other"
	if _, ok := methods[m.method]; !ok && m.method != "" {
		return madeUp, ""
	}
	if m.method != "tools/call" {
		return m.method, ""
	}
	var name string
	if json.Unmarshal(member(m.params, "name"), &name) != nil || !s.tools.Has(name) {
		return m.method, madeUp
	}
	return m.method, name
}

// check looks at a message before it goes to the SDK: at what the SDK would take and should not,
// and at what it refuses in words that callers should not see. The fault 202 is none: what needs
// no answer is dropped.
func (s *Server) check(r *http.Request, m message) *fault {
	version, f := protocolVersion(r.Header)
	if f != nil {
		return f
	}
	modern := version >= modernVersion
	if m.method == "" && !withFixtures {
		if modern { // a server of this era asks nothing, so there is nothing to answer
			return &fault{status: http.StatusBadRequest, code: codeInvalidRequest, message: "this server asks no questions, so it takes no responses"}
		}
		return &fault{status: http.StatusAccepted}
	}
	if m.method == "" {
		return nil // a response to a fixture
	}
	spec, known := methods[m.method]
	notification := isNotification(m.method)
	switch {
	case m.id == nil && (notification || !known):
		if !known || modern {
			return &fault{status: http.StatusAccepted}
		}
	case m.id == nil:
		return &fault{status: http.StatusBadRequest, code: codeInvalidRequest, message: m.method + " is a request and needs an id"}
	case notification:
		return &fault{status: http.StatusBadRequest, code: codeInvalidRequest, message: m.method + " is a notification and has no id"}
	case !known || spec.era == legacyOnly && modern || spec.era == modernOnly && !modern && !hasModernMeta(m.params):
		return unknownMethod(m.method, modern)
	}
	return checkParams(m, spec, modern)
}

func isNotification(method string) bool {
	return len(method) > 14 && method[:14] == "notifications/"
}

// unknownMethod is told with the status of its era: 404 since 2026, and before that 200, with
// which clients of that time read the error.
func unknownMethod(name string, modern bool) *fault {
	f := &fault{status: http.StatusOK, code: codeUnknownMethod, message: fmt.Sprintf("there is no method %.60q here", name)}
	if modern {
		f.status = http.StatusNotFound
	}
	return f
}

// protocolVersion reads the header. Without one the client is of the oldest era or is beginning.
func protocolVersion(h http.Header) (string, *fault) {
	values := h[versionHeader]
	if len(values) == 0 {
		return "", nil
	}
	supported := mcp.SupportedProtocolVersions()
	if len(values) == 1 && slices.Contains(supported, values[0]) {
		return values[0], nil
	}
	return "", &fault{status: http.StatusBadRequest, code: codeVersion, message: "unsupported protocol version",
		data: mcp.UnsupportedProtocolVersionData{Supported: supported, Requested: fmt.Sprintf("%.40s", values[0])}}
}

func hasModernMeta(params []byte) bool {
	meta := member(params, "_meta")
	return isObject(meta) && member(meta, mcp.MetaKeyProtocolVersion) != nil
}

// member gives a member of an object, or nil.
func member(object []byte, name string) (found []byte) {
	if isObject(object) {
		eachMember(object, func(n, value []byte) bool {
			if string(n) == name {
				found = value
			}
			return true
		})
	}
	return found
}

// checkParams looks at the form of the params.
func checkParams(m message, spec method, modern bool) *fault {
	bad := func(format string, a ...any) *fault {
		f := &fault{status: http.StatusOK, code: codeInvalidParams, message: fmt.Sprintf(format, a...)}
		if modern {
			f.status = http.StatusBadRequest
		}
		return f
	}
	switch {
	case m.params == nil && spec.params == nil:
		return nil
	case m.params == nil:
		return bad("%s needs params", m.method)
	case !isObject(m.params):
		return bad("params of %s must be an object", m.method)
	}
	if meta := member(m.params, "_meta"); meta != nil && !isObject(meta) {
		return bad("_meta must be an object")
	}
	into := any(new(mcp.ListToolsParams)) // the lists take a cursor and nothing else
	if spec.params != nil {
		into = spec.params()
	}
	err := json.Unmarshal(m.params, into)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong) && wrong.Field != "":
		return bad("params of %s: %s must not be of type %s", m.method, wrong.Field, wrong.Value)
	}
	return bad("params of %s have not the form that the protocol gives them", m.method)
}
