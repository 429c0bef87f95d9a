package nwc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/coder/websocket"
	"github.com/nbd-wtf/go-nostr"
)

// A relay is a connection to one, for one question (NIP-01, "Communication between clients and relays"). One goroutine uses it at a time.
type relay struct {
	address string
	conn    *websocket.Conn
}

// maxMessage bounds a message of a relay, in bytes.
const maxMessage = 1 << 20

func connect(ctx context.Context, address string) (*relay, error) {
	conn, _, err := websocket.Dial(ctx, address, nil)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", address, because(ctx, err))
	}
	conn.SetReadLimit(maxMessage)
	return &relay{address, conn}, nil
}

// because returns the end of the context when that is why a connection broke, which the connection's own error does not always say.
func because(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func (r *relay) close() { r.conn.CloseNow() }

func (r *relay) send(ctx context.Context, parts ...any) error {
	b, err := json.Marshal(parts)
	if err == nil {
		err = r.conn.Write(ctx, websocket.MessageText, b)
	}
	if err != nil {
		return fmt.Errorf("write to %s: %w", r.address, because(ctx, err))
	}
	return nil
}

// errEnd means that a relay has sent all that it has.
var errEnd = errors.New("the end of what is stored")

// next returns the next event of a subscription. At the end of those that are stored it returns errEnd.
func (r *relay) next(ctx context.Context) (*nostr.Event, error) {
	for {
		_, b, err := r.conn.Read(ctx)
		if err != nil {
			return nil, fmt.Errorf("read from %s: %w", r.address, because(ctx, err))
		}
		var parts []json.RawMessage
		var label string
		if json.Unmarshal(b, &parts) != nil || len(parts) < 2 || json.Unmarshal(parts[0], &label) != nil {
			continue
		}
		last := parts[len(parts)-1]
		switch label {
		case "EVENT":
			var event nostr.Event
			if len(parts) == 3 && json.Unmarshal(last, &event) == nil {
				return &event, nil
			}
		case "EOSE":
			return nil, errEnd
		case "OK":
			if len(parts) >= 3 && string(parts[2]) == "false" {
				return nil, fmt.Errorf("%s refuses the request: %s", r.address, last)
			}
		case "CLOSED":
			return nil, fmt.Errorf("%s has closed the subscription: %s", r.address, last)
		}
	}
}

// race runs f for every address at once and returns the first success, or all errors.
func race[T any](ctx context.Context, addresses []string, f func(context.Context, *relay) (T, error)) (first T, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		value T
		err   error
	}
	results := make(chan result, len(addresses))
	for _, address := range addresses {
		go func() {
			var r result
			relay, err := connect(ctx, address)
			if r.err = err; err == nil {
				r.value, r.err = f(ctx, relay)
				relay.close()
			}
			results <- r
		}()
	}
	var all []error
	for range addresses {
		r := <-results
		if r.err == nil {
			return r.value, nil
		}
		all = append(all, r.err)
	}
	return first, errors.Join(all...)
}
