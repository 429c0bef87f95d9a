// Package lnd pays with an lnd node over REST.
//
// The macaroon needs two rights: lncli bakemacaroon uri:/routerrpc.Router/SendPaymentV2
// uri:/routerrpc.Router/TrackPaymentV2, and to list payments, uri:/lnrpc.Lightning/ListPayments. It is written against
// lnd v0.20.1-beta (https://lightning.engineering/api-docs/api/lnd/).
package lnd

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.almanac.example/http402/wallet"
	"go.almanac.example/http402/wallet/rest"
)

// A Wallet is an lnd node. It implements [wallet.Wallet].
type Wallet struct{ node *rest.Client }

// New reads the files: tls.cert, and a macaroon as lnd writes it, or in hexadecimal as lncli prints it. It does not call
// the node, whose REST address is like https://localhost:8080.
func New(address, certFile, macaroonFile string) (*Wallet, error) {
	node, err := rest.New(address, certFile, "Grpc-Metadata-macaroon", macaroonFile, rest.ReadMacaroon)
	return &Wallet{node}, err
}

// Pay implements wallet.Wallet.
func (w *Wallet) Pay(ctx context.Context, p wallet.Payment) (wallet.Outcome, error) {
	answer, err := w.call(ctx, http.MethodPost, "/v2/router/send", map[string]any{
		"payment_request":     p.Invoice,
		"timeout_seconds":     max(1, int(p.Timeout/time.Second)),
		"fee_limit_msat":      strconv.FormatInt(p.FeeLimitMilliSats, 10),
		"no_inflight_updates": true,
	})
	fault, isFault := errors.AsType[*NodeError](err)
	switch {
	case err == nil:
		return outcome(answer)
	case !isFault:
		return wallet.Outcome{}, err
	// It was paid before, or is under way (channeldb.ErrPaymentInFlight, ErrAlreadyPaid, ErrPaymentExists).
	case fault.Code == 6 || fault.says("payment is in transition", "invoice is already paid", "already exists"):
		return w.track(ctx, p.Hash, true)
	case !fault.refused():
		return wallet.Outcome{}, err
	}
	return rest.Refused(ctx, w, p.Hash, fault.Message) // lnd looks at the expiry before it looks at its payments
}

// Track implements wallet.Wallet.
func (w *Wallet) Track(ctx context.Context, hash [32]byte) (wallet.Outcome, error) {
	return w.track(ctx, hash, false)
}

// track returns the state of a payment, or with wait its end.
func (w *Wallet) track(ctx context.Context, hash [32]byte, wait bool) (wallet.Outcome, error) {
	answer, err := w.call(ctx, http.MethodGet, fmt.Sprintf("/v2/router/track/%s?no_inflight_updates=%t", base64.URLEncoding.EncodeToString(hash[:]), wait), nil)
	fault, isFault := errors.AsType[*NodeError](err)
	switch {
	case err == nil:
		return outcome(answer)
	case isFault && (fault.Code == 5 || fault.says("payment isn't initiated")): // channeldb.ErrPaymentNotInitiated
		return wallet.Outcome{Status: wallet.Unknown}, nil
	}
	return wallet.Outcome{}, err
}

// paymentPage is the number of payments in an answer, which has every attempt at each.
const paymentPage = 20

// Payments implements wallet.Lister.
func (w *Wallet) Payments(ctx context.Context, since time.Time) ([]wallet.Record, error) {
	index := int64(0)
	return wallet.Pages(func(int) (records []wallet.Record, err error) {
		var page struct {
			Payments []payment `json:"payments"`
			Last     int64     `json:"last_index_offset,string"`
			Message  string    `json:"message"`
		}
		_, err = w.node.Decode(ctx, http.MethodGet, fmt.Sprintf("/v1/payments?include_incomplete=true&max_payments=%d&index_offset=%d&creation_date_start=%d",
			paymentPage, index, max(0, since.Unix())), nil, &page)
		if page.Message != "" {
			return nil, fmt.Errorf("%w; its macaroon needs uri:/lnrpc.Lightning/ListPayments", &NodeError{Message: page.Message})
		}
		for _, p := range page.Payments {
			r := wallet.Record{Hash: p.Hash, AmountMilliSats: int64(p.Amount), FeeMilliSats: int64(p.Fee), At: time.Unix(0, int64(p.Created))}
			if p.Status == "SUCCEEDED" {
				r.Preimage = p.Preimage // zeros before
			}
			if p.Status != "FAILED" {
				records = append(records, r)
			}
		}
		index = page.Last
		return records, err
	})
}

// A payment is lnd's record of one.
type payment struct {
	Hash          string        `json:"payment_hash"`
	Status        string        `json:"status"`
	FailureReason string        `json:"failure_reason"`
	Preimage      string        `json:"payment_preimage"`
	Amount        wallet.Number `json:"value_msat"`
	Fee           wallet.Number `json:"fee_msat"`
	Created       wallet.Number `json:"creation_time_ns"`
}

func outcome(p payment) (wallet.Outcome, error) {
	switch p.Status {
	case "SUCCEEDED":
		return wallet.Success(p.Preimage, int64(p.Fee))
	case "FAILED":
		return wallet.Outcome{Status: wallet.Failed, Reason: cmp.Or(reasons[p.FailureReason], p.FailureReason)}, nil
	case "INITIATED", "IN_FLIGHT", "UNKNOWN", "":
		return wallet.Outcome{Status: wallet.Pending}, nil
	}
	return wallet.Outcome{}, fmt.Errorf("the node says that the payment is %.40q", p.Status)
}

// reasons are lnd's failure reasons in words (lnrpc.PaymentFailureReason).
var reasons = map[string]string{
	"FAILURE_REASON_TIMEOUT":                   "no route worked in time",
	"FAILURE_REASON_NO_ROUTE":                  "there is no route within the fee limit",
	"FAILURE_REASON_INCORRECT_PAYMENT_DETAILS": "the payee refused the payment, perhaps because the invoice has expired",
	"FAILURE_REASON_INSUFFICIENT_BALANCE":      "the node's channels hold too little",
}

// call sends a request and returns the first message of the stream that answers it.
func (w *Wallet) call(ctx context.Context, method, path string, in any) (payment, error) {
	var answer struct {
		Result  *payment   `json:"result"`
		Error   *NodeError `json:"error"` // of a stream
		Code    int        `json:"code"`
		Message string     `json:"message"`
	}
	status, err := w.node.Decode(ctx, method, path, in, &answer)
	switch {
	case err != nil:
		return payment{}, err
	case answer.Error != nil:
		return payment{}, answer.Error
	case answer.Message != "":
		return payment{}, &NodeError{Code: answer.Code, Message: answer.Message}
	case answer.Result == nil || status != http.StatusOK:
		return payment{}, fmt.Errorf("the node answered with status %d and no payment", status)
	}
	return *answer.Result, nil
}

// A NodeError is an error of lnd. Most have code 2 (unknown), so the message decides.
type NodeError struct {
	Code    int    `json:"code"` // of gRPC
	Message string `json:"message"`
}

// Error implements error.
func (f *NodeError) Error() string { return "the node says: " + f.Message }

func (f *NodeError) says(texts ...string) bool {
	return slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(f.Message, t) })
}

// refused reports whether the node refused the order before it did anything about it.
func (f *NodeError) refused() bool {
	return f.Code == 3 || f.says("invoice expired", "permission denied", "verification failed",
		"self-payments not allowed", "expected 1 macaroon", "invalid payment request",
		"invoice not for current active network", "checksum failed", "cannot get macaroon", "cannot determine data format of binary-encoded macaroon",
		"caveat")
}
