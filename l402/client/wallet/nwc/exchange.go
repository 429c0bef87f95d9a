package nwc

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbd-wtf/go-nostr"
)

// exchange publishes a request on every relay and returns the first answer, decrypted. The same event on several relays is one request.
func (w *Wallet) exchange(ctx context.Context, request *nostr.Event, c cipher) (string, error) {
	return race(ctx, w.relays, func(ctx context.Context, r *relay) (string, error) {
		// The answer may come before the relay has acknowledged the request.
		filter := nostr.Filter{Kinds: []int{nostr.KindNWCWalletResponse}, Authors: []string{w.wallet}, Tags: nostr.TagMap{"e": {request.ID}}}
		if err := r.send(ctx, "REQ", "answer", filter); err != nil {
			return "", err
		}
		if err := r.send(ctx, "EVENT", request); err != nil {
			return "", err
		}
		for {
			event, err := r.next(ctx)
			if errors.Is(err, errEnd) {
				continue
			}
			if err != nil {
				return "", err
			}
			if text, ok := w.read(event, request.ID, c); ok {
				return text, nil
			}
		}
	})
}

// read decrypts an answer, unless it is forged, of another request, or unreadable.
func (w *Wallet) read(event *nostr.Event, id string, c cipher) (string, bool) {
	if event.Kind != nostr.KindNWCWalletResponse || !w.wrote(event) || event.Tags.FindWithValue("e", id) == nil {
		return "", false
	}
	text, err := c.decrypt(event.Content)
	return text, err == nil
}

// wrote reports whether the wallet has signed an event.
func (w *Wallet) wrote(event *nostr.Event) bool {
	ok, err := event.CheckSignature()
	return err == nil && ok && event.PubKey == w.wallet && event.CheckID()
}

// agree returns how to encrypt: the best of what the wallet's info event names, which is NIP-04 when it names nothing.
func (w *Wallet) agree(ctx context.Context) (cipher, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cipher != nil {
		return w.cipher, nil
	}
	ctx, cancel := context.WithTimeout(ctx, trackTimeout)
	defer cancel()
	info, err := race(ctx, w.relays, func(ctx context.Context, r *relay) (*nostr.Event, error) {
		if err := r.send(ctx, "REQ", "info", nostr.Filter{Kinds: []int{nostr.KindNWCWalletInfo}, Authors: []string{w.wallet}, Limit: 1}); err != nil {
			return nil, err
		}
		for {
			event, err := r.next(ctx)
			if errors.Is(err, errEnd) {
				return nil, fmt.Errorf("%s does not know the wallet", r.address)
			}
			if err != nil {
				return nil, err
			}
			if event.Kind == nostr.KindNWCWalletInfo && w.wrote(event) {
				return event, nil
			}
		}
	})
	if err != nil {
		return nil, fmt.Errorf("ask for the wallet's abilities: %w", err)
	}
	if w.cipher, err = newCipher(info, w.wallet, w.secret); err != nil {
		return nil, err
	}
	return w.cipher, nil
}
