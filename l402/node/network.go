package node

import (
	"fmt"
	"strings"

	"github.com/btcsuite/btcd/chaincfg"
)

// Networks returns the names of the networks on which a node can be.
func Networks() []string {
	return []string{"mainnet", "testnet", "signet", "simnet", "regtest"}
}

// Params returns the parameters of a network.
func Params(network string) (*chaincfg.Params, error) {
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
