package nip47

import (
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

	mu   sync.Mutex
	subs map[string]chan message // by their ids: that of the event published with it, if there is one
	auth string                  // the challenge of a relay that wants to know who asks (NIP-42); "": none yet
}

// A message is an event, the end of the stored events if that is nil, an acknowledgement, or a refusal.
type message struct {
	id    string
	event *event
	ok    bool
	auth  bool // the relay asks who asks
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
	l := &link{conn: conn, subs: map[string]chan message{}}
	l.ctx, l.end = context.WithCancelCause(context.Background())
	return l, nil
}

// subscribe has the messages for an id passed on to a question until it unsubscribes.
func (l *link) subscribe(id string, messages chan message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.subs[id] = messages
}

func (l *link) unsubscribe(ids ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		delete(l.subs, id)
	}
}

// ask is a relay's ask, on this connection. If the relay demands it, auth returns the event that says who asks, and the
// question is sent again.
func (l *link) ask(
	ctx context.Context, f filter, e *event, auth func(challenge string) (*event, error), read func(*event) (bool, error),
) error {
	id := rand.Text()
	if e != nil {
		id = e.ID
	}
	asked, known, refused := "", false, false // the id of our authentication; whether it was accepted, and is needed
	messages := make(chan message, maxWaiting)
	l.subscribe(id, messages)
	defer func() {
		l.unsubscribe(id, asked)
		go l.send("CLOSE", id) // which nobody waits for
	}()
	question := func() error {
		if err := l.send("REQ", id, f); err != nil || e == nil {
			return err
		}
		return l.send("EVENT", e)
	}
	if err := question(); err != nil {
		return err
	}
	for {
		select {
		case m := <-messages:
			var err error
			switch {
			case m.id == asked && m.ok:
				known, err = true, question()
			case m.ok:
			case m.auth, errors.Is(m.err, errAuth) && !known && m.id != asked:
				// The challenge may come after the refusal. Once it is answered, the rest of the first question is refused.
				if refused = refused || m.err != nil; refused && asked == "" {
					asked, err = l.authenticate(auth, messages)
				}
			case m.err != nil:
				err = m.err
			default:
				var done bool
				if done, err = read(m.event); done {
					return err
				}
			}
			if err != nil {
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

// authenticate says who asks, and returns the id of the event that does, whose acknowledgement comes with the messages; ""
// if there is no challenge yet.
func (l *link) authenticate(auth func(string) (*event, error), messages chan message) (id string, err error) {
	l.mu.Lock()
	challenge := l.auth
	l.mu.Unlock()
	if challenge == "" {
		return "", nil
	}
	e, err := auth(challenge)
	if err != nil {
		return "", err
	}
	l.subscribe(e.ID, messages)
	return e.ID, l.send("AUTH", e)
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
	m := message{id: id}
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
		l.auth = id
		for _, messages := range l.subs {
			select {
			case messages <- message{auth: true}:
			default: // it has too many to read, and is refused again
			}
		}
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
