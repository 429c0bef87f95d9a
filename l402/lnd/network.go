package lnd

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/btcsuite/btcd/chaincfg"
	"github.com/lightningnetwork/lnd/zpay32"
)

// Networks returns the valid values of [Config.Network].
func Networks() []string {
	return []string{"mainnet", "testnet", "signet", "simnet", "regtest"}
}

func params(network string) (*chaincfg.Params, error) {
	switch network {
	case "mainnet":
		return &chaincfg.MainNetParams, nil
	case "testnet":
		return &chaincfg.TestNet3Params, nil // the invoices of testnet4 look the same
	case "signet":
		return &chaincfg.SigNetParams, nil
	case "simnet":
		return &chaincfg.SimNetParams, nil
	case "regtest":
		return &chaincfg.RegressionNetParams, nil
	}
	return nil, fmt.Errorf("%q is not a network: use one of %s", network, strings.Join(Networks(), ", "))
}

// checkURL returns the part of s that precedes the path of a call. It requires TLS, because a header carries the macaroon.
func checkURL(s string) (string, error) {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" {
		return "", fmt.Errorf("%q is not a node address: use one like https://localhost:8080", s)
	}
	if u.Scheme != "https" {
		return "", fmt.Errorf("node address %q must begin with https://, as lnd's REST listener requires unless it runs with no-rest-tls", s)
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "" {
		return "", fmt.Errorf("node address %q must consist of a host and a port only", u.Redacted())
	}
	return "https://" + u.Host, nil
}

// expiry returns the time until which an invoice can be paid, according to the invoice.
func expiry(invoice string, net *chaincfg.Params) (time.Time, error) {
	decoded, err := zpay32.Decode(invoice, net)
	if err != nil {
		return time.Time{}, err
	}
	return decoded.Timestamp.Add(decoded.Expiry()), nil
}
