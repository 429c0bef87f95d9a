package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/http402/client"
	"go.almanac.example/http402/shape"
)

// Run probes an address. The error is of an address that cannot be probed at all; the report has the faults of one that
// can.
func (p *Probe) Run(ctx context.Context, address string) (*Report, error) {
	u, err := client.ParseAddress(address)
	if err != nil {
		return nil, err
	}
	s := &site{Probe: p, url: u, report: &Report{URL: address}}
	unpaid, err := s.ask(ctx, nil)
	if err != nil {
		return nil, err
	}
	if unpaid.status == http.StatusTooManyRequests {
		return nil, fmt.Errorf("%s sends no challenge now (status 429, Retry-After %q); probe it later",
			address, unpaid.header.Get("Retry-After"))
	}
	if unpaid.status != http.StatusPaymentRequired {
		s.report.add(Fault, "status", refL402, "a request without a credential is answered with status %d, not 402", unpaid.status)
		return s.report, nil
	}
	s.report.unless(client.Secure(u), Fault, "tls", refL402,
		"the challenge comes over cleartext, so that its credential could be read on the way")
	s.headers(unpaid)
	s.challenges(unpaid)
	if err := s.askTwice(ctx); err != nil {
		return nil, err
	}
	if err := s.wrong(ctx); err != nil {
		return nil, err
	}
	s.report.Clients = p.Table.Predict("http", shape.HTTP(unpaid.header, unpaid.body, s.Now()))
	return s.report, nil
}

// askTwice asks a second time: each challenge is for a payment of its own.
func (s *site) askTwice(ctx context.Context) error {
	second, err := s.ask(ctx, nil)
	if err != nil {
		return err
	}
	if second.status == http.StatusTooManyRequests {
		s.report.add(Note, "fresh", "", "a second challenge is refused for now with status 429")
	}
	for _, o := range challenge.ReadHTTP(second.header, nil) {
		if o.Invoice.Text != "" && slices.ContainsFunc(s.offers, func(first challenge.Offer) bool { return first.Invoice.Hash == o.Invoice.Hash }) {
			s.report.add(Fault, "fresh", refLightning,
				"two challenges are for the same payment %x: the first payment pays for both", o.Invoice.Hash)
			break
		}
	}
	return nil
}

// wrong presents credentials that prove nothing: they must be refused with a fresh challenge.
func (s *site) wrong(ctx context.Context) (err error) {
	try := func(check, kind, ref string, cred challenge.Credential) {
		if err != nil {
			return
		}
		var got *answer
		if got, err = s.ask(ctx, &cred); err == nil {
			s.judgeWrong(check, kind, ref, got)
		}
	}
	overLightning := func(o challenge.Offer) bool { return o.Challenge != nil || o.Scheme == challenge.OfferL402 }
	if len(s.offers) == 0 || slices.ContainsFunc(s.offers, overLightning) {
		try("wrong.malformed", "a credential that cannot be read", refL402,
			challenge.Credential{Header: "Authorization", Value: "L402 nonsense"})
	}
	for _, o := range s.offers {
		c := o.Challenge
		if c == nil || o.Raw == nil {
			continue
		}
		check, kind, ref := "wrong."+strings.ToLower(c.Scheme), "an "+c.Scheme, refL402
		if c.Charge != nil {
			kind, ref = "a "+c.Scheme, refErrors
		}
		try(check+".zero", kind+" credential with a preimage of zeroes", ref, c.Credential([32]byte{}))
		if !o.Unpayable {
			try(check+".hash", kind+" credential with the payment hash instead of the preimage", ref, c.Credential(o.Invoice.Hash))
		}
	}
	return err
}

// judgeWrong judges the answer to a credential that proves nothing, by the text that has its status. L402 and bLIP-26 have
// 401 for it, and 402; Payment has 402.
func (s *site) judgeWrong(check, what, ref string, got *answer) {
	fresh := slices.ContainsFunc(challenge.ReadHTTP(got.header, got.body), func(o challenge.Offer) bool {
		return o.Challenge != nil || len(o.Faults) == 0 // some client can pay by it
	})
	switch {
	case got.status/100 == 2:
		s.report.add(Fault, check, ref, "%s is served with status %d: nothing has to be paid here", what, got.status)
	case got.status == http.StatusTooManyRequests:
		s.report.add(Note, check, "", "%s is refused with status 429, for now", what)
	case got.status == http.StatusUnauthorized && ref == refL402:
		s.report.add(Note, check, "", "%s is refused with status 401, as L402 allows; clients that buy after 402 alone do not buy again", what)
	case got.status != http.StatusPaymentRequired:
		s.report.add(Fault, check, ref, "%s is refused with status %d, and clients recover only from 402", what, got.status)
	case !fresh:
		s.report.add(Fault, check, ref, "%s is refused without a fresh challenge", what)
	}
}

// A Probe looks at addresses.
type Probe struct {
	Now     func() time.Time
	Agent   string      // User-Agent
	Method  string      // empty means GET
	Headers http.Header // of every request
	Table   shape.Table // of the clients that were measured
}

// An answer is a response with its body.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// ErrFaults is the error of a report with faults.
var ErrFaults = errors.New("the address has faults")

// A site is an address while it is probed.
type site struct {
	*Probe
	url    *url.URL
	report *Report
	offers []challenge.Offer // of the first answer
}

var asker = &http.Client{Timeout: 15 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// ask sends the request that is probed, with a credential, if any.
func (s *site) ask(ctx context.Context, cred *challenge.Credential) (*answer, error) {
	req, err := http.NewRequestWithContext(ctx, s.Method, s.url.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", s.url, err)
	}
	maps.Copy(req.Header, s.Headers)
	if cred != nil {
		req.Header.Set(cred.Header, cred.Value)
	}
	req.Header.Set("User-Agent", s.Agent)
	resp, err := asker.Do(req)
	if err != nil {
		return nil, fmt.Errorf("probe: %w", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil {
		return nil, fmt.Errorf("probe: read the answer: %w", err)
	}
	return &answer{resp.StatusCode, resp.Header, body}, nil
}
