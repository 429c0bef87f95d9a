// Package demo pays invoices of an almanac service in its demo mode, which hands out preimages at /demo/pay. No money
// moves.
package demo

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"go.almanac.example/http402/wallet"
	"go.almanac.example/http402/wallet/rest"
)

// A Wallet pays at one service. It remembers its payments for as long as it lives; a restart does no harm, since
// nothing is paid twice where nothing is paid. It implements [wallet.Wallet].
type Wallet struct {
	service rest.Client
	paid    sync.Map // outcomes by the hash
}

// New returns the wallet of the service at a base address, such as http://localhost:8402.
func New(base string) (*Wallet, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" {
		return nil, fmt.Errorf("demo service %q is not an address like http://localhost:8402", base)
	}
	return &Wallet{service: rest.Client{Base: strings.TrimSuffix(base, "/"), HTTP: http.DefaultClient}}, nil
}

// Pay implements wallet.Wallet.
func (w *Wallet) Pay(ctx context.Context, p wallet.Payment) (wallet.Outcome, error) {
	var answer struct{ Preimage, Title, Detail string }
	status, err := w.service.Decode(ctx, http.MethodPost, "/demo/pay", map[string]string{"invoice": p.Invoice}, &answer)
	if err != nil {
		return wallet.Outcome{}, err
	}
	switch status {
	case http.StatusOK:
	case http.StatusBadRequest, http.StatusNotFound, http.StatusGone:
		return wallet.Outcome{Status: wallet.Failed, Reason: strings.TrimSuffix(answer.Title+": "+answer.Detail, ": ")}, nil
	default:
		return wallet.Outcome{}, fmt.Errorf("the demo's wallet answered with status %d", status)
	}
	out, err := wallet.Success(answer.Preimage, 0)
	if err == nil {
		w.paid.Store(p.Hash, out)
	}
	return out, err
}

// Payments implements wallet.Lister. No money moves, so that there is nothing to count.
func (w *Wallet) Payments(context.Context, time.Time) ([]wallet.Record, error) { return nil, nil }

// Track implements wallet.Wallet.
func (w *Wallet) Track(ctx context.Context, hash [32]byte) (wallet.Outcome, error) {
	known, _ := w.paid.Load(hash)
	out, _ := known.(wallet.Outcome) // unknown, if it is none
	return out, ctx.Err()
}
