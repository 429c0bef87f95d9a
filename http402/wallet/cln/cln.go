// Package cln pays with a Core Lightning node over its plugin clnrest (https://docs.corelightning.org/docs/rest).
//
// It needs a rune for two methods: lightning-cli createrune restrictions='[["method=pay","method=listpays"]]'.
package cln

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
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
	node, err := rest.New(address, certFile)
	if err != nil {
		return nil, err
	}
	secret, err := rest.ReadSecret(runeFile)
	if err != nil {
		return nil, err
	}
	node.Header.Set("Rune", secret)
	return &Wallet{node}, nil
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

// call calls a method, and returns the message of a JSON-RPC error as a refusal.
func (w *Wallet) call(ctx context.Context, method string, in map[string]any, out any) (refusal string, err error) {
	var text json.RawMessage
	status, err := w.node.Decode(ctx, http.MethodPost, "/v1/"+method, in, &text)
	if err != nil {
		return "", err
	}
	if status != http.StatusOK && status != http.StatusCreated {
		var fault struct {
			Message string `json:"message"`
		}
		if json.Unmarshal(text, &fault) != nil || fault.Message == "" {
			return "", fmt.Errorf("the node answered with status %d", status)
		}
		return fmt.Sprintf("the node says: %.200s", fault.Message), nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		return "", fmt.Errorf("read the node's answer: %w", err)
	}
	return "", nil
}

// Pay implements wallet.Wallet.
func (w *Wallet) Pay(ctx context.Context, p wallet.Payment) (wallet.Outcome, error) {
	var paid payment
	refusal, err := w.call(ctx, "pay", map[string]any{"bolt11": p.Invoice, "maxfee": p.FeeLimitMilliSats,
		"retry_for": max(1, int64(p.Timeout/time.Second))}, &paid)
	switch {
	case err != nil:
		return wallet.Outcome{}, err
	case refusal != "":
		return rest.Refused(ctx, w, p.Hash, refusal)
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
	refusal, err := w.call(ctx, "listpays", in, &found)
	if err == nil && refusal != "" {
		err = fmt.Errorf("ask about payments: %s", refusal)
	}
	return found.Pays, err
}

// Payments implements wallet.Lister.
func (w *Wallet) Payments(ctx context.Context, since time.Time) (records []wallet.Record, err error) {
	pays, err := w.list(ctx, map[string]any{})
	for _, p := range pays {
		if at := time.Unix(int64(p.CreatedAt), 0); p.Status != "failed" && !at.Before(since.Truncate(time.Second)) {
			records = append(records, wallet.Record{Hash: p.Hash, AmountMilliSats: int64(p.AmountMsat),
				FeeMilliSats: p.fee(), Preimage: p.preimage(), At: at})
		}
	}
	return records, err
}

// Track implements wallet.Wallet. One attempt that succeeded or is under way outweighs those that failed.
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
			if out.Status == wallet.Unknown {
				out = wallet.Outcome{Status: wallet.Failed, Reason: "the node found no route within the fee limit and the time"}
			}
		default:
			out = wallet.Outcome{Status: wallet.Pending}
		}
	}
	return out, nil
}
