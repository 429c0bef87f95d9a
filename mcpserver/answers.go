package mcpserver

import (
	"net/http"
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"almanac/catalog"
	"almanac/tools"
)

// repeatable are the methods whose answers depend on the data, the day, the state of payments and the request alone; of
// tools/call, that holds for the free tools.
var repeatable = map[string]bool{
	"initialize": true, "notifications/initialized": true, "ping": true, "server/discover": true,
	"tools/list": true, "prompts/list": true, "resources/list": true, "resources/templates/list": true,
	"tools/call": true, "resources/read": true, "prompts/get": true, "completion/complete": true,
	tools.ListEvents: true, tools.PollEvents: true,
}

// An answerCache remembers the SDK's answers, without the ids of the requests. Sessions begin with the same messages
// and agents ask the same questions, so that most requests cost a look-up (docs/figures.md). A flood of
// different requests does not displace those that are repeated.
type answerCache struct {
	byRequest *lru.TwoQueueCache[string, *cachedAnswer]
}

type cachedAnswer struct {
	status int
	result []byte // nil: the answer has no body
}

// The bounds of the cache: at most 16 MB.
const (
	maxAnswers    = 256
	maxAnswerSize = 64 << 10
	maxKey        = 2 << 10
	maxForeign    = 8 // members of _meta
)

func newAnswerCache() answerCache {
	byRequest, _ := lru.New2Q[string, *cachedAnswer](maxAnswers) // a size above 0
	return answerCache{byRequest}
}

// answerKey returns all that the answer to a message depends on, or "" if it cannot be remembered: the day, the state
// of payments, the method, the params, and the headers in which a request of the 2026 protocol repeats them. Of _meta
// it has the members of the protocol, since clients add members of their own that differ from call to call.
func answerKey(day catalog.Date, payments catalog.Payments, h http.Header, m message) string {
	if !repeatable[m.method] || len(m.params) > maxKey || m.params != nil && !isObject(m.params) {
		return ""
	}
	var buf [1 << 10]byte
	key := append(append(append(append(buf[:0], day...), byte(payments)), m.method...), 0)
	if m.id != nil {
		key = append(key, '?')
	}
	for _, name := range [...]string{versionHeader, methodHeader, nameHeader} {
		values := h[name]
		if len(values) > 1 {
			return ""
		}
		key = append(append(key, strings.Join(values, "")...), 0)
	}
	var foreign []string
	add := func(name, value []byte) bool {
		key = append(append(append(append(key, name...), 0), value...), 0)
		return true
	}
	if m.params != nil {
		ok := eachMember(m.params, func(name, value []byte) bool {
			if string(name) != "_meta" || !isObject(value) {
				return add(name, value)
			}
			return eachMember(value, func(name, value []byte) bool {
				if strings.HasPrefix(string(name), protocolMeta) {
					return add(name, value)
				}
				foreign = append(foreign, string(name))
				return len(foreign) <= maxForeign && !slices.Contains(foreign[:len(foreign)-1], string(name))
			})
		})
		if !ok { // the checks refuse a name that is given twice
			return ""
		}
	}
	return string(key)
}

// protocolMeta begins the members of _meta that the protocol defines.
const protocolMeta = "io.modelcontextprotocol/"

// remember stores the SDK's answer to a request, unless it is an error or large.
func (c answerCache) remember(key string, status int, body, result []byte) {
	if status == http.StatusAccepted && len(body) == 0 || status == http.StatusOK && result != nil &&
		len(result) <= maxAnswerSize {
		c.byRequest.Add(key, &cachedAnswer{status, append([]byte(nil), result...)})
	}
}

// The header values of answers with a body, as the SDK sends them.
var (
	contentJSON = []string{"application/json"}
	noCache     = []string{"no-cache, no-transform"} // how long a resource may be stored is in its result
)

// write answers a request as the SDK answered the first of its kind.
func (a *cachedAnswer) write(res *response, id []byte) {
	res.status = a.status
	if len(a.result) == 0 {
		return
	}
	h := res.Header()
	h["Content-Type"] = contentJSON
	h["Cache-Control"] = noCache
	res.body = append(append(res.body[:0], `{"jsonrpc":"2.0","id":`...), id...)
	res.body = append(append(append(res.body, `,"result":`...), a.result...), '}')
}
