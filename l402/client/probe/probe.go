package probe

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"almanac/l402/client"
	"almanac/l402/client/challenge"
)

// Run probes an address. The error is of an address that cannot be probed at all; the report has the faults of one that
// can.
func (p *Probe) Run(ctx context.Context, address string) (*Report, error) {
	u, err := client.ParseAddress(address)
	if err != nil {
		return nil, err
	}
	s := &site{Probe: p, url: u, report: &Report{URL: address}}
	unpaid, err := s.ask(ctx, u.String(), nil)
	if err != nil {
		return nil, err
	}
	if unpaid.status == http.StatusTooManyRequests {
		return nil, fmt.Errorf("%s sends no challenge now (status 429, Retry-After %q); probe it later", address, unpaid.header.Get("Retry-After"))
	}
	if unpaid.status != http.StatusPaymentRequired {
		s.report.add(Fault, "status", refL402, "a request without a credential is answered with status %d, not 402", unpaid.status)
		return s.report, nil
	}
	s.report.add(OK, "status", "", "a request without a credential is answered with status 402")
	s.transport(u)
	s.headers(unpaid)
	s.challenges(unpaid)
	s.x402(unpaid)
	if err := s.askTwice(ctx); err != nil {
		return nil, err
	}
	if err := s.wrong(ctx); err != nil {
		return nil, err
	}
	s.discovery(ctx)
	if p.MCP != "" {
		s.mcp(ctx, p.MCP)
	}
	s.report.Families = families(unpaid)
	return s.report, nil
}

func (s *site) transport(u *url.URL) {
	switch {
	case u.Scheme == "https":
		s.report.add(OK, "tls", "", "the connection is encrypted")
	case client.Secure(u):
		s.report.add(Note, "tls", "", "the connection is not encrypted, and stays on this machine")
	default:
		s.report.add(Fault, "tls", refL402, "the challenge comes over cleartext, so that its credential could be read on the way")
	}
}

// askTwice asks a second time: each challenge is for a payment of its own.
func (s *site) askTwice(ctx context.Context) error {
	second, err := s.ask(ctx, s.url.String(), nil)
	if err != nil {
		return err
	}
	found, _ := challenge.Parse(second.header["Www-Authenticate"])
	if len(found) == 0 || len(s.hashes) == 0 {
		if second.status == http.StatusTooManyRequests {
			s.report.add(Note, "fresh", "", "a second challenge is refused for now with status 429")
		}
		return nil
	}
	for _, c := range found {
		if hash, ok := hashOf(&c); ok && s.hashes[hash] {
			s.report.add(Fault, "fresh", refLightning, "two challenges are for the same payment %s: whoever pays first has paid for both", hash)
			return nil
		}
	}
	s.report.add(OK, "fresh", "", "each challenge has an invoice of its own")
	return nil
}

// wrong presents credentials that prove nothing: they must be refused with a fresh challenge.
func (s *site) wrong(ctx context.Context) error {
	tries := []struct {
		check, what string
		cred        challenge.Credential
	}{{"wrong.malformed", "a credential that cannot be read", challenge.Credential{Header: "Authorization", Value: "L402 nonsense"}}}
	for _, c := range s.found {
		name := strings.ToLower(c.Scheme)
		zero, err := c.Credential([32]byte{})
		if err != nil {
			return err
		}
		tries = append(tries, struct {
			check, what string
			cred        challenge.Credential
		}{"wrong." + name + ".zero", "an " + c.Scheme + " credential with a preimage of zeroes", zero})
		if inv, ok := invoiceOf(&c); ok {
			asProof, err := c.Credential(inv.Hash)
			if err != nil {
				return err
			}
			tries = append(tries, struct {
				check, what string
				cred        challenge.Credential
			}{"wrong." + name + ".hash", "an " + c.Scheme + " credential with the payment hash instead of the preimage", asProof})
		}
	}
	for _, t := range tries {
		got, err := s.ask(ctx, s.url.String(), &t.cred)
		if err != nil {
			return err
		}
		s.judgeWrong(t.check, t.what, got)
	}
	return nil
}

func (s *site) judgeWrong(check, what string, got *answer) {
	found, _ := challenge.Parse(got.header["Www-Authenticate"])
	switch {
	case got.status/100 == 2:
		s.report.add(Fault, check, refL402, "%s is served with status %d: nothing has to be paid here", what, got.status)
	case got.status == http.StatusTooManyRequests:
		s.report.add(Note, check, "", "%s is refused with status 429, for now", what)
	case got.status != http.StatusPaymentRequired:
		s.report.add(Fault, check, refL402, "%s is refused with status %d, and clients recover only from 402", what, got.status)
	case len(found) == 0:
		s.report.add(Fault, check, refL402, "%s is refused without a fresh challenge", what)
	default:
		s.report.add(OK, check, "", "%s is refused with 402 and a fresh challenge", what)
	}
}
