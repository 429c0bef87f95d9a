package buyer

import (
	"context"
	"fmt"
	"io"

	"go.almanac.example/http402/probe"
)

// A Probe looks at an address and prints a report.
type Probe struct {
	probe.Probe
	URL    string
	JSON   bool
	Stdout io.Writer
}

// Run probes. The error is probe.ErrFaults when the address has faults.
func (p *Probe) Run(ctx context.Context) error {
	report, err := p.Probe.Run(ctx, p.URL)
	if err != nil {
		return err
	}
	if p.JSON {
		err = printJSON(p.Stdout, report)
	} else {
		err = report.WriteText(p.Stdout)
	}
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	if report.Faults > 0 {
		return probe.ErrFaults
	}
	return nil
}
