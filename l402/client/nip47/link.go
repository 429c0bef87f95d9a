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
	conn  *websocket.Conn
	done  chan struct{} // closed when the connection has ended
	heard atomic.Int64  // messages

	mu    sync.Mutex
	err   error // why it ended
	users int
	idle  *time.Timer
	subs  map[string]chan message // by their ids: that of the event published with it, if there is one
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
	return &link{conn: conn, done: make(chan struct{}), users: 1, subs: map[string]chan message{}}, nil
}

// acquire lets the link stay until release, and reports whether it is still there.
func (l *link) acquire() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return false
	}
	if l.idle != nil {
		l.idle.Stop()
	}
	l.users++
	return true
}

// release ends the link after idle, unless it is acquired again.
func (l *link) release(idle time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users--; l.users > 0 || l.err != nil {
		return
	}
	l.idle = time.AfterFunc(idle, func() {
		l.mu.Lock()
		unused := l.users == 0
		l.mu.Unlock()
		if unused {
			l.end(errIdle)
		}
	})
}

// end closes the connection.
func (l *link) end(err error) {
	l.mu.Lock()
	first := l.err == nil
	if first {
		l.err = err
	}
	l.mu.Unlock()
	if first {
		l.conn.CloseNow()
		close(l.done)
	}
}

// ask is a relay's ask, on this connection.
func (l *link) ask(ctx context.Context, f filter, e *event, read func(*event) (bool, error)) error {
	id, messages := rand.Text(), make(chan message, maxWaiting)
	if e != nil {
		id = e.ID
	}
	l.mu.Lock()
	l.subs[id] = messages
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		delete(l.subs, id)
		l.mu.Unlock()
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
		case <-l.done:
			return fmt.Errorf("%w: %w", errBroken, l.err)
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
	for {
		_, b, err := l.conn.Read(context.Background())
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
