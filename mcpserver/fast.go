package mcpserver

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/tools"
)

// The fast path answers a call of a free tool, or the reading of a resource, from encoded bytes,
// if nothing about the request is unusual. Whatever is unusual is left to the SDK, as it is, so
// this file has no errors of its own; that both ways answer alike is held by a differential test.

// eraTail is what answers of the 2026 era have besides.
type eraTail struct{ more, meta string }

func newEraTail(impl *mcp.Implementation) eraTail {
	b, err := json.Marshal(impl)
	if err != nil {
		panic("mcpserver: the name of this server does not encode: " + err.Error())
	}
	return eraTail{more: `"resultType":"complete"`, meta: strconv.Quote(mcp.MetaKeyServerInfo) + ":" + string(b)}
}

var (
	contentJSON  = []string{"application/json"}
	cacheNothing = []string{"no-cache, no-transform"} // as the SDK says; a hint of a resource is in its result
)

// call are the params of a clean request.
type call struct {
	name      []byte // of the tool, or the address of the resource; without quotes
	arguments []byte
	meta      []byte
}

// fast answers a message if it can, and tells whether it did.
func (s *Server) fast(a *answer, r *http.Request, m message, buf *buffer) bool {
	named := ""
	switch m.method {
	case "tools/call":
		named = "name"
	case "resources/read":
		named = "uri"
	default:
		return false
	}
	if m.id == nil || !isObject(m.params) {
		return false
	}
	c, ok := cleanCall(m.params, named)
	if !ok {
		return false
	}
	tail, ok := s.cleanEra(r.Header, m.method, c)
	if !ok {
		return false
	}
	out := append(buf.out[:0], `{"jsonrpc":"2.0","id":`...)
	out = append(out, m.id...)
	out = append(out, `,"result":`...)
	if named == "uri" {
		content, ok := s.tools.Read(string(c.name))
		if !ok {
			return false
		}
		out = content.Append(out, tail.more, tail.meta)
	} else {
		tool := s.tools.FreeName(c.name)
		if tool == "" {
			return false
		}
		result, err := s.tools.Call(r.Context(), tool, c.arguments, tools.Caller{})
		if err != nil {
			return false
		}
		a.tool = tool
		out = result.Append(out, tail.more, tail.meta)
	}
	out = append(out, '}')
	buf.out = out
	h := a.Header()
	a.method = m.method
	h["Content-Type"] = contentJSON
	h["Cache-Control"] = cacheNothing
	h["Content-Length"] = []string{strconv.Itoa(len(out))}
	a.Write(out)
	return true
}

// cleanCall takes params apart that have the usual members, each once, in the usual form.
func cleanCall(params []byte, named string) (c call, ok bool) {
	ok = eachMember(params, func(name, value []byte) bool {
		var part *[]byte
		switch string(name) {
		case named:
			part = &c.name
		case "arguments":
			if named != "name" {
				return false
			}
			part = &c.arguments
		case "_meta":
			part = &c.meta
		}
		if part == nil || *part != nil {
			return false
		}
		*part = value
		return true
	})
	if !ok || len(c.name) < 2 || c.name[0] != '"' || bytes.IndexByte(c.name, '\\') >= 0 || c.meta != nil && !isObject(c.meta) {
		return c, false
	}
	c.name = c.name[1 : len(c.name)-1]
	return c, true
}

// cleanEra tells which era a request is of, if its headers and its _meta agree about that.
func (s *Server) cleanEra(h http.Header, method string, c call) (eraTail, bool) {
	version := h[versionHeader]
	modern := false
	switch {
	case len(version) == 0:
	case len(version) > 1:
		return eraTail{}, false
	case version[0] == modernVersion:
		modern = true
	default:
		if _, f := protocolVersion(h); f != nil {
			return eraTail{}, false
		}
	}
	if !modern {
		return eraTail{}, c.meta == nil || s.metas.good(c.meta, legacyOnly)
	}
	if !is(h[methodHeader], method) || !is(h[nameHeader], string(c.name)) || c.meta == nil {
		return eraTail{}, false
	}
	return s.modern, s.metas.good(c.meta, modernOnly)
}

func is(values []string, want string) bool { return len(values) == 1 && values[0] == want }

// metas remembers the _meta objects that were found to be in order: a client sends the same with
// each request.
type metas struct {
	mu   sync.RWMutex
	seen [3]map[string]struct{} // by era
}

const (
	maxMetas    = 1_024
	maxMetaSize = 2 << 10
)

func (ms *metas) good(raw []byte, e era) bool {
	if len(raw) > maxMetaSize {
		return false
	}
	ms.mu.RLock()
	_, ok := ms.seen[e][string(raw)]
	ms.mu.RUnlock()
	if ok {
		return true
	}
	if e == legacyOnly && !legacyMeta(raw) || e == modernOnly && !modernMeta(raw) {
		return false
	}
	ms.mu.Lock()
	defer ms.mu.Unlock()
	if ms.seen[e] == nil || len(ms.seen[e]) >= maxMetas {
		ms.seen[e] = make(map[string]struct{})
	}
	ms.seen[e][string(raw)] = struct{}{}
	return true
}

// legacyMeta tells whether a _meta says nothing of the newer era.
func legacyMeta(raw []byte) bool {
	return member(raw, mcp.MetaKeyProtocolVersion) == nil
}

// logLevelKey asks for log messages, a feature on its way out.
const logLevelKey = "io.modelcontextprotocol/logLevel"

// modernMeta tells whether a _meta has what the newer era requires, and nothing it has seldom.
func modernMeta(raw []byte) bool {
	var version string
	var capabilities, client []byte
	ok := eachMember(raw, func(name, value []byte) bool {
		switch string(name) {
		case mcp.MetaKeyProtocolVersion:
			version = string(value)
		case mcp.MetaKeyClientCapabilities:
			capabilities = value
		case mcp.MetaKeyClientInfo:
			client = value
		case logLevelKey:
			return false
		}
		return true
	})
	if !ok || version != strconv.Quote(modernVersion) || !isObject(capabilities) {
		return false
	}
	if json.Unmarshal(capabilities, new(mcp.ClientCapabilities)) != nil {
		return false
	}
	return client == nil || isObject(client) && json.Unmarshal(client, new(mcp.Implementation)) == nil
}
