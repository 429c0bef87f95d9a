package simnet

import (
	"context"
	"encoding/base64"
	"fmt"
	"path/filepath"
	"strconv"
	"time"
)

// Payer is what a buyer knows of their node.
type Payer struct {
	URL          string // of the REST listener
	CertFile     string
	MacaroonFile string // may pay and track payments, and nothing else
}

// Payer bakes a buyer's macaroon and returns what a buyer needs.
func (n *Network) Payer() Payer {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	file, err := n.payer.bake(ctx, "/routerrpc.Router/SendPaymentV2", "/routerrpc.Router/TrackPaymentV2", "/lnrpc.Lightning/ListPayments")
	if err != nil {
		n.fatal("bake the payer's macaroon", err)
	}
	return Payer{URL: n.payer.url, CertFile: n.payer.daemon.cert, MacaroonFile: file}
}

// A Payment is one of the payer's payments, by the payer's own list.
type Payment struct {
	Hash     string `json:"payment_hash"`
	Preimage string `json:"payment_preimage"`
	Status   string `json:"status"`
	MilliSat string `json:"value_msat"`
	FeeMsat  string `json:"fee_msat"`
}

// Payments returns the payer's list of payments, with those that failed or are under way.
func (n *Network) Payments(ctx context.Context) ([]Payment, error) {
	var list struct {
		Payments []Payment `json:"payments"`
	}
	err := n.payer.get(ctx, "/v1/payments?include_incomplete=true&max_payments=100000", &list)
	return list.Payments, err
}

// Invoice makes an invoice at the merchant's node, as its owner.
func (n *Network) Invoice(
	ctx context.Context, msat int64, memo string, expiry time.Duration,
) (text string, hash [32]byte, err error) {
	var answer struct {
		RHash          string `json:"r_hash"`
		PaymentRequest string `json:"payment_request"`
	}
	err = n.merchant.post(ctx, "/v1/invoices", map[string]string{
		"value_msat": strconv.FormatInt(msat, 10), "memo": memo, "expiry": strconv.FormatInt(int64(expiry/time.Second), 10),
	}, &answer)
	if err != nil {
		return "", hash, fmt.Errorf("make an invoice: %w", err)
	}
	raw, err := base64.StdEncoding.DecodeString(answer.RHash)
	if err != nil || len(raw) != len(hash) {
		return "", hash, fmt.Errorf("payment hash %q of the merchant (%v)", answer.RHash, err)
	}
	copy(hash[:], raw)
	return answer.PaymentRequest, hash, nil
}

// SettledInvoices returns how many of the merchant's invoices are paid.
func (n *Network) SettledInvoices(ctx context.Context) (int, error) {
	var list struct {
		Invoices []struct {
			State string `json:"state"`
		} `json:"invoices"`
	}
	if err := n.merchant.get(ctx, "/v1/invoices?num_max_invoices=100000", &list); err != nil {
		return 0, err
	}
	settled := 0
	for _, inv := range list.Invoices {
		if inv.State == "SETTLED" {
			settled++
		}
	}
	return settled, nil
}

// MerchantHost is the merchant's gRPC address, certificate and folder of macaroons, as programs take them that bring
// their own client.
func (n *Network) MerchantHost() (rpc, certFile, macaroonDir string) {
	return n.merchant.rpc, n.merchant.daemon.cert, filepath.Dir(n.merchant.adminFile())
}
