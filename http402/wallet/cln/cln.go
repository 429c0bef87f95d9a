// Package cln pays with a Core Lightning node over its plugin clnrest (https://docs.corelightning.org/docs/rest).
//
// It needs a rune for three methods: lightning-cli createrune restrictions='[["method=pay","method=xpay","method=listpays"]]'.
package cln

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"go.almanac.example/http402/wallet"
	"go.almanac.example/http402/wallet/rest"
)

// A Wallet is a Core Lightning node. It implements [wallet.Wallet].
type Wallet struct{ node *rest.Client }

// New reads the files: ca.pem of clnrest, and the rune. It does not call the node.
func New(address, certFile, runeFile string) (*Wallet, error) {
	node, err := rest.New(address, certFile, "Rune", runeFile, rest.ReadSecret)
	return &Wallet{node}, err
}

// A payment is an answer of pay, or a part of that of listpays. Versions write the preimage under two names, and numbers
// in several ways.
type payment struct {
	Hash            string        `json:"payment_hash"`
	Status          string        `json:"status"`
	PaymentPreimage string        `json:"payment_preimage"`
	PreimageOfList  string        `json:"preimage"`
	CreatedAt       wallet.Number `json:"created_at"`
	AmountMsat      wallet.Number `json:"amount_msat"`
	SentMsat        wallet.Number `json:"amount_sent_msat"`
}

func (p *payment) preimage() string { return cmp.Or(p.PaymentPreimage, p.PreimageOfList) }

// fee returns the fee, 0 if the node does not say both amounts.
func (p *payment) fee() int64 {
	if p.AmountMsat == 0 {
		return 0
	}
	return max(0, int64(p.SentMsat-p.AmountMsat))
}

// A refusal is a JSON-RPC error.
type refusal struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (r *refusal) Error() string { return fmt.Sprintf("the node says: %.200s", r.Message) }

// The codes of refusals that are told apart.
const (
	codeNoMethod   = -32601 // also of one that is deprecated
	codeInProgress = 200    // of an earlier order
)

// call calls a method. Its error is a *refusal if the node says one.
func (w *Wallet) call(ctx context.Context, method string, in map[string]any, out any) error {
	var text json.RawMessage
	status, err := w.node.Decode(ctx, http.MethodPost, "/v1/"+method, in, &text)
	if err != nil {
		return err
	}
	if status != http.StatusOK && status != http.StatusCreated {
		r := new(refusal)
		if json.Unmarshal(text, r) != nil || r.Message == "" {
			return fmt.Errorf("the node answered with status %d", status)
		}
		return r
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("read the node's answer: %w", err)
	}
	return nil
}

// Pay implements wallet.Wallet. Core Lightning 26.06 deprecates pay for xpay, which versions before 24.11 do not have. The refusal
// of an order that is not the first says nothing about one before, whose next attempt may be to come.
func (w *Wallet) Pay(ctx context.Context, p wallet.Payment) (wallet.Outcome, error) {
	var paid payment
	order := map[string]any{"bolt11": p.Invoice, "maxfee": p.FeeLimitMilliSats, "retry_for": max(1, int64(p.Timeout/time.Second))}
	err := w.call(ctx, "pay", order, &paid)
	var r *refusal
	if errors.As(err, &r) && r.Code == codeNoMethod {
		delete(order, "bolt11")
		order["invstring"] = p.Invoice
		err = w.call(ctx, "xpay", order, &paid)
	}
	switch {
	case errors.As(err, &r) && (r.Code == codeInProgress || p.Again):
		return wallet.Outcome{Status: wallet.Pending}, nil
	case errors.As(err, &r):
		return rest.Refused(ctx, w, p.Hash, r.Error())
	case err != nil:
		return wallet.Outcome{}, err
	case paid.preimage() != "" || paid.Status == "complete":
		return wallet.Success(paid.preimage(), paid.fee())
	}
	return w.Track(ctx, p.Hash)
}

// list calls listpays.
func (w *Wallet) list(ctx context.Context, in map[string]any) ([]payment, error) {
	var found struct {
		Pays []payment `json:"pays"`
	}
	if err := w.call(ctx, "listpays", in, &found); err != nil {
		return nil, fmt.Errorf("ask about payments: %w", err)
	}
	return found.Pays, nil
}

// Payments implements wallet.Lister.
func (w *Wallet) Payments(ctx context.Context, since time.Time) (records []wallet.Record, err error) {
	pays, err := w.list(ctx, map[string]any{})
	for _, p := range pays {
		if at := time.Unix(int64(p.CreatedAt), 0); p.Status != "failed" && !at.Before(since.Truncate(time.Second)) {
			records = append(records, wallet.Record{Hash: p.Hash, AmountMilliSats: int64(cmp.Or(p.AmountMsat, p.SentMsat)),
				FeeMilliSats: p.fee(), Preimage: p.preimage(), At: at})
		}
	}
	return records, err
}

// Track implements wallet.Wallet. The list calls a payment failed between two of its attempts too; the node, asked to pay
// the invoice again, knows, so that such a payment counts as unknown.
func (w *Wallet) Track(ctx context.Context, hash [32]byte) (wallet.Outcome, error) {
	pays, err := w.list(ctx, map[string]any{"payment_hash": hex.EncodeToString(hash[:])})
	if err != nil {
		return wallet.Outcome{}, err
	}
	out := wallet.Outcome{Status: wallet.Unknown}
	for _, p := range pays {
		switch p.Status {
		case "complete":
			return wallet.Success(p.preimage(), p.fee())
		case "failed":
		default:
			out = wallet.Outcome{Status: wallet.Pending}
		}
	}
	return out, nil
}
