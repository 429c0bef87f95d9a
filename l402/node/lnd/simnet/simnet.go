// Package simnet runs a Lightning network of two lnd nodes for a test: a merchant who sells, and a payer with a channel
// to them and money in it. The coins are simnet's, worth nothing; everything else is as in production, with TLS and
// macaroons on.
//
// The daemons are btcd and lnd as .ci/setup-lnd.sh builds them. They listen on loopback, and end with the test.
package simnet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.almanac.example/internal/parttest"
)

const (
	// A network is ready in 6 to 8 seconds on an idle machine and was seen to take 53 on a loaded one.
	startTimeout = 10 * time.Minute
	stopTimeout  = 5 * time.Minute

	// Ports are chosen before the daemons take them, so another process may come first.
	startTries = 3
)

// A Network is a running network of a merchant and a payer. Its methods that return no error end the test when they
// fail, so they belong on the test's own goroutine.
type Network struct {
	Merchant Merchant

	t        testing.TB
	chain    *chain
	merchant *node
	payer    *node
	channel  string // id of the channel from the payer to the merchant
}

// Merchant is what a shop knows of its node.
type Merchant struct {
	URL          string // of the REST listener; it stays when the merchant is stopped and started
	CertFile     string
	MacaroonFile string // may add invoices and nothing else
	Network      string // "simnet"
}

// Start runs a network until t ends, whose merchant's lnd has further arguments. It is a real part: see package parttest.
func Start(t testing.TB, merchant ...string) *Network {
	t.Helper()
	btcd, lnd := binary(t, "BTCD_BIN", "btcd"), binary(t, "LND_BIN", "lnd")
	for try := 1; ; try++ {
		n, err := start(t, btcd, lnd, merchant)
		if err == nil {
			return n
		}
		n.kill()
		tails := n.tails()
		if try == startTries || !portTaken(tails) {
			t.Fatalf("start the simnet: %v\n%s", err, tails)
		}
		t.Logf("start the simnet: a port was taken; trying again (%v)", err)
	}
}

// binary finds the daemon called name: where the variable env says, else where .ci/setup-lnd.sh puts it.
func binary(t testing.TB, env, name string) string {
	t.Helper()
	parttest.Want(t)
	path := os.Getenv(env)
	if path == "" {
		return parttest.Cached(t, "setup-lnd.sh", "lnd", name)
	}
	if _, err := os.Stat(path); err != nil {
		parttest.Missing(t, "%s names no program: %v", env, err)
	}
	return path
}

// start always returns a network; if it also returns an error, the network is only good for kill and tails.
func start(t testing.TB, btcd, lnd string, merchant []string) (*Network, error) {
	dir := t.TempDir()
	n := &Network{t: t}
	ports, err := freePorts(8)
	if err != nil {
		return n, err
	}
	n.chain = newChain(btcd, filepath.Join(dir, "btcd"), ports[0], ports[1])
	n.merchant = newNode(lnd, "merchant", filepath.Join(dir, "merchant"), ports[2:5], n.chain, merchant...)
	n.payer = newNode(lnd, "payer", filepath.Join(dir, "payer"), ports[5:8], n.chain)
	t.Cleanup(n.kill)

	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	if err := n.fund(ctx); err != nil {
		return n, fmt.Errorf("give the payer money: %w", err)
	}
	if err := n.openChannel(ctx); err != nil {
		return n, fmt.Errorf("open a channel: %w", err)
	}
	n.Merchant = Merchant{URL: n.merchant.url, CertFile: n.merchant.daemon.cert, Network: "simnet"}
	n.Merchant.MacaroonFile, err = n.merchant.bake(ctx, "/lnrpc.Lightning/AddInvoice")
	return n, err
}

