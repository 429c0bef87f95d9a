package main

import (
	"cmp"
	"flag"
	"fmt"
	"path/filepath"

	"google.golang.org/grpc/codes"

	"almanac/l402"
	"almanac/l402/ledger"
	"almanac/server"
)

// defaultState is the directory of everything that a service keeps.
const defaultState = "almanac-state"

// paymentFlags are the flags of serve that are about being paid.
type paymentFlags struct {
	server.PaymentConfig
	backend       string
	grpcChallenge int
}

func (p *paymentFlags) register(f *flag.FlagSet) {
	f.StringVar(&p.backend, "payments", "demo", "`backend` that makes invoices: demo (nobody pays for real), nwc, phoenixd, lnd, cln, or off")
	registerNodes(f, &p.PaymentConfig)
	registerLedger(f, &p.Ledger)
	f.IntVar(&p.grpcChallenge, "grpc-challenge", 402, "gRPC `status` of a challenge: 402 or 13")
	limits := l402.DefaultLimits()
	f.IntVar(&p.Challenges.Rate, "challenge-rate", limits.Rate, "`challenges` per second for all clients together, divided fairly among networks; each is an invoice that the node keeps for 15 minutes")
	f.IntVar(&p.Challenges.Outstanding, "challenge-outstanding", limits.Outstanding, "`challenges` whose invoice has not expired, for all clients together")
	f.IntVar(&p.Challenges.Proven, "challenge-proven", limits.Proven, "`percentage` of the challenges that is kept for clients that have paid before")
	f.BoolVar(&p.DemoAnywhere, "demo-anywhere", false, "let -payments demo serve other machines than this one")
}

func registerLedger(f *flag.FlagSet, url *string) {
	f.StringVar(url, "ledger", "", "`place` where credits are kept: sqlite:FILE or postgres://… (empty: SQLite in -state)")
}

// ledgerURL returns the address of the ledger.
func ledgerURL(ledger, state string) string {
	return cmp.Or(ledger, "sqlite:"+filepath.Join(state, "ledger.db"))
}

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
	if c.Challenges.Proven < 0 || c.Challenges.Proven > 100 {
		return c, usageError("-challenge-proven is a percentage, from 0 to 100")
	}
	c.Ledger = ledgerURL(c.Ledger, state)
	if err := ledger.CheckURL(c.Ledger); err != nil {
		return c, usageError("-ledger: " + err.Error())
	}
	return c, nil
}
