package lnd

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/btcsuite/btcd/chaincfg"
	"github.com/lightningnetwork/lnd/zpay32"
)

// Networks are the names that [Config.Network] takes.
func Networks() []string {
	return []string{"mainnet", "testnet", "signet", "simnet", "regtest"}
}

func params(network string) (*chaincfg.Params, error) {
	switch network {
	case "mainnet":
		return &chaincfg.MainNetParams, nil
	case "testnet":
		return &chaincfg.TestNet3Params, nil // testnet4's invoices look the same
	case "signet":
		return &chaincfg.SigNetParams, nil
	case "simnet":
		return &chaincfg.SimNetParams, nil
	case "regtest":
		return &chaincfg.RegressionNetParams, nil
	}
	return nil, fmt.Errorf("network %q is none of %s", network, strings.Join(Networks(), ", "))
}

// checkURL returns the part of s that call puts a path behind. The macaroon travels in a header, so there must be TLS.
func checkURL(s string) (string, error) {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" {
		return "", fmt.Errorf("node address %q is not like https://localhost:8080", s)
	}
	if u.Scheme != "https" {
		return "", fmt.Errorf("node address %q must begin with https://, which lnd's REST listener speaks unless it runs with no-rest-tls", s)
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "" {
		return "", fmt.Errorf("node address %q must be a host and a port only", u.Redacted())
	}
	return "https://" + u.Host, nil
}

// expiry reads from the invoice itself until when it can be paid.
func expiry(invoice string, net *chaincfg.Params) (time.Time, error) {
	decoded, err := zpay32.Decode(invoice, net)
	if err != nil {
		return time.Time{}, err
	}
	return decoded.Timestamp.Add(decoded.Expiry()), nil
}
