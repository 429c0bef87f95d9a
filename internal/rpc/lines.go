package rpc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/internal/problem"
	"go.almanac.example/internal/wirejson"
)

// Lines is a transport, with its one connection, of one message a line, on the input and output of a program. A line that is no message is
// answered with an error, and the session goes on. Ids return byte for byte.
//
// The end of the input is reported when every request before it is answered. The SDK would cancel those that are not,
// and a shell that pipes requests in ends at once.
type Lines struct {
	In    io.ReadCloser
	Out   io.Writer
	Ready <-chan struct{} // closed when requests can be answered; nil: at once

	incoming chan []byte // closed at the end of the input
	closed   chan struct{}
	once     sync.Once

	queue []jsonrpc.Message // that were read and not returned; only Read uses it

	mu      sync.Mutex
	open    map[jsonrpc.ID]*call
	working sync.WaitGroup // the open calls, but for listenMethod
	version string         // of the session; "" before initialize
	writing sync.Mutex
}

const (
	maxLine   = 4 << 20          // bytes
	drainTime = 30 * time.Second // for requests after the end of the input
)

// Connect implements [mcp.Transport].
func (c *Lines) Connect(context.Context) (mcp.Connection, error) {
	c.incoming, c.closed, c.open = make(chan []byte), make(chan struct{}), make(map[jsonrpc.ID]*call)
	go c.scan()
	return c, nil
}

// Dropped returns how many requests were not answered when the session ended.
func (c *Lines) Dropped() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, open := range c.open {
		if open.method != listenMethod {
			n++
		}
	}
	return n
}

// listenMethod is a request that lasts until the host ends it.
const listenMethod = "subscriptions/listen"

// A call is a request that is not answered.
type call struct {
	id     []byte // as it came
	method string
	batch  *batch // nil: none
}

// A batch collects the answers to its messages.
type batch struct {
	waiting int
	answers [][]byte
}

// SessionID implements [mcp.Connection].
func (c *Lines) SessionID() string { return "" }

// Close implements [mcp.Connection].
func (c *Lines) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.In.Close()
}

