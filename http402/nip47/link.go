package nip47

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// A link is one connection to a relay, shared by questions (NIP-01, "Communication between clients and relays").
type link struct {
	conn   *websocket.Conn
	ctx    context.Context // ends with the connection, for the reason that end was given first
	end    context.CancelCauseFunc
	unused time.Duration // after which it ends
	heard  atomic.Int64  // messages

	mu   sync.Mutex
	idle *time.Timer
	subs map[string]chan message // by their ids: that of the event published with it, if there is one
}

// A message is an event, the end of the stored events if that is nil, or a refusal.
type message struct {
	event *event
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
	errIdle   = errors.New("the connection was not used")
	errSilent = errors.New("the relay is silent")
)

// dial connects. The caller has the link read.
func dial(ctx context.Context, address string, unused time.Duration) (*link, error) {
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
	l := &link{conn: conn, unused: unused, subs: map[string]chan message{}}
	l.ctx, l.end = context.WithCancelCause(context.Background())
	return l, nil
}

// subscribe has the messages of a question passed on until leave is called. A link without questions ends after a while.
func (l *link) subscribe(id string) (messages chan message, leave func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.idle != nil {
		l.idle.Stop()
	}
	messages = make(chan message, maxWaiting)
	l.subs[id] = messages
	return messages, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if delete(l.subs, id); len(l.subs) == 0 {
			l.idle = time.AfterFunc(l.unused, l.endUnused)
		}
	}
}

func (l *link) endUnused() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.subs) == 0 {
		l.end(errIdle)
	}
}

// ask is a relay's ask, on this connection.
func (l *link) ask(ctx context.Context, f filter, e *event, read func(*event) (bool, error)) error {
	id := rand.Text()
	if e != nil {
		id = e.ID
	}
	messages, leave := l.subscribe(id)
	defer func() {
		leave()
		go l.send("CLOSE", id) // which nobody waits for
	}()
	if err := l.send("REQ", id, f); err != nil {
		return err
	}
	if e != nil {
		if err := l.send("EVENT", e); err != nil {
			return err
		}
	}
	for {
		select {
		case m := <-messages:
			if m.err != nil {
				return m.err
			}
			if done, err := read(m.event); done || err != nil {
				return err
			}
		case <-l.ctx.Done():
			return fmt.Errorf("%w: %w", errBroken, context.Cause(l.ctx))
		case <-ctx.Done():
			return ctx.Err()
		}
	}
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
	switch last := parts[len(parts)-1]; label {
	case "EVENT":
		if m.event = new(event); len(parts) != 3 || json.Unmarshal(last, m.event) != nil {
			return
		}
	case "EOSE":
	case "CLOSED":
		m.err = fmt.Errorf("it has closed the subscription: %.200s", last)
	case "OK":
		if len(parts) < 3 || string(parts[2]) != "false" {
			return
		}
		m.err = fmt.Errorf("it refuses the request: %.200s", last)
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
