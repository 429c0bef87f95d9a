package main

import (
	"flag"
	"fmt"
	"strconv"
	"strings"

	"almanac/l402/node"
	"almanac/server"
)

// registerNodes adds the flags of the Lightning nodes.
func registerNodes(f *flag.FlagSet, p *server.PaymentConfig) {
	network := func(value *string, name, of string) {
		f.StringVar(value, name, "mainnet", of+"'s `network`: "+strings.Join(node.Networks(), ", "))
	}
	f.StringVar(&p.LND.URL, "lnd-url", "https://localhost:8080", "REST `address` of the lnd node")
	f.StringVar(&p.LND.CertFile, "lnd-cert", "", "`file` with the node's tls.cert")
	f.StringVar(&p.LND.MacaroonFile, "lnd-macaroon", "", "`file` with a macaroon for uri:/lnrpc.Lightning/AddInvoice")
	network(&p.LND.Network, "lnd-network", "the node")
	p.LND.RouteHints, p.LND.AskChannels = true, true
	f.Func("lnd-route-hints", "`value` true, false or auto: whether invoices name channels that are not announced, so that others can pay through them; auto names them unless the node has announced ones, for which it asks if the macaroon permits uri:/lnrpc.Lightning/ListChannels (default auto)", func(value string) (err error) {
		if p.LND.AskChannels = value == "auto"; p.LND.AskChannels {
			p.LND.RouteHints = true
			return nil
		}
		p.LND.RouteHints, err = strconv.ParseBool(value)
		return err
	})
	f.StringVar(&p.Phoenixd.URL, "phoenixd-url", "http://localhost:9740", "`address` of phoenixd")
	f.StringVar(&p.Phoenixd.PasswordFile, "phoenixd-password", "", "`file` with phoenixd's http-password-limited-access")
	network(&p.Phoenixd.Network, "phoenixd-network", "phoenixd")
	f.StringVar(&p.CLN.URL, "cln-url", "https://localhost:3010", "`address` of Core Lightning's clnrest")
	f.StringVar(&p.CLN.CertFile, "cln-cert", "", "`file` with clnrest's ca.pem")
	f.StringVar(&p.CLN.RuneFile, "cln-rune", "", "`file` with a rune for the methods invoice and getinfo")
	network(&p.CLN.Network, "cln-network", "the node")
	f.StringVar(&p.NWC.ConnectionFile, "nwc-connection", "", "`file` with a wallet connection, which begins with nostr+walletconnect://")
	network(&p.NWC.Network, "nwc-network", "the wallet")
}

// checkNode returns an error if a flag is missing that the back end needs.
func checkNode(c *server.PaymentConfig) error {
	needs := func(flags string, values ...string) error {
		for _, v := range values {
			if v == "" {
				return usageError(fmt.Sprintf("-payments %s needs %s; see docs/nodes.md", c.Backend, flags))
			}
		}
		return nil
	}
	switch c.Backend {
	case server.BackendDemo, server.BackendOff:
		return nil
	case server.BackendLND:
		return needs("-lnd-cert and -lnd-macaroon", c.LND.CertFile, c.LND.MacaroonFile)
	case server.BackendPhoenixd:
		return needs("-phoenixd-password", c.Phoenixd.PasswordFile)
	case server.BackendCLN:
		return needs("-cln-cert and -cln-rune", c.CLN.CertFile, c.CLN.RuneFile)
	case server.BackendNWC:
		return needs("-nwc-connection", c.NWC.ConnectionFile)
	}
	return usageError(fmt.Sprintf("-payments %q is unknown; use %s or off", c.Backend, backends))
}

// backends are what makes invoices, for sentences.
const backends = "demo, nwc, phoenixd, lnd, cln"
