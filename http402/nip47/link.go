package nip47

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// A link is one connection to a relay, shared by questions (NIP-01, "Communication between clients and relays").
type link struct {
	conn  *websocket.Conn
	ctx   context.Context // ends with the connection, for the reason that end was given first
	end   context.CancelCauseFunc
	heard atomic.Int64 // messages

	mu        sync.Mutex
	subs      map[string]chan message // by their ids: that of the event published with it, if there is one
	auth      string                  // the newest challenge of a relay that wants to know who asks (NIP-42)
	challenge chan struct{}           // closed by the first one
}

// A message is an event, the end of the stored events if that is nil, an acknowledgement, or a refusal.
type message struct {
	event *event
	ok    bool
	err   error
}

const (
	maxMessage   = 1 << 20 // bytes of one message
	maxWaiting   = 64      // messages that wait for a question to read them; a relay that floods loses the rest
	writeTimeout = 10 * time.Second
)

var (
	errBroken = errors.New("the connection broke")
	errClosed = errors.New("the connection was closed")
	errSilent = errors.New("the relay is silent")
)

// dial connects. The caller has the link read.
func dial(ctx context.Context, address string) (*link, error) {
	conn, _, err := websocket.Dial(ctx, address, nil)
	if ctx.Err() != nil {
		if err == nil {
			conn.CloseNow()
		}
		return nil, ctx.Err() // which the connection's own error does not always say
	}
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(maxMessage)
	l := &link{conn: conn, challenge: make(chan struct{}), subs: map[string]chan message{}}
	l.ctx, l.end = context.WithCancelCause(context.Background())
	return l, nil
}

// ask is a relay's ask, on this connection. If the relay demands it, auth returns the event that says who asks, and the
// question is sent again.
func (l *link) ask(
	ctx context.Context, f filter, e *event, auth func(challenge string) (*event, error), read func(*event) (bool, error),
) error {
	id := rand.Text()
	sends := [][]any{{"REQ", id, f}}
	if e != nil {
		id = e.ID
		sends = [][]any{{"REQ", id, f}, {"EVENT", e}}
	}
	defer func() { go l.send("CLOSE", id) }() // which nobody waits for
	question := func() error {
		return l.await(ctx, id, sends, func(m message) (done bool, err error) {
			if m.ok || m.err != nil {
				return false, m.err
			}
			return read(m.event)
		})
	}
	err := question()
	if errors.Is(err, errAuth) {
		if err = l.authenticate(ctx, auth); err == nil {
			err = question()
		}
	}
	return err
}

// await sends messages, and hands those that come for an id to handle until it is done.
func (l *link) await(ctx context.Context, id string, sends [][]any, handle func(message) (done bool, err error)) error {
	messages := make(chan message, maxWaiting)
	l.mu.Lock()
	l.subs[id] = messages
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.subs, id)
	}()
	for _, parts := range sends {
		if err := l.send(parts...); err != nil {
			return err
		}
	}
	for {
		select {
		case m := <-messages:
			if done, err := handle(m); done || err != nil {
				return err
			}
		case <-l.ctx.Done():
			return fmt.Errorf("%w: %w", errBroken, context.Cause(l.ctx))
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// errAuth is the refusal of a relay that wants to know who asks.
var errAuth = errors.New("it demands authentication")

// authenticate says who asks, once the relay's challenge is there, which may come after a refusal. By the time it is
// accepted, all of the first question was refused.
func (l *link) authenticate(ctx context.Context, auth func(string) (*event, error)) error {
	select {
	case <-l.challenge:
	case <-l.ctx.Done():
		return fmt.Errorf("%w: %w", errBroken, context.Cause(l.ctx))
	case <-ctx.Done():
		return ctx.Err()
	}
	l.mu.Lock()
	challenge := l.auth
	l.mu.Unlock()
	e, err := auth(challenge)
	if err != nil {
		return err
	}
	return l.await(ctx, e.ID, [][]any{{"AUTH", e}}, func(m message) (bool, error) { return true, m.err })
}

// send writes a message to the relay. A context that ends during a write would end the connection, so no caller's is
// used.
func (l *link) send(parts ...any) error {
	b, err := json.Marshal(parts)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), writeTimeout)
	defer cancel()
	if err := l.conn.Write(ctx, websocket.MessageText, b); err != nil {
		l.end(err)
		return fmt.Errorf("%w: %w", errBroken, err)
	}
	return nil
}

// read passes messages on until the connection ends.
func (l *link) read() {
	defer l.conn.CloseNow()
	for {
		_, b, err := l.conn.Read(l.ctx)
		if err != nil {
			l.end(err)
			return
		}
		l.heard.Add(1)
		l.dispatch(b)
	}
}

// dispatch passes a message on to the question that it is for.
func (l *link) dispatch(b []byte) {
	var parts []json.RawMessage
	var label, id string
	if json.Unmarshal(b, &parts) != nil || len(parts) < 2 || json.Unmarshal(parts[0], &label) != nil ||
		json.Unmarshal(parts[1], &id) != nil {
		return
	}
	var m message
	refused := func(format string, last []byte) error {
		var reason string
		if json.Unmarshal(last, &reason) == nil && strings.HasPrefix(reason, "auth-required:") {
			return fmt.Errorf("%w: %.200s", errAuth, last)
		}
		return fmt.Errorf(format, last)
	}
	switch last := parts[len(parts)-1]; label {
	case "EVENT":
		if m.event = new(event); len(parts) != 3 || json.Unmarshal(last, m.event) != nil {
			return
		}
	case "EOSE":
	case "CLOSED":
		m.err = refused("it has closed the subscription: %.200s", last)
	case "OK":
		if m.ok = len(parts) < 3 || string(parts[2]) != "false"; !m.ok {
			m.err = refused("it refuses the request: %.200s", last)
		}
	case "AUTH":
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.auth == "" && id != "" {
			close(l.challenge)
		}
		l.auth = cmp.Or(id, l.auth)
		return
	default:
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case l.subs[id] <- m:
	default: // nobody asks, or does not keep up
	}
}
