package nwc

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbd-wtf/go-nostr"
)

// exchange publishes a request on every relay and returns the first answer, decrypted. The same event on several relays is one request.
func (w *Wallet) exchange(ctx context.Context, request *nostr.Event, c cipher) (string, error) {
	return race(ctx, w.relays, func(ctx context.Context, address string) (string, error) {
		relay, err := connect(ctx, address)
		if err != nil {
			return "", err
		}
		defer relay.Close()
		// The answer may come before the relay has acknowledged the request.
		sub, err := relay.Subscribe(ctx, nostr.Filters{{Kinds: []int{nostr.KindNWCWalletResponse}, Authors: []string{w.wallet}, Tags: nostr.TagMap{"e": {request.ID}}}})
		if err != nil {
			return "", fmt.Errorf("subscribe at %s: %w", address, err)
		}
		if err := relay.Publish(ctx, *request); err != nil {
			return "", fmt.Errorf("publish at %s: %w", address, err)
		}
		for {
			select {
			case event, ok := <-sub.Events:
				if !ok {
					return "", fmt.Errorf("%s has closed the connection", address)
				}
				if text, ok := w.read(event, request.ID, c); ok {
					return text, nil
				}
			case reason := <-sub.ClosedReason:
				return "", fmt.Errorf("%s has closed the subscription: %s", address, reason)
			case <-relay.Context().Done():
				return "", fmt.Errorf("%s has closed the connection", address)
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}
	})
}

// read decrypts an answer, unless it is forged, of another request, or unreadable.
func (w *Wallet) read(event *nostr.Event, id string, c cipher) (string, bool) {
	if event == nil || event.Kind != nostr.KindNWCWalletResponse || event.PubKey != w.wallet || event.Tags.FindWithValue("e", id) == nil {
		return "", false
	}
	if ok, err := event.CheckSignature(); err != nil || !ok {
		return "", false
	}
	text, err := c.decrypt(event.Content)
	return text, err == nil
}

func connect(ctx context.Context, address string) (*nostr.Relay, error) {
	relay, err := nostr.RelayConnect(ctx, address, nostr.WithNoticeHandler(func(string) {}))
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", address, err)
	}
	return relay, nil
}

// agree returns how to encrypt: the best of what the wallet's info event names, which is NIP-04 when it names nothing.
func (w *Wallet) agree(ctx context.Context) (cipher, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cipher != nil {
		return w.cipher, nil
	}
	info, err := race(ctx, w.relays, func(ctx context.Context, address string) (*nostr.Event, error) {
		relay, err := connect(ctx, address)
		if err != nil {
			return nil, err
		}
		defer relay.Close()
		ctx, cancel := context.WithTimeout(ctx, trackTimeout)
		defer cancel()
		events, err := relay.QuerySync(ctx, nostr.Filter{Kinds: []int{nostr.KindNWCWalletInfo}, Authors: []string{w.wallet}, Limit: 1})
		if err != nil {
			return nil, fmt.Errorf("query %s: %w", address, err)
		}
		for _, event := range events {
			if ok, err := event.CheckSignature(); err == nil && ok && event.PubKey == w.wallet && event.Kind == nostr.KindNWCWalletInfo {
				return event, nil
			}
		}
		return nil, fmt.Errorf("%s does not know the wallet", address)
	})
	if err != nil {
		return nil, fmt.Errorf("ask for the wallet's abilities: %w", err)
	}
	if w.cipher, err = newCipher(info, w.wallet, w.secret); err != nil {
		return nil, err
	}
	return w.cipher, nil
}

// race runs f for every address at once and returns the first success, or all errors.
func race[T any](ctx context.Context, addresses []string, f func(context.Context, string) (T, error)) (first T, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		value T
		err   error
	}
	results := make(chan result, len(addresses))
	for _, a := range addresses {
		go func() {
			v, err := f(ctx, a)
			results <- result{v, err}
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
