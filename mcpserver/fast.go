package mcpserver

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/tools"
	"almanac/wirejson"
)

// A fastPath answers a call of a tool that answers from memory, or the reading of a resource, from encoded bytes, if
// nothing about the request is unusual. Anything unusual is left to the SDK as it is, so this file
// has no errors of its own; a differential test keeps both ways equal.
type fastPath struct {
	tools    *tools.Tools
	deadline time.Duration // of a call
	log      *slog.Logger
	modern   tail
	metas    metaCache
}

// A tail holds what answers of an era have besides: members of the result, and of its _meta.
type tail struct{ more, meta string }

func newFastPath(t *tools.Tools, impl *mcp.Implementation, deadline time.Duration, log *slog.Logger) *fastPath {
	b := wirejson.Must(wirejson.Compact(impl))
	return &fastPath{tools: t, deadline: deadline, log: log,
		modern: tail{more: `"resultType":"complete"`, meta: strconv.Quote(mcp.MetaKeyServerInfo) + ":" + string(b)}}
}

var (
	contentJSON = []string{"application/json"}
	noCache     = []string{"no-cache, no-transform"} // as the SDK sends it; how long a resource may be kept is in its result
)

// params are those of a plain request.
type params struct {
	name      []byte // of the tool, or the address of the resource; without quotes
	arguments []byte
	meta      []byte
}

// serve answers a message if it can, and reports whether it did.
func (fp *fastPath) serve(res *response, r *http.Request, m message, t *turn, call *Call) bool {
	nameMember := ""
	switch m.method {
	case "tools/call":
		nameMember = "name"
	case "resources/read":
		nameMember = "uri"
	default:
		return false
	}
	if m.id == nil || !isObject(m.params) {
		return false
	}
	p, ok := plainParams(m.params, nameMember)
	if !ok {
		return false
	}
	tail, ok := fp.tailFor(r.Header, m.method, p)
	if !ok {
		return false
	}
	out := append(res.body[:0], `{"jsonrpc":"2.0","id":`...)
	out = append(out, m.id...)
	out = append(out, `,"result":`...)
	if nameMember == "uri" {
		content, ok := fp.tools.Read(string(p.name))
		if !ok {
			return false
		}
		out = content.Append(out, tail.more, tail.meta)
	} else {
		tool, result := fp.call(r.Context(), p, t)
		if result == nil {
			return false
		}
		call.Tool, call.Failed = tool, result.Failed
		out = result.Append(out, tail.more, tail.meta)
	}
	res.body = append(out, '}')
	res.status = http.StatusOK
	call.Method = m.method
	h := res.Header()
	h["Content-Type"] = contentJSON
	h["Cache-Control"] = noCache
	return true
}

// call calls a tool. One that takes too long is given up; its place goes when it ends. The answer is nil if the SDK is to
// answer.
func (fp *fastPath) call(ctx context.Context, p params, t *turn) (string, *tools.Answer) {
	if !fp.tools.IsFree(p.name) {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, fp.deadline)
	defer cancel()
	name := string(p.name)
	arguments := bytes.Clone(p.arguments) // the buffer is used again when the call has been given up
	var answer *tools.Answer
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() {
			if v := recover(); v != nil {
				fp.log.Error("tool panicked", "tool", name, "panic", v, "stack", string(debug.Stack()))
				answer = nil
			}
		}()
		answer = fp.tools.CallFree(ctx, name, arguments)
	}()
	select {
	case <-ended:
		return name, answer
	case <-ctx.Done():
		fp.log.Warn("mcp call abandoned", "tool", name, "err", ctx.Err())
		t.endAfter(ended)
		return name, tools.TimedOut()
	}
}

// plainParams parses params that have the usual members, each once, in the usual form.
func plainParams(raw []byte, nameMember string) (p params, ok bool) {
	ok = eachMember(raw, func(name, value []byte) bool {
		var part *[]byte
		switch string(name) {
		case nameMember:
			part = &p.name
		case "arguments":
			if nameMember != "name" {
				return false
			}
			part = &p.arguments
		case "_meta":
			part = &p.meta
		}
		if part == nil || *part != nil {
			return false
		}
		*part = value
		return true
	})
	if !ok || len(p.name) < 2 || p.name[0] != '"' || bytes.IndexByte(p.name, '\\') >= 0 || p.meta != nil && !isObject(p.meta) {
		return p, false
	}
	p.name = p.name[1 : len(p.name)-1]
	return p, true
}

// tailFor returns the tail of a request's era, if its headers and its _meta agree about that.
func (fp *fastPath) tailFor(h http.Header, method string, p params) (tail, bool) {
	version := h[versionHeader]
	modern := false
	switch {
	case len(version) == 0:
	case len(version) > 1:
		return tail{}, false
	case version[0] == modernVersion:
		modern = true
	default:
		if _, f := protocolVersion(h); f != nil {
			return tail{}, false
		}
	}
	if !modern {
		return tail{}, p.meta == nil || fp.metas.valid(p.meta, legacyOnly)
	}
	if !isOnly(h[methodHeader], method) || !isOnly(h[nameHeader], string(p.name)) || p.meta == nil {
		return tail{}, false
	}
	return fp.modern, fp.metas.valid(p.meta, modernOnly)
}

// isOnly reports whether a header has one value, the expected one.
func isOnly(values []string, expected string) bool { return len(values) == 1 && values[0] == expected }