// scan reads the lines. Of one that is too long it passes a part, which is no message.
func (c *Lines) scan() {
	defer close(c.incoming)
	for in := bufio.NewReaderSize(c.In, 64<<10); ; {
		var line []byte
		var err error
		for more := true; more; {
			var part []byte
			part, err = in.ReadSlice('\n')
			if more = err == bufio.ErrBufferFull; len(line) <= maxLine {
				line = append(line, part...)
			}
		}
		if len(bytes.Trim(line, jsonSpace)) > 0 {
			select {
			case c.incoming <- line:
			case <-c.closed:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// Read implements [mcp.Connection].
func (c *Lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	for len(c.queue) == 0 {
		select {
		case line, ok := <-c.incoming:
			if !ok {
				c.drain(ctx)
				return nil, io.EOF
			}
			if err := c.receive(line); err != nil {
				return nil, err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		}
	}
	m := c.queue[0]
	c.queue = c.queue[1:]
	return m, nil
}

// drain waits until every request is answered.
func (c *Lines) drain(ctx context.Context) {
	if c.Ready != nil {
		select {
		case <-c.Ready:
		case <-ctx.Done():
		case <-c.closed:
		}
	}
	done := make(chan struct{})
	go func() { c.working.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	case <-time.After(drainTime):
	}
}

// receive queues the messages of a line, and answers those that are refused.
func (c *Lines) receive(line []byte) error {
	if len(line) > maxLine {
		return c.send(EncodeAnswer(nil, nil, InvalidRequest("the line is too long").Err))
	}
	c.mu.Lock()
	version := c.version
	c.mu.Unlock()
	messages, isBatch := Read(line, version)
	var all *batch
	var refused [][]byte
	if isBatch {
		all = &batch{waiting: 1} // for the messages that are refused
	}
	for _, m := range messages {
		if f := c.accept(m, all); f != nil && f != Accepted {
			refused = append(refused, EncodeAnswer(m.ID, nil, f.Err))
		}
	}
	switch {
	case isBatch:
		return c.complete(all, refused...)
	case refused != nil:
		return c.send(refused[0])
	}
	return nil
}

// accept queues a message or returns its refusal.
func (c *Lines) accept(m Message, all *batch) *Refusal {
	if m.Fault != nil {
		return m.Fault
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.Method == "" { // an answer to a question of ours
		answer, err := jsonrpc.DecodeMessage(m.Text)
		if err == nil {
			c.queue = append(c.queue, answer)
		}
		return nil
	}
	version := c.version
	var stated string
	if json.Unmarshal(Member(Member(m.Params, "_meta"), mcp.MetaKeyProtocolVersion), &stated) == nil {
		version = stated
	}
	f := Check(version, m)
	switch {
	case f == Accepted && Known(m.Method): // a notification, which matters here
		f = nil
	case f != nil:
	case m.Method == "initialize" && (c.version != "" || all != nil):
		f = InvalidRequest("initialize begins a session, once and alone")
	case version == "" && m.ID != nil && m.Method != "initialize" && m.Method != "ping":
		f = InvalidRequest("the session begins with initialize")
	}
	if f != nil {
		return f
	}
	decoded, err := jsonrpc.DecodeMessage(m.Text)
	request, ok := decoded.(*jsonrpc.Request)
	if err != nil || !ok {
		return badShape
	}
	if request.IsCall() {
		if c.open[request.ID] != nil {
			return InvalidRequest("a request with this id is being answered")
		}
		c.open[request.ID] = &call{id: bytes.Clone(m.ID), method: m.Method, batch: all}
		if m.Method != listenMethod {
			c.working.Add(1)
		}
		if all != nil {
			all.waiting++
		}
	}
	if m.Method == "initialize" {
		_ = json.Unmarshal(Member(m.Params, "protocolVersion"), &c.version) // Check has seen that it is text
		if c.version == "" || c.version >= ModernVersion {                  // which has no sessions
			c.version = lastSessionVersion
		}
	}
	c.queue = append(c.queue, decoded)
	return nil
}

// Write implements [mcp.Connection].
func (c *Lines) Write(_ context.Context, m jsonrpc.Message) error {
	answer, ok := m.(*jsonrpc.Response)
	if !ok {
		text, err := jsonrpc.EncodeMessage(m)
		if err != nil {
			return err
		}
		return c.send(text)
	}
	c.mu.Lock()
	open := c.open[answer.ID]
	delete(c.open, answer.ID)
	if open != nil && open.method == "initialize" && answer.Error != nil {
		c.version = ""
	}
	c.mu.Unlock()
	if open == nil {
		return nil
	}
	if open.method != listenMethod {
		defer c.working.Done()
	}
	text := EncodeAnswer(open.id, answer.Result, publicError(answer.Error))
	if open.batch == nil {
		return c.send(text)
	}
	return c.complete(open.batch, text)
}

// complete adds answers to a batch, of which one part is done, and sends all after the last.
func (c *Lines) complete(b *batch, answers ...[]byte) error {
	c.mu.Lock()
	b.answers = append(b.answers, answers...)
	b.waiting--
	done := b.waiting == 0 && len(b.answers) > 0
	c.mu.Unlock()
	if !done {
		return nil
	}
	return c.send(JoinAnswers(b.answers))
}

// send writes a line. Reading goes on meanwhile.
func (c *Lines) send(text []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.Out.Write(append(text, '\n'))
	return err
}

// JoinAnswers returns the answer to a batch.
func JoinAnswers(answers [][]byte) []byte {
	return append(append([]byte{'['}, bytes.Join(answers, []byte{','})...), ']')
}

// publicError returns an error in the form of JSON-RPC; without a code it is none.
func publicError(err error) problem.RPCError {
	known, ok := errors.AsType[*jsonrpc.Error](err)
	switch {
	case err == nil:
		return problem.RPCError{}
	case !ok || known.Code == 0:
		return problem.RPCError{Code: jsonrpc.CodeInternalError, Message: err.Error()}
	case known.Data == nil:
		return problem.RPCError{Code: known.Code, Message: known.Message}
	}
	return problem.RPCError{Code: known.Code, Message: known.Message, Data: known.Data}
}

// EncodeAnswer encodes an answer: a result, or else an error. Without a readable id it has none, since the protocol's
// schema does not allow null.
func EncodeAnswer(id, result []byte, fault problem.RPCError) []byte {
	b := []byte(`{"jsonrpc":"2.0"`)
	if id != nil {
		b = append(append(b, `,"id":`...), id...)
	}
	if fault.Code == 0 {
		b = append(append(b, `,"result":`...), result...)
	} else {
		b = append(append(b, `,"error":`...), wirejson.Must(wirejson.Compact(fault))...)
	}
	return append(b, '}')
}
