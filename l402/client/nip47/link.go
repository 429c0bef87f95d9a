package nip47

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// A link is one connection to a relay, shared by questions (NIP-01, "Communication between clients and relays").
type link struct {
	conn  *websocket.Conn
	out   chan []byte
	done  chan struct{} // closed when the connection has ended
	heard atomic.Int64  // messages

	mu     sync.Mutex
	err    error // why it ended
	unused bool  // it ended because nobody used it
	users  int
	idle   *time.Timer
	next   int
	subs   map[string]*subscription
}

// A subscription receives its messages from a relay.
type subscription struct {
	id       string
	event    string // id of the event that is published with it, or ""
	messages chan message
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
)

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
	l := &link{conn: conn, out: make(chan []byte, maxWaiting), done: make(chan struct{}), users: 1,
		subs: map[string]*subscription{}}
	go l.read()
	go l.write()
	return l, nil
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
		l.unused = l.unused || unused
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

// ask is a relay's ask, on this connection. It reports whether anything was heard since.
func (l *link) ask(ctx context.Context, f filter, e *event, read func(*event) (bool, error)) (heard bool, err error) {
	before := l.heard.Load()
	heardSince := func() bool { return l.heard.Load() > before }
	s := l.subscribe(e)
	defer l.unsubscribe(s)
	if err := l.send(ctx, "REQ", s.id, f); err != nil {
		return heardSince(), err
	}
	if e != nil {
		if err := l.send(ctx, "EVENT", e); err != nil {
			return heardSince(), err
		}
	}
	for {
		select {
		case m := <-s.messages:
			if m.err != nil {
				return true, m.err
			}
			if done, err := read(m.event); done || err != nil {
				return true, err
			}
		case <-l.done:
			return heardSince(), fmt.Errorf("%w: %w", errBroken, l.err)
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) && !heardSince() {
				l.end(errors.New("the relay is silent")) // perhaps it is gone, and nothing said so: the next question dials again
			}
			return heardSince(), ctx.Err()
		}
	}
}

func (l *link) subscribe(e *event) *subscription {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next++
	s := &subscription{id: "q" + strconv.Itoa(l.next), messages: make(chan message, maxWaiting)}
	if e != nil {
		s.event = e.ID
	}
	l.subs[s.id] = s
	return s
}

// unsubscribe ends a subscription, and lets the relay know if that takes no waiting.
func (l *link) unsubscribe(s *subscription) {
	l.mu.Lock()
	delete(l.subs, s.id)
	l.mu.Unlock()
	if b, err := json.Marshal([]any{"CLOSE", s.id}); err == nil {
		select {
		case l.out <- b:
		default:
		}
	}
}

func (l *link) send(ctx context.Context, parts ...any) error {
	b, err := json.Marshal(parts)
	if err != nil {
		return err
	}
	select {
	case l.out <- b:
		return nil
	case <-l.done:
		return fmt.Errorf("%w: %w", errBroken, l.err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// write writes messages to the relay. A context that ends during a write would end the connection, so the callers' are
// not used.
func (l *link) write() {
	for {
		select {
		case b := <-l.out:
			ctx, cancel := context.WithTimeout(context.Background(), writeTimeout)
			err := l.conn.Write(ctx, websocket.MessageText, b)
			cancel()
			if err != nil {
				l.end(err)
				return
			}
		case <-l.done:
			return
		}
	}
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
		var parts []json.RawMessage
		var label, name string
		if json.Unmarshal(b, &parts) == nil && len(parts) >= 2 && json.Unmarshal(parts[0], &label) == nil &&
			json.Unmarshal(parts[1], &name) == nil {
			l.dispatch(label, name, parts)
		}
	}
}

// dispatch passes a message on to the subscription that it is for.
func (l *link) dispatch(label, name string, parts []json.RawMessage) {
	last := parts[len(parts)-1]
	switch label {
	case "EVENT":
		var e event
		if len(parts) == 3 && json.Unmarshal(last, &e) == nil {
			l.pass(message{event: &e}, func(s *subscription) bool { return s.id == name })
		}
	case "EOSE":
		l.pass(message{}, func(s *subscription) bool { return s.id == name })
	case "CLOSED":
		l.pass(message{err: fmt.Errorf("it has closed the subscription: %.200s", last)},
			func(s *subscription) bool { return s.id == name })
	case "OK":
		if len(parts) >= 3 && string(parts[2]) == "false" {
			l.pass(message{err: fmt.Errorf("it refuses the request: %.200s", last)},
				func(s *subscription) bool { return s.event == name && name != "" })
		}
	}
}

func (l *link) pass(m message, to func(*subscription) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.subs {
		if to(s) {
			select {
			case s.messages <- m:
			default: // it does not keep up
			}
		}
	}
}
