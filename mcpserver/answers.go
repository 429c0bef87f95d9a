package mcpserver

import (
	"net/http"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/rpc"
)

// repeatable are the methods whose answers depend on the data, the day, the state of payments and the request alone; of
// tools/call, that holds for the free tools.
var repeatable = map[string]bool{
	"initialize": true, "notifications/initialized": true, "ping": true, "server/discover": true,
	"tools/list": true, "prompts/list": true, "resources/list": true, "resources/templates/list": true,
	"tools/call": true, "resources/read": true, "prompts/get": true,
}

// A cachedAnswer is the SDK's answer to a request, without the id. Sessions begin with the same messages and agents ask
// the same questions, so that most requests cost a look-up (docs/figures.md). A flood of different requests does not
// displace those that are repeated.
type cachedAnswer struct {
	status int
	tail   []byte // the result and the end of the message, unless the status is 202
}

// The bounds of the cache: at most 16 MB.
const (
	maxAnswers    = 256
	maxAnswerSize = 64 << 10
	maxKey        = 2 << 10
)

// answerKey returns all that the answer to a message that passed its checks depends on, or "" if it cannot be
// remembered: the day, the method, the params, and the headers in which a request of the 2026
// protocol repeats them. Of _meta it has the members of the protocol, since clients add members of their own that
// differ from call to call.
func answerKey(day catalog.Date, h http.Header, m rpc.Message) string {
	if !repeatable[m.Method] || len(m.Params) > maxKey {
		return ""
	}
	var buf [1 << 10]byte
	key := append(append(append(buf[:0], day...), m.Method...), 0)
	if m.ID != nil {
		key = append(key, '?')
	}
	for _, name := range [...]string{rpc.VersionHeader, methodHeader, nameHeader} {
		key = append(append(key, h.Get(name)...), 0)
	}
	add := func(name string, value []byte) bool {
		key = append(append(append(append(key, name...), 0), value...), 0)
		return true
	}
	if m.Params != nil {
		rpc.EachMember(m.Params, func(name string, value []byte) bool {
			if name != "_meta" || !rpc.IsObject(value) {
				return add(name, value)
			}
			return rpc.EachMember(value, func(name string, value []byte) bool {
				return !strings.HasPrefix(name, protocolMeta) || add(name, value)
			})
		})
	}
	return string(key)
}

// The headers in which a request of the 2026 protocol repeats itself, in the form in which net/http keeps them.
const (
	methodHeader = "Mcp-Method"
	nameHeader   = "Mcp-Name"
)

// protocolMeta begins the members of _meta that the protocol defines.
const protocolMeta = "io.modelcontextprotocol/"

// write answers a request as the SDK answered the first of its kind.
func (a *cachedAnswer) write(res *response, id []byte) {
	res.status = a.status
	if a.status == http.StatusAccepted {
		return
	}
	h := res.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-cache, no-transform") // how long a resource may be stored is in its result
	res.body.WriteString(`{"jsonrpc":"2.0","id":`)
	res.body.Write(id)
	res.body.WriteString(`,"result":`)
	res.tail = a.tail
}
