package main

import (
	"cmp"
	"flag"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/peterbourgon/ff/v3/ffcli"
	"google.golang.org/grpc/codes"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/l402"
	"go.almanac.example/l402/ledger"
	"go.almanac.example/l402/node"
	"go.almanac.example/server"
)

// defaultState is the directory of a service's state.
const defaultState = "almanac-state"

// paymentFlags are serve's flags for selling.
type paymentFlags struct {
	server.PaymentConfig
	backend       string
	nodes         map[server.Backend]*node.Settings
	grpcChallenge int
	flags         *flag.FlagSet
}

func (p *paymentFlags) register(f *flag.FlagSet) {
	f.StringVar(&p.backend, "payments", "demo",
		"`backend` that makes invoices: demo (nobody pays for real), lnurl, nwc, phoenixd, lnd, cln, or off")
	p.flags = f
	p.registerNodes()
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
	if err := p.checkNode(); err != nil {
		return c, err
	}
	if n := p.nodes[c.Backend]; n != nil {
		c.Node = *n
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

// registerNodes adds the flags of the Lightning nodes, whose names begin with that of the back end.
func (p *paymentFlags) registerNodes() {
	f := p.flags
	p.nodes = map[server.Backend]*node.Settings{}
	settings := func(backend server.Backend, of string) *node.Settings {
		s := new(node.Settings)
		p.nodes[backend] = s
		f.StringVar(&s.Network, string(backend)+"-network", bolt11.Mainnet, of+"'s `network`: "+strings.Join(bolt11.Networks(), ", "))
		return s
	}
	lnd := settings(server.BackendLND, "the node")
	f.StringVar(&lnd.Address, "lnd-url", "https://localhost:8080", "REST `address` of the lnd node")
	f.StringVar(&lnd.CertFile, "lnd-cert", "", "`file` with the node's tls.cert")
	f.StringVar(&lnd.SecretFile, "lnd-macaroon", "", "`file` with a macaroon for uri:/lnrpc.Lightning/AddInvoice")
	phoenixd := settings(server.BackendPhoenixd, "phoenixd")
	f.StringVar(&phoenixd.Address, "phoenixd-url", "http://localhost:9740", "`address` of phoenixd")
	f.StringVar(&phoenixd.SecretFile, "phoenixd-password", "", "`file` with phoenixd's http-password-limited-access")
	cln := settings(server.BackendCLN, "the node")
	f.StringVar(&cln.Address, "cln-url", "https://localhost:3010", "`address` of Core Lightning's clnrest")
	f.StringVar(&cln.CertFile, "cln-cert", "", "`file` with clnrest's ca.pem")
	f.StringVar(&cln.SecretFile, "cln-rune", "", "`file` with a rune for the methods invoice and getinfo")
	f.StringVar(&settings(server.BackendNWC, "the wallet").SecretFile, "nwc-connection", "",
		"`file` with a wallet connection, which begins with nostr+walletconnect://")
	f.StringVar(&settings(server.BackendLNURL, "the service").Address, "lnurl-address", "",
		"Lightning `address` that is paid, like name@example.com, or an LNURL")
}

// checkNode returns an error if a flag of the back end's node is empty: it needs them all.
func (p *paymentFlags) checkNode() error {
	var missing []string
	p.flags.VisitAll(func(f *flag.Flag) {
		if strings.HasPrefix(f.Name, p.backend+"-") && f.Value.String() == "" {
			missing = append(missing, "-"+f.Name)
		}
	})
	switch backend := server.Backend(p.backend); {
	case p.nodes[backend] == nil && backend != server.BackendDemo && backend != server.BackendOff:
		return usageError(fmt.Sprintf("-payments %q is unknown; use demo, lnurl, nwc, phoenixd, lnd, cln or off", backend))
	case len(missing) > 0:
		return usageError(fmt.Sprintf("-payments %s needs %s; see docs/nodes.md", p.backend, strings.Join(missing, " and ")))
	}
	return nil
}
