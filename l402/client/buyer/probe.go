package buyer

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"almanac/l402/client"
	"almanac/l402/client/journal"
	"almanac/l402/client/probe"
)

// A Probe looks at an address and prints a report. It pays only with Pay.
type Probe struct {
	Settings
	probe.Probe
	URL  string
	JSON bool
	All  bool // also checks that passed
	Pay  bool // buy once, and examine the answer

	Stdout, Stderr io.Writer
}

// Run probes. The error is probe.ErrFaults when the address has faults.
func (p *Probe) Run(ctx context.Context) error {
	var bought []func(*probe.Report) // before the probe asks for so many challenges that it gets none
	if p.Pay {
		var err error
		if bought, err = p.buy(ctx); err != nil {
			return err
		}
	}
	report, err := p.Probe.Run(ctx, p.URL)
	if err != nil {
		return err
	}
	for _, add := range bought {
		add(report)
	}
	if p.JSON {
		err = report.WriteJSON(p.Stdout)
	} else {
		err = report.WriteText(p.Stdout, p.All)
	}
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	if report.Faults > 0 {
		return probe.ErrFaults
	}
	return nil
}

// buy gets the address twice with a paying client, and returns the additions to the report.
func (p *Probe) buy(ctx context.Context) (found []func(*probe.Report), err error) {
	c, err := p.Open(ctx, nil, nil)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	hc := &http.Client{Transport: &client.Transport{Client: c}}
	paid := 0
	ctx = client.OnPaid(ctx, func(b journal.Purchase) {
		paid++
		fmt.Fprintf(p.Stderr, "paid %s to %s\n", Sats(b.AmountMilliSats), b.Host)
	})
	for _, which := range []string{"first", "second"} {
		req, err := (&Get{URL: p.URL, Method: p.Method, Headers: p.Headers, Agent: p.Agent}).request(ctx)
		if err != nil {
			return nil, err
		}
		resp, err := hc.Do(req)
		if err != nil {
			return append(found, func(r *probe.Report) { r.Bought(which, 0, nil, unwrapURL(err)) }), nil
		}
		resp.Body.Close()
		found = append(found, func(r *probe.Report) { r.Bought(which, resp.StatusCode, resp.Header, nil) })
	}
	return append(found, func(r *probe.Report) { r.Payments(paid) }), nil
}
