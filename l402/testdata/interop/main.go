// Command aperture-client buys and calls with Lightning Labs' own gRPC interceptor, for a test of package l402. It is a
// module of its own, because the interceptor brings all of lnd and a fork of protobuf along.
//
// Arguments: the address of the service, the address of the demo's wallet, a folder for the token, and "mainnet" if
// invoices are of mainnet and not of regtest. It makes two health
// checks and prints how each ended, and how often it paid, as JSON.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/btcsuite/btcd/btcutil"
	"github.com/btcsuite/btcd/chaincfg"
	"github.com/lightninglabs/aperture/l402"
	"github.com/lightninglabs/lndclient"
	"github.com/lightningnetwork/lnd/lntypes"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	health "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// A wallet is lnd as far as the interceptor asks it.
type wallet struct {
	lndclient.LightningClient
	address  string
	payments int
}

// PayInvoice pays at the demo's wallet.
func (w *wallet) PayInvoice(ctx context.Context, invoice string, _ btcutil.Amount, _ *uint64) chan lndclient.PaymentResult {
	done := make(chan lndclient.PaymentResult, 1)
	w.payments++
	preimage, err := w.pay(ctx, invoice)
	done <- lndclient.PaymentResult{Err: err, Preimage: preimage, PaidAmt: 100}
	return done
}

func (w *wallet) pay(ctx context.Context, invoice string) (lntypes.Preimage, error) {
	body, err := json.Marshal(map[string]string{"invoice": invoice})
	if err != nil {
		return lntypes.Preimage{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.address, bytes.NewReader(body))
	if err != nil {
		return lntypes.Preimage{}, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return lntypes.Preimage{}, err
	}
	defer resp.Body.Close()
	var paid struct{ Preimage string }
	if err := json.NewDecoder(resp.Body).Decode(&paid); err != nil {
		return lntypes.Preimage{}, err
	}
	return lntypes.MakePreimageFromStr(paid.Preimage)
}

func run(service, walletAddress, dir string, params *chaincfg.Params) error {
	store, err := l402.NewFileStore(dir)
	if err != nil {
		return err
	}
	w := &wallet{address: walletAddress}
	lnd := &lndclient.LndServices{Client: w, ChainParams: params}
	interceptor := l402.NewInterceptor(lnd, store, 10*time.Second, l402.DefaultMaxCostSats, l402.DefaultMaxRoutingFeeSats, true)
	conn, err := grpc.NewClient(service, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithUnaryInterceptor(interceptor.UnaryInterceptor))
	if err != nil {
		return err
	}
	defer conn.Close()
	client := health.NewHealthClient(conn)
	result := struct {
		Errors   []string
		Balances []string
		Payments int
	}{}
	for range 2 {
		var header metadata.MD
		_, err := client.Check(context.Background(), &health.HealthCheckRequest{Service: "x402"}, grpc.Header(&header))
		result.Errors = append(result.Errors, status.Convert(err).Message())
		result.Balances = append(result.Balances, fmt.Sprint(header.Get("x-credit-balance")))
		if err != nil {
			break // else the interceptor tracks a payment that failed, with a router that is not here
		}
	}
	result.Payments = w.payments
	return json.NewEncoder(os.Stdout).Encode(result)
}

func main() {
	params := &chaincfg.RegressionNetParams
	if len(os.Args) == 5 && os.Args[4] == "mainnet" {
		params = &chaincfg.MainNetParams
	} else if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: aperture-client service wallet folder [mainnet]")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3], params); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
