// Package mcpserver is the streamable-HTTP endpoint around package tools.
//
// A request passes the guard (guard.go), which refuses bad requests, and the checks of its message (message.go,
// methods.go). Then the official SDK answers it (engine.go), or its former answer to the same request does
// (answers.go). Over the input and output of a program (stdio.go), there is only the SDK.
//
// The endpoint is stateless and answers in JSON, for protocol version 2026-07-28, in which each request is complete in
// itself, and for the versions before it, which begin with initialize.
package mcpserver

import (
	"bytes"
	"cmp"
	"encoding/json"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
	"go.almanac.example/http402/explain"
	"go.almanac.example/index"
	"go.almanac.example/internal/peer"
	"go.almanac.example/internal/problem"
	"go.almanac.example/internal/rpc"
	"go.almanac.example/tools"
)

// Options configure the endpoint. The zero value works.
type Options struct {
	Version string       // of the program; "" means "dev"
	Log     *slog.Logger // nil: nothing is logged
	Paid    *tools.Paid  // nil: there is no search_passages
	// Explain returns the meaning of a text from a payment; nil: there is no explain_402.
	Explain func(string) explain.Reading

	// Hosts are the hosts under which the endpoint answers, besides loopback ones.
	Hosts []string

	Deadline    time.Duration // of one tool call; 0 means 2 seconds
	BodyTimeout time.Duration // within which a body must arrive; 0 means 3 seconds
	Admission   *Admission    // shared by all endpoints of a program; nil: one of the endpoint's own

	// Observe, when set, is called after every request with its writer and its outcome. Names that a client made up are
	// reported as "other".
	Observe func(http.ResponseWriter, Call)
	Now     func() time.Time // nil: time.Now

	extend func(*mcp.ServerOptions) // adds the capabilities of a test's fixtures; nil: none
}

func (o Options) withDefaults() Options {
	o.Version = cmp.Or(o.Version, "dev")
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.Deadline = cmp.Or(o.Deadline, 2*time.Second)
	o.BodyTimeout = cmp.Or(o.BodyTimeout, 3*time.Second)
	if o.Admission == nil {
		o.Admission = NewAdmission(0, 0)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// A Server is the endpoint over one catalogue, as an http.Handler for the path catalog.MCPPath.
type Server struct {
	o        Options
	base     string   // of the codes; see problem.Table
	hosts    []string // the names under which the endpoint answers, besides loopback ones
	loopback bool     // the public address is one of this machine

	tools   *tools.Tools
	answers *lru.TwoQueueCache[string, *cachedAnswer] // by answerKey
	engine  *engine
}

// New returns the endpoint over a catalogue, its index and its documents.
func New(c *catalog.Catalog, x *index.Index, documents tools.ResourceFiles, o Options) *Server {
	o = o.withDefaults()
	_, host, _ := strings.Cut(catalog.Origin(c.Site().MCP), "://")
	t := tools.New(c, x, documents, tools.Options{Paid: o.Paid, Now: o.Now, Explain: o.Explain})
	answers, _ := lru.New2Q[string, *cachedAnswer](maxAnswers) // which fails at 0 only
	e := newEngine(c.Identity(), c.Site(), o, "")
	e.load(t)
	return &Server{
		o: o, base: c.Site().ProblemBase(), hosts: catalog.Convert(o.Hosts, hostname),
		loopback: peer.IsLoopback(hostname(host)), tools: t, answers: answers, engine: e,
	}
}

// ServeHTTP answers a request to the endpoint.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var call Call
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler {
				panic(p)
			}
			s.o.Log.ErrorContext(r.Context(), "mcp endpoint panicked", "panic", p, "stack", string(debug.Stack()))
			if call.Status == 0 { // answers leave in one piece, after everything that can go wrong
				call.Status = http.StatusInternalServerError
				writeRefusal(w, internalRefusal(), nil)
			}
		}
		if s.o.Observe != nil {
			s.o.Observe(w, call)
		}
	}()
	if f := s.serve(w, r, &call); f != nil {
		call.Status = f.Status
		writeRefusal(w, f, nil)
	}
}

