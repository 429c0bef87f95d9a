package lnd

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"almanac/l402/node"
)

// hints decide whether invoices name channels that are not announced, as route hints.
type hints struct {
	client  *node.Client
	on, ask bool
	files   credentialFiles
	now     func() time.Time
	log     *slog.Logger

	mu     sync.Mutex
	asked  time.Time
	public bool // the node has an announced channel
}

// hintsTTL is how long it is believed that the node has an announced channel, or none.
const hintsTTL = time.Hour

// needed reports whether the next invoice shall name channels that are not announced. A node that has announced ones
// can be found without. Whether it has is asked only with a macaroon that permits to; without an answer channels are
// named, for then every payer finds the node.
func (h *hints) needed(ctx context.Context) bool {
	if !h.on || !h.ask {
		return h.on
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.asked.IsZero() || h.now().Sub(h.asked) >= hintsTTL {
		before := h.public
		h.public, h.asked = h.files.permitChannels() && h.hasPublicChannel(ctx), h.now()
		if h.public && !before && h.log != nil {
			h.log.Info("the Lightning node has announced channels, so invoices name no others")
		}
	}
	return !h.public
}

// hasPublicChannel asks the node. An error says nothing about its channels, and shows when the invoice is made.
func (h *hints) hasPublicChannel(ctx context.Context) bool {
	var answer struct {
		Channels []struct {
			Private bool `json:"private"`
		} `json:"channels"`
	}
	if h.client.Call(ctx, http.MethodGet, "/v1/channels?active_only=true&public_only=true", nil, &answer) != nil {
		return false
	}
	for _, c := range answer.Channels {
		if !c.Private {
			return true
		}
	}
	return false
}

// permitChannels reports whether the macaroon permits to list channels.
func (f credentialFiles) permitChannels() bool {
	raw, err := f.readMacaroon()
	if err != nil {
		return false
	}
	list, err := rights(raw)
	return err == nil && (slices.Contains(list, listChannelsRight) || slices.Contains(list, "offchain:read"))
}
