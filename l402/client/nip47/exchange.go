package nip47

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// agreeTimeout is how long the relays may take to tell the wallet's abilities.
const agreeTimeout = 15 * time.Second

// exchange publishes a request on every relay and returns the first answer, decrypted. The same event on several relays
// is one request.
func (c *Connection) exchange(ctx context.Context, request *event, ciph textCipher) (string, error) {
	// The answer may come before the relay has acknowledged the request.
	responses := filter{Kinds: []int{kindResponse}, Authors: []string{c.wallet.public}, Events: []string{request.ID}}
	return race(ctx, c.wallet.relays, func(ctx context.Context, r *relay) (text string, err error) {
		err = r.ask(ctx, responses, request, func(e *event) (done bool, err error) {
			if e == nil {
				return false, nil // the end of the stored events: the answer is still to come
			}
			text, done = c.read(e, request.ID, ciph)
			return done, nil
		})
		return text, err
	})
}

// read decrypts an answer, unless it is forged, of another request, or unreadable.
func (c *Connection) read(e *event, id string, ciph textCipher) (string, bool) {
	if e.Kind != kindResponse || !e.answers(id) || !c.wallet.wrote(e) {
		return "", false
	}
	text, err := ciph.decrypt(e.Content)
	return text, err == nil
}

// wrote reports whether the wallet has signed an event.
func (w *wallet) wrote(e *event) bool {
	return e.PubKey == w.public && e.isSigned()
}

// agree returns how to encrypt: the best cipher in the wallet's info event, NIP-04 when it names none.
func (c *Connection) agree(ctx context.Context) (textCipher, error) {
	info, err := c.wallet.abilities(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask for the wallet's abilities: %w", err)
	}
	return newCipher(info, c.wallet.key, c.secret)
}

// abilities returns the wallet's info event.
func (w *wallet) abilities(ctx context.Context) (*event, error) {
	w.mu.Lock()
	known := w.info
	w.mu.Unlock()
	if known != nil {
		return known, nil
	}
	ctx, cancel := context.WithTimeout(ctx, agreeTimeout)
	defer cancel()
	infos := filter{Kinds: []int{kindInfo}, Authors: []string{w.public}, Limit: 1}
	info, err := race(ctx, w.relays, func(ctx context.Context, r *relay) (info *event, err error) {
		err = r.ask(ctx, infos, nil, func(e *event) (bool, error) {
			if e == nil {
				return false, fmt.Errorf("%s does not know the wallet", r.address)
			}
			info = e
			return e.Kind == kindInfo && w.wrote(e), nil
		})
		return info, err
	})
	if err == nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.info = info
	}
	return info, err
}

// forget lets the next call ask again for the wallet's abilities.
func (w *wallet) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.info = nil
}

// race runs f for every relay at once and returns the first success, or all errors.
func race[T any](ctx context.Context, relays []*relay, f func(context.Context, *relay) (T, error)) (first T, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		value T
		err   error
	}
	results := make(chan result, len(relays))
	for _, r := range relays {
		go func() {
			value, err := f(ctx, r)
			results <- result{value, err}
		}()
	}
	var all []error
	for range relays {
		r := <-results
		if r.err == nil {
			return r.value, nil
		}
		all = append(all, r.err)
	}
	return first, errors.Join(all...)
}
