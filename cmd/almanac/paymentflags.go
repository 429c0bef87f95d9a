package main

import (
	"cmp"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/peterbourgon/ff/v3/ffcli"
	"google.golang.org/grpc/codes"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/l402"
	"go.almanac.example/l402/ledger"
	"go.almanac.example/server"
)

// defaultState is the directory of a service's state.
const defaultState = "almanac-state"

// paymentFlags are serve's flags for selling.
type paymentFlags struct {
	server.PaymentConfig
	backend       string
	grpcChallenge int
}

func (p *paymentFlags) register(f *flag.FlagSet) {
	f.StringVar(&p.backend, "payments", "demo",
		"`backend` that makes invoices: demo (nobody pays for real), lnurl, nwc, phoenixd, lnd, cln, or off")
	registerNodes(f, &p.PaymentConfig)
	registerLedger(f, &p.Ledger)
	f.IntVar(&p.grpcChallenge, "grpc-challenge", 402, "gRPC `status` of a challenge: 402 or 13")
	limits := l402.DefaultLimits()
	f.IntVar(&p.Challenges.Rate, "challenge-rate", limits.Rate,
		"`challenges` per second for all clients together, divided fairly among networks; each is an invoice that the node keeps for 15 minutes")
	f.IntVar(&p.Challenges.Outstanding, "challenge-outstanding", limits.Outstanding,
		"`challenges` whose invoice has not expired, for all clients together")
	p.Challenges.Proven = limits.Proven
	f.BoolVar(&p.DemoAnywhere, "demo-anywhere", false, "let -payments demo serve other machines than this one")
}

func registerLedger(f *flag.FlagSet, url *string) {
	f.StringVar(url, "ledger", "", "`place` where credits are kept: sqlite:FILE or postgres://… (empty: SQLite in -state)")
}

// ledgerURL returns the address of the ledger.
func ledgerURL(ledger, state string) string {
	return cmp.Or(ledger, "sqlite:"+filepath.Join(state, "ledger.db"))
}

// stateFlags name the places of a service's state, for commands beside it.
type stateFlags struct{ state, ledger string }

func (f *stateFlags) register(cmd *ffcli.Command) {
	cmd.FlagSet.StringVar(&f.state, "state", defaultState, "`directory` of the key file and the SQLite ledger")
	registerLedger(cmd.FlagSet, &f.ledger)
	acceptConfigFile(cmd, "", false)
}

func (f *stateFlags) ledgerURL() string { return ledgerURL(f.ledger, f.state) }

func (p *paymentFlags) config(state string) (server.PaymentConfig, error) {
	c := p.PaymentConfig
	c.Backend = server.Backend(p.backend)
	if err := checkNode(&c); err != nil {
		return c, err
	}
	if p.grpcChallenge != 402 && p.grpcChallenge != 13 {
		return c, usageError(fmt.Sprintf("-grpc-challenge %d is unknown; use 402 or 13", p.grpcChallenge))
	}
	c.GRPCChallenge = codes.Code(p.grpcChallenge)
	if c.Challenges.Rate < 1 || c.Challenges.Outstanding < 1 {
		return c, usageError("-challenge-rate and -challenge-outstanding must be above 0; -payments off sells nothing")
	}
	c.Ledger = ledgerURL(c.Ledger, state)
	if err := ledger.CheckURL(c.Ledger); err != nil {
		return c, usageError("-ledger: " + err.Error())
	}
	return c, nil
}

// registerNodes adds the flags of the Lightning nodes.
func registerNodes(f *flag.FlagSet, p *server.PaymentConfig) {
	network := func(value *string, name, of string) {
		f.StringVar(value, name, "mainnet", of+"'s `network`: "+strings.Join(bolt11.Networks(), ", "))
	}
	f.StringVar(&p.LND.URL, "lnd-url", "https://localhost:8080", "REST `address` of the lnd node")
	f.StringVar(&p.LND.CertFile, "lnd-cert", "", "`file` with the node's tls.cert")
	f.StringVar(&p.LND.MacaroonFile, "lnd-macaroon", "", "`file` with a macaroon for uri:/lnrpc.Lightning/AddInvoice")
	network(&p.LND.Network, "lnd-network", "the node")
	f.StringVar(&p.Phoenixd.URL, "phoenixd-url", "http://localhost:9740", "`address` of phoenixd")
	f.StringVar(&p.Phoenixd.PasswordFile, "phoenixd-password", "", "`file` with phoenixd's http-password-limited-access")
	network(&p.Phoenixd.Network, "phoenixd-network", "phoenixd")
	f.StringVar(&p.CLN.URL, "cln-url", "https://localhost:3010", "`address` of Core Lightning's clnrest")
	f.StringVar(&p.CLN.CertFile, "cln-cert", "", "`file` with clnrest's ca.pem")
	f.StringVar(&p.CLN.RuneFile, "cln-rune", "", "`file` with a rune for the methods invoice and getinfo")
	network(&p.CLN.Network, "cln-network", "the node")
	f.StringVar(&p.NWC.ConnectionFile, "nwc-connection", "",
		"`file` with a wallet connection, which begins with nostr+walletconnect://")
	network(&p.NWC.Network, "nwc-network", "the wallet")
	f.StringVar(&p.LNURL.Address, "lnurl-address", "", "Lightning `address` that is paid, like name@example.com, or an LNURL")
	network(&p.LNURL.Network, "lnurl-network", "the service")
}

// checkNode returns an error if a flag is missing that the back end needs.
func checkNode(c *server.PaymentConfig) error {
	needs, known := map[server.Backend]struct {
		flags  string
		values []string
	}{
		server.BackendDemo:     {},
		server.BackendOff:      {},
		server.BackendLND:      {"-lnd-cert and -lnd-macaroon", []string{c.LND.CertFile, c.LND.MacaroonFile}},
		server.BackendPhoenixd: {"-phoenixd-password", []string{c.Phoenixd.PasswordFile}},
		server.BackendCLN:      {"-cln-cert and -cln-rune", []string{c.CLN.CertFile, c.CLN.RuneFile}},
		server.BackendNWC:      {"-nwc-connection", []string{c.NWC.ConnectionFile}},
		server.BackendLNURL:    {"-lnurl-address", []string{c.LNURL.Address}},
	}[c.Backend]
	switch {
	case !known:
		return usageError(fmt.Sprintf("-payments %q is unknown; use %s or off", c.Backend, backends))
	case slices.Contains(needs.values, ""):
		return usageError(fmt.Sprintf("-payments %s needs %s; see docs/nodes.md", c.Backend, needs.flags))
	}
	return nil
}

// backends lists the makers of invoices for sentences.
const backends = "demo, lnurl, nwc, phoenixd, lnd, cln"