// serve answers a request or returns its refusal, and notes its method, tool and failure in call.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, call *Call) *rpc.Refusal {
	if f := s.admit(w, r); f != nil {
		return f
	}
	if r.Method == http.MethodOptions {
		call.Status = http.StatusNoContent
		w.WriteHeader(call.Status)
		return nil
	}
	t := &turn{request: r.Context()}
	network := peer.Network(peer.FromContext(t.request))
	body, f := s.readBody(w, r, network)
	if f != nil {
		return f
	}
	res := &response{ResponseWriter: w}
	if f := s.answer(res, r, t, body, call); f != nil {
		return f
	}
	if res.status == http.StatusOK && !acceptsJSON(r.Header["Accept"]) {
		res.toEvent()
	}
	call.Status = res.status
	s.send(res, network)
	return nil
}

// answer answers a request whose body has been read: with one message, or those of a batch.
func (s *Server) answer(res *response, r *http.Request, t *turn, body []byte, call *Call) *rpc.Refusal {
	defer t.end()
	if !t.exchange(s.o.Admission.working) {
		return published(s.base, problem.Overloaded)
	}
	version, f := rpc.Version(r.Header)
	messages, batch := rpc.Read(body, version)
	if f != nil && messages[0].Fault == nil {
		messages[0].Fault, batch = f, false
	}
	if !batch {
		return s.answerMessage(res, r, t, version, messages[0], call)
	}
	var answers [][]byte
	for _, m := range messages {
		one := &response{ResponseWriter: unsent{}}
		if f := s.answerMessage(one, r, t, version, m, call); f != nil {
			return f
		}
		if one.size() > 0 {
			answers = append(answers, slices.Concat(one.body.Bytes(), one.tail))
		}
	}
	if answers == nil {
		res.WriteHeader(http.StatusAccepted)
		return nil
	}
	res.Header().Set("Content-Type", "application/json")
	res.Header().Set("Cache-Control", "no-store")
	res.Write(rpc.JoinAnswers(answers))
	return nil
}

// answerMessage checks a message and answers it: with an answer that is remembered, or else the SDK's.
func (s *Server) answerMessage(res *response, r *http.Request, t *turn, version string, m rpc.Message, call *Call) *rpc.Refusal {
	f := m.Fault
	if f == nil {
		call.Method, call.Tool = s.label(m)
		f = rpc.Check(version, m)
	}
	if f != nil {
		writeRefusal(res, f, m.ID)
		call.Failed = f != rpc.Accepted
		return nil
	}
	key := ""
	if call.Tool == "" || s.tools.Keeps(call.Tool) {
		key = answerKey(catalog.DateOf(s.o.Now()), r.Header, m)
	}
	if a, ok := s.answers.Get(key); ok {
		a.write(res, m.ID)
		return nil
	}
	if s.tools.Waits(call.Tool) && !t.exchange(s.o.Admission.paying) {
		return published(s.base, problem.Overloaded)
	}
	s.engine.serve(res, r, t, m)
	result := rpc.Member(res.body.Bytes(), "result")
	call.Failed = res.body.Len() > 0 && (result == nil || string(rpc.Member(result, "isError")) == "true")
	isEmpty := res.status == http.StatusAccepted && res.body.Len() == 0
	if !isEmpty && (res.status != http.StatusOK || result == nil || len(result) > maxAnswerSize) {
		return nil // an error, or too large to remember
	}
	a := &cachedAnswer{res.status, slices.Concat(result, []byte("}"))}
	if key != "" && !call.Failed {
		s.answers.Add(key, a)
	}
	if bytes.IndexByte(m.ID, '\\') >= 0 { // the SDK writes an id in its own way
		res.body.Reset()
		a.write(res, m.ID)
	}
	return nil
}

// label returns the method and the tool of a message for metrics and logs, in which names that a
// client made up have no place.
func (s *Server) label(m rpc.Message) (method, tool string) {
	const other = "other"
	switch {
	case !rpc.Known(m.Method) && m.Method != "":
		return other, ""
	case m.Method != "tools/call":
		return m.Method, ""
	}
	var name string
	if json.Unmarshal(rpc.Member(m.Params, "name"), &name) != nil || !s.tools.Has(name) {
		return m.Method, other
	}
	return m.Method, name
}
