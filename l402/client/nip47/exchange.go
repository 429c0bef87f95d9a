package nip47

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nbd-wtf/go-nostr"
)

// agreeTimeout is how long the relays may take to tell the wallet's abilities.
const agreeTimeout = 15 * time.Second

// exchange publishes a request on every relay and returns the first answer, decrypted. The same event on several relays is one request.
func (c *Connection) exchange(ctx context.Context, request *nostr.Event, ciph cipher) (string, error) {
	// The answer may come before the relay has acknowledged the request.
	filter := nostr.Filter{Kinds: []int{nostr.KindNWCWalletResponse}, Authors: []string{c.wallet.public}, Tags: nostr.TagMap{"e": {request.ID}}}
	return race(ctx, c.wallet.relays, func(ctx context.Context, r *relay) (text string, err error) {
		err = r.ask(ctx, filter, request, func(event *nostr.Event) (done bool, err error) {
			if event == nil {
				return false, nil // the end of what is stored: the answer is still to come
			}
			text, done = c.read(event, request.ID, ciph)
			return done, nil
		})
		return text, err
	})
}

// read decrypts an answer, unless it is forged, of another request, or unreadable.
func (c *Connection) read(event *nostr.Event, id string, ciph cipher) (string, bool) {
	if event.Kind != nostr.KindNWCWalletResponse || event.Tags.FindWithValue("e", id) == nil || !c.wallet.wrote(event) {
		return "", false
	}
	text, err := ciph.decrypt(event.Content)
	return text, err == nil
}

// wrote reports whether the wallet has signed an event.
func (w *wallet) wrote(event *nostr.Event) bool {
	if event.PubKey != w.public || !event.CheckID() {
		return false
	}
	ok, err := event.CheckSignature()
	return err == nil && ok
}

// agree returns how to encrypt: the best of what the wallet's info event names, which is NIP-04 when it names nothing.
func (c *Connection) agree(ctx context.Context) (cipher, error) {
	info, err := c.wallet.abilities(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask for the wallet's abilities: %w", err)
	}
	return newCipher(info, c.wallet.public, c.secret)
}

// abilities returns the wallet's info event.
func (w *wallet) abilities(ctx context.Context) (*nostr.Event, error) {
	w.mu.Lock()
	known := w.info
	w.mu.Unlock()
	if known != nil {
		return known, nil
	}
	ctx, cancel := context.WithTimeout(ctx, agreeTimeout)
	defer cancel()
	filter := nostr.Filter{Kinds: []int{nostr.KindNWCWalletInfo}, Authors: []string{w.public}, Limit: 1}
	info, err := race(ctx, w.relays, func(ctx context.Context, r *relay) (info *nostr.Event, err error) {
		err = r.ask(ctx, filter, nil, func(event *nostr.Event) (bool, error) {
			if event == nil {
				return false, fmt.Errorf("%s does not know the wallet", r.address)
			}
			info = event
			return event.Kind == nostr.KindNWCWalletInfo && w.wrote(event), nil
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
