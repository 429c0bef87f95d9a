package server

import (
	"errors"
	"fmt"
	"log/slog"

	"almanac/l402"
	"almanac/l402/cln"
	"almanac/l402/lnd"
	"almanac/l402/node"
	"almanac/l402/nwc"
	"almanac/l402/phoenixd"
)

// openLightning opens the Lightning node of a configuration, without calling it.
func openLightning(cfg PaymentConfig, log *slog.Logger) (*node.Node, error) {
	switch cfg.Backend {
	case BackendLND:
		cfg.LND.Log = log
		return lnd.New(cfg.LND)
	case BackendPhoenixd:
		cfg.Phoenixd.Log = log
		return phoenixd.New(cfg.Phoenixd)
	case BackendCLN:
		cfg.CLN.Log = log
		return cln.New(cfg.CLN)
	case BackendNWC:
		cfg.NWC.Log = log
		return nwc.New(cfg.NWC)
	}
	return nil, fmt.Errorf("payments %q are unknown", cfg.Backend)
}

// refuseReadable returns an error if the first probe found that the node tells strangers the preimages of unpaid invoices. A node that is
// only away is no reason not to start.
func refuseReadable(nodeErr error) error {
	if errors.Is(nodeErr, node.ErrReadable) {
		return fmt.Errorf("nothing can be sold with this node: %w", nodeErr)
	}
	return nil
}

// A reloader reads its credentials again.
type reloader interface{ Reload() error }

// reloadNode reads the node's credentials again, if it has any.
func reloadNode(n l402.Invoicer) error {
	if r, ok := n.(reloader); ok {
		return r.Reload()
	}
	return nil
}
