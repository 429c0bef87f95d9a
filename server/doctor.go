package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"time"

	"almanac/catalog"
)

// Doctor is Diagnose, and looks at the world as well: the clock, the service where it runs, and its public addresses.
func Doctor(ctx context.Context, cfg Config) []CheckResult {
	d := diagnosis{cfg: cfg}
	d.add("clock", d.clock)
	if cfg.Operator != "" {
		d.add("running service", d.running)
	}
	if site := cfg.Source.Site(cfg.HTTP); !isLocalURL(site.Base) {
		d.add("public mirror", func(ctx context.Context) (string, error) { return fetch(ctx, site.URL(catalog.SupportJSONPath)) })
		d.add("public tool server", func(ctx context.Context) (string, error) { return fetch(ctx, site.ServerCardURL()) })
	}
	for i := range d.checks {
		d.run(ctx, i)
	}
	return append(Diagnose(ctx, cfg), d.findings...)
}

// clock compares the clock with the dates of the data, and asks the system whether it is synchronized. Credits end by this clock.
func (d *diagnosis) clock(context.Context) (string, error) {
	now := time.Now()
	cat, err := d.cfg.Source.Load(d.cfg.Source.Site(d.cfg.HTTP), catalog.PaymentsOff)
	if err != nil {
		return "the data cannot be read, so their dates say nothing", nil
	}
	for _, e := range cat.Entries() {
		if day, err := time.Parse(time.DateOnly, string(e.VerifiedAt)); err == nil && now.AddDate(0, 0, 1).Before(day) {
			return "", fmt.Errorf("it says %s, but %s was read on %s: set the clock", now.UTC().Format(time.DateTime), e.ID, e.VerifiedAt)
		}
	}
	synchronized, known := clockSynchronized()
	switch {
	case !known:
		return now.UTC().Format(time.DateTime) + " UTC", nil
	case !synchronized:
		return now.UTC().Format(time.DateTime) + " UTC; the system does not say that it is synchronized: use NTP", nil
	}
	return now.UTC().Format(time.DateTime) + " UTC, synchronized", nil
}

// running asks the service at the operator's address how it is.
func (d *diagnosis) running(ctx context.Context) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+LocalAddress(d.cfg.Operator)+"/readyz", nil)
	if err != nil {
		return "", err
	}
	res, err := http.DefaultClient.Do(req)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return "it does not run", nil
	}
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err != nil {
		return "", err
	}
	report := strings.TrimSpace(string(body))
	var ready struct{ Ready bool }
	if err := json.Unmarshal(body, &ready); err != nil || !ready.Ready {
		return "", fmt.Errorf("it is not ready (%s): %s", res.Status, report)
	}
	return report, nil
}

// fetch asks for a public address, which must lead to this program.
func fetch(ctx context.Context, url string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", fmt.Errorf("%w: look at the name's DNS records, the proxy, its certificate and the firewall", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s answers %s: the proxy must pass requests on, with the Host header as it is", url, res.Status)
	}
	if !json.Valid(read(res.Body)) {
		return "", fmt.Errorf("%s is not what almanac serves there: something else answers for this name", url)
	}
	return url, nil
}

func read(r io.Reader) []byte {
	b, err := io.ReadAll(io.LimitReader(r, 1<<20))
	if err != nil {
		return nil
	}
	return b
}