// Pay pays a BOLT 11 invoice from the payer's channel and returns the preimage, in lower-case hex, that proves it.
func (n *Network) Pay(ctx context.Context, invoice string) (preimage string, err error) {
	var answer struct {
		Result struct {
			Status        string `json:"status"`
			FailureReason string `json:"failure_reason"`
			PaymentHash   string `json:"payment_hash"`
			Preimage      string `json:"payment_preimage"`
		} `json:"result"`
	}
	err = n.payer.post(ctx, "/v2/router/send", map[string]any{
		"payment_request": invoice, "timeout_seconds": 300, "fee_limit_sat": "10", "no_inflight_updates": true,
	}, &answer)
	if err != nil {
		return "", fmt.Errorf("pay: %w", err)
	}
	res := answer.Result
	if res.Status != "SUCCEEDED" {
		return "", fmt.Errorf("pay: %s %s", res.Status, res.FailureReason)
	}
	raw, err := hex.DecodeString(res.Preimage)
	if err != nil {
		return "", fmt.Errorf("pay: preimage: %w", err)
	}
	if sum := sha256.Sum256(raw); hex.EncodeToString(sum[:]) != res.PaymentHash {
		return "", fmt.Errorf("pay: the preimage is not that of payment hash %s", res.PaymentHash)
	}
	return res.Preimage, nil
}

// InvoiceState asks the merchant's node, as its owner, about the invoice with a payment hash in hex: OPEN, SETTLED,
// CANCELED or ACCEPTED.
func (n *Network) InvoiceState(ctx context.Context, paymentHash string) (string, error) {
	return n.InvoiceStateAs(ctx, n.merchant.adminFile(), paymentHash)
}

// InvoiceStateAs asks the same with the macaroon in the file.
func (n *Network) InvoiceStateAs(ctx context.Context, macaroonFile, paymentHash string) (string, error) {
	raw, err := os.ReadFile(macaroonFile)
	if err != nil {
		return "", err
	}
	as := *n.merchant
	as.macaroon = hex.EncodeToString(raw)
	var answer struct {
		State string `json:"state"`
	}
	err = as.get(ctx, "/v1/invoice/"+paymentHash, &answer)
	return answer.State, err
}

// Bake makes another macaroon on the merchant's node, for the given gRPC methods such as "/lnrpc.Lightning/AddInvoice",
// and returns its file.
func (n *Network) Bake(methods ...string) string {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	file, err := n.merchant.bake(ctx, methods...)
	if err != nil {
		n.fatal("bake a macaroon", err)
	}
	return file
}

// PayerCertFile is the certificate of the other node.
func (n *Network) PayerCertFile() string { return n.payer.daemon.cert }

// PayerMacaroonFile is the other node's admin macaroon.
func (n *Network) PayerMacaroonFile() string { return n.payer.adminFile() }

// StopMerchant stops the merchant's node as an operator would, and returns when it is gone.
func (n *Network) StopMerchant() {
	n.t.Helper()
	if err := n.merchant.daemon.stop(stopTimeout); err != nil {
		n.fatal("stop the merchant", err)
	}
}

// StartMerchant starts the merchant's node again, at the same address, and returns when it can be paid.
func (n *Network) StartMerchant() {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	err := n.merchant.start(ctx)
	if err == nil {
		_, err = n.connect(ctx) // the payer would come back by itself, but takes its time
	}
	if err == nil {
		err = n.payable(ctx)
	}
	if err != nil {
		n.fatal("start the merchant", err)
	}
}

func (n *Network) fatal(what string, err error) {
	n.t.Helper()
	n.t.Fatalf("%s: %v\n%s", what, err, n.tails())
}

func (n *Network) kill() {
	for _, d := range n.daemons() {
		d.kill()
	}
}

func (n *Network) tails() string {
	var s string
	for _, d := range n.daemons() {
		s += d.tail()
	}
	return s
}

func (n *Network) daemons() []*daemon {
	if n.payer == nil {
		return nil
	}
	return []*daemon{n.payer.daemon, n.merchant.daemon, n.chain.daemon}
}
