// Package phoenixd pays with a phoenixd over its HTTP interface (https://phoenix.acinq.co/server/api).
//
// It needs the password for full access. phoenixd has no limit for fees: they are counted as it reports them.
package phoenixd

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"go.almanac.example/http402/wallet"
	"go.almanac.example/http402/wallet/rest"
)

// A Wallet is a phoenixd. It implements [wallet.Wallet].
type Wallet struct{ node *rest.Client }

// New reads the password, http-password of phoenix.conf. It does not call the node. certFile may be empty.
func New(address, certFile, passwordFile string) (*Wallet, error) {
	node, err := rest.New(address, certFile, "Authorization", passwordFile, rest.ReadPassword)
	return &Wallet{node}, err
}

// An answer is that to an order, or the record of an earlier one.
type answer struct {
	Reason      string        `json:"reason"` // of an order that failed
	Preimage    string        `json:"preimage"`
	Fees        wallet.Number `json:"fees"` // in millisatoshis
	CompletedAt wallet.Number `json:"completedAt"`

	Paid    string        `json:"paymentPreimage"` // of an order
	FeeSats wallet.Number `json:"routingFeeSat"`   // of an order, rounded
}

// call returns an answer. The reason of one with another status than 200 is the text of a refusal, which old versions sent
// with status 200.
func (w *Wallet) call(ctx context.Context, method, path string, in any) (a answer, status int, err error) {
	res, err := w.node.Call(ctx, method, path, in)
	if err != nil {
		return a, 0, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	switch status = res.StatusCode; {
	case err != nil:
	case status == http.StatusOK && json.Valid(text):
		err = json.Unmarshal(text, &a)
	case status == http.StatusOK, status == http.StatusBadRequest, status == http.StatusNotFound:
		a.Reason, status = fmt.Sprintf("phoenixd says: %.200s", text), max(status, http.StatusBadRequest)
	default:
		err = unexpected(status)
	}
	return a, status, err
}

// unexpected returns the error of a status that says nothing about a payment.
func unexpected(status int) error {
	return fmt.Errorf("phoenixd answered with status %d; is its password the one of full access (http-password)?", status)
}

// Pay implements wallet.Wallet.
func (w *Wallet) Pay(ctx context.Context, p wallet.Payment) (wallet.Outcome, error) {
	a, _, err := w.call(ctx, http.MethodPost, "/payinvoice", url.Values{"invoice": {p.Invoice}})
	switch {
	case err != nil:
		return wallet.Outcome{}, err
	case a.Reason == "", strings.Contains(a.Reason, "progress"): // "another payment is in progress for that invoice"
		out, err := w.Track(ctx, p.Hash) // which has the fee to the millisatoshi
		if a.Paid != "" && (err != nil || out.Status != wallet.Succeeded) {
			return wallet.Success(a.Paid, 1000*int64(a.FeeSats))
		}
		return out, err
	}
	return rest.Refused(ctx, w, p.Hash, a.Reason)
}

// Payments implements wallet.Lister. phoenixd's sum may contain the fee, which then is counted twice.
func (w *Wallet) Payments(ctx context.Context, since time.Time) ([]wallet.Record, error) {
	return wallet.Pages(func(offset int) (records []wallet.Record, _ error) {
		var page []struct {
			Hash     string        `json:"paymentHash"`
			Preimage string        `json:"preimage"`
			Sent     wallet.Number `json:"sent"` // in satoshis
			Fees     wallet.Number `json:"fees"` // in millisatoshis
			Created  wallet.Number `json:"createdAt"`
		}
		status, err := w.node.Decode(ctx, http.MethodGet,
			fmt.Sprintf("/payments/outgoing?limit=100&offset=%d&from=%d", offset, max(0, since.UnixMilli())), nil, &page)
		if status != 0 && status != http.StatusOK {
			return nil, unexpected(status)
		}
		for _, p := range page {
			records = append(records, wallet.Record{Hash: p.Hash, AmountMilliSats: 1000 * int64(p.Sent), FeeMilliSats: int64(p.Fees), Preimage: p.Preimage,
				At: time.UnixMilli(int64(p.Created))})
		}
		return records, err
	})
}

// Track implements wallet.Wallet. The record of a failed payment may be that of an earlier order, while another is under
// way; phoenixd, asked to pay the invoice again, knows, so that such a payment counts as unknown.
func (w *Wallet) Track(ctx context.Context, hash [32]byte) (wallet.Outcome, error) {
	a, status, err := w.call(ctx, http.MethodGet, "/payments/outgoingbyhash/"+hex.EncodeToString(hash[:]), nil)
	switch {
	case err != nil:
		return wallet.Outcome{}, err
	case status == http.StatusNotFound, status == http.StatusOK && a.Preimage == "" && a.CompletedAt != 0:
		return wallet.Outcome{Status: wallet.Unknown}, nil
	case status != http.StatusOK:
		return wallet.Outcome{}, fmt.Errorf("ask about a payment: %s", a.Reason)
	case a.Preimage == "":
		return wallet.Outcome{Status: wallet.Pending}, nil
	}
	return wallet.Success(a.Preimage, int64(a.Fees))
}
