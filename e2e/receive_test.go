package e2e

import (
	"testing"

	"go.almanac.example/l402/node/lnd/simnet"
)

// TestReceive: doctor says what a real lnd can receive, that a price above it cannot be paid, and which right a macaroon lacks.
func TestReceive(t *testing.T) {
	net := simnet.Start(t)
	state := t.TempDir()
	doctor := func(macaroon, price string) []string {
		return []string{"doctor", "-http", "localhost:0", "-admin", "off", "-state", state, "-payments", "lnd", "-lnd-url", net.Merchant.URL,
			"-lnd-cert", net.Merchant.CertFile, "-lnd-macaroon", macaroon, "-lnd-network", net.Merchant.Network, "-price", price}
	}
	operator, both := newShopper(t), net.Bake("/lnrpc.Lightning/AddInvoice", "/lnrpc.Lightning/ListChannels")
	operator.want(0, []string{"whether it can be paid is not known", "/lnrpc.Lightning/ListChannels"}, doctor(net.Merchant.MacaroonFile, "70")...)
	operator.want(0, []string{"its channels can receive 19"}, doctor(both, "70")...)
	operator.want(1, []string{"FAIL", "its channels can receive 19", "active channels: 1", "and the price is 3000000", "inbound liquidity"}, doctor(both, "3000000")...)
}
