// Package demo pays invoices of an almanac service in its demo mode, which hands out preimages at /demo/pay. No money
// moves.
package demo

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"almanac/l402/client/wallet"
)

// A Wallet pays at one service. It remembers its payments for as long as it lives; a restart does no harm, since
// nothing is paid twice where nothing is paid. It implements [wallet.Wallet].
type Wallet struct {
	pay string // address

	mu   sync.Mutex
	paid map[[32]byte]wallet.Outcome
}

var _ wallet.Wallet = (*Wallet)(nil)

// New returns the wallet of the service at a base address, such as http://localhost:8402.
func New(base string) (*Wallet, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" {
		return nil, fmt.Errorf("demo service %q is not an address like http://localhost:8402", base)
	}
	return &Wallet{pay: strings.TrimSuffix(base, "/") + "/demo/pay", paid: map[[32]byte]wallet.Outcome{}}, nil
}

// Pay implements wallet.Wallet.
func (w *Wallet) Pay(ctx context.Context, p wallet.Payment) (wallet.Outcome, error) {
	body, err := json.Marshal(map[string]string{"invoice": p.Invoice})
	if err != nil {
		return wallet.Outcome{}, fmt.Errorf("ask the demo's wallet: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.pay, bytes.NewReader(body))
	if err != nil {
		return wallet.Outcome{}, fmt.Errorf("ask the demo's wallet: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return wallet.Outcome{}, fmt.Errorf("ask the demo's wallet: %w", err)
	}
	defer res.Body.Close()
	var answer struct{ Preimage, Title, Detail string }
	if err := json.NewDecoder(io.LimitReader(res.Body, 64<<10)).Decode(&answer); err != nil {
		return wallet.Outcome{}, fmt.Errorf("read the demo wallet's answer of status %d: %w", res.StatusCode, err)
	}
	switch res.StatusCode {
	case http.StatusOK:
	case http.StatusBadRequest, http.StatusNotFound, http.StatusGone:
		return wallet.Outcome{Status: wallet.Failed, Reason: strings.TrimSuffix(answer.Title+": "+answer.Detail, ": ")}, nil
	default:
		return wallet.Outcome{}, fmt.Errorf("the demo's wallet answered with status %d", res.StatusCode)
	}
	out := wallet.Outcome{Status: wallet.Succeeded}
	if n, err := hex.Decode(out.Preimage[:], []byte(answer.Preimage)); err != nil || n != len(out.Preimage) {
		return wallet.Outcome{}, errors.New("the demo's wallet shows no preimage")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.paid[p.Hash] = out
	return out, nil
}

// Payments implements wallet.Lister. No money moves, so that there is nothing to count.
func (w *Wallet) Payments(context.Context, time.Time) ([]wallet.Record, error) { return nil, nil }

// Track implements wallet.Wallet.
func (w *Wallet) Track(ctx context.Context, hash [32]byte) (wallet.Outcome, error) {
	if err := ctx.Err(); err != nil {
		return wallet.Outcome{}, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.paid[hash], nil
}
