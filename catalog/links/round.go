package links

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/url"
	"slices"
	"sync"
	"time"

	"almanac/catalog"
)

// silentLimit is how many links of a host may in turn not answer before the others get one attempt each. It bounds the
// time that a host that hangs can take of a round.
const silentLimit = 2

// checkAll checks all links, and hands each observation to report; see visit.
func (c *Checker) checkAll(ctx context.Context, list []Link, report func(Observation)) error {
	return visit(ctx, c.cfg, list, func(l Link, attempts int) Observation { return c.check(ctx, l, attempts) }, report)
}

// visit asks for all links, those of one host one after the other and Config.Hosts hosts at once, and hands each result
// to report, never two at a time. It returns early, with ctx's error, when ctx ends; requests under way then are not
// reported.
func visit[T Found](
	ctx context.Context, cfg Config, list []Link, ask func(l Link, attempts int) T, report func(T),
) error {
	hosts := byHost(list)
	next := make(chan []Link)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range min(cfg.Hosts, len(hosts)) {
		wg.Go(func() {
			for links := range next {
				host := silence{attempts: cfg.Attempts}
				for _, l := range links {
					found := ask(l, host.attemptsLeft())
					if ctx.Err() != nil {
						break
					}
					host.note(found.Observed())
					mu.Lock()
					report(found)
					mu.Unlock()
				}
			}
		})
	}
	for _, links := range hosts {
		select {
		case next <- links:
		case <-ctx.Done():
		}
	}
	close(next)
	wg.Wait()
	return ctx.Err()
}

// A silence counts how many links of a host have in turn not answered.
type silence struct{ attempts, silent int }

// attemptsLeft returns how often the next link of the host is tried.
func (s *silence) attemptsLeft() int {
	if s.silent >= silentLimit {
		return 1
	}
	return s.attempts
}

func (s *silence) note(o Observation) {
	if o.Kind == kindTimeout || o.Kind == kindRefused || o.Kind == kindReset {
		s.silent++
	} else {
		s.silent = 0
	}
}

// byHost groups links by host, the host with the most links first because it takes longest.
func byHost(list []Link) [][]Link {
	index := make(map[string]int)
	var hosts [][]Link
	for _, l := range list {
		host := ""
		if u, err := url.Parse(l.URL); err == nil {
			host = u.Host
		}
		i, ok := index[host]
		if !ok {
			i = len(hosts)
			index[host] = i
			hosts = append(hosts, nil)
		}
		hosts[i] = append(hosts[i], l)
	}
	slices.SortStableFunc(hosts, func(a, b []Link) int { return len(b) - len(a) })
	return hosts
}

// A progress shows a person how far a round is: a line for each finding, and now and then one with the count.
type progress struct {
	out     io.Writer
	now     func() time.Time
	total   int
	seen    int
	counted time.Time // when the last count was shown
}

// countEvery is the time between two lines with the count.
const countEvery = 10 * time.Second

// add shows one more observation.
func (p *progress) add(o Observation) {
	p.seen++
	if o.Kind != "" {
		fmt.Fprintf(p.out, "%s\n", line(o))
	}
	if now := p.now(); now.Sub(p.counted) >= countEvery {
		p.counted = now
		fmt.Fprintf(p.out, "%d of %d links\n", p.seen, p.total)
	}
}

// Report returns the report of a round, its findings by id. Every link of the round has one observation.
func Report(observations []Observation, at time.Time) *catalog.LinkReport {
	r := &catalog.LinkReport{
		CheckedAt: at.UTC().Format(time.RFC3339), Links: len(observations), Findings: []catalog.LinkFinding{},
	}
	for _, o := range observations {
		if o.Answered() {
			r.Answered++
		}
		if o.Kind != "" {
			r.Findings = append(r.Findings, catalog.LinkFinding{
				ID: o.ID, URL: o.URL, Kind: o.Kind, Status: o.Status, Detail: o.Detail,
				FinalURL: o.FinalURL(), CheckedAt: o.CheckedAt.UTC().Format(time.RFC3339),
			})
		}
	}
	slices.SortFunc(r.Findings, func(a, b catalog.LinkFinding) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.URL, b.URL))
	})
	return r
}

// WriteText writes the report of a round for a person: a line for each finding, broken links first, then the totals.
func WriteText(w io.Writer, observations []Observation, took time.Duration) error {
	list := slices.Clone(observations)
	slices.SortFunc(list, func(a, b Observation) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID),
			cmp.Compare(a.URL, b.URL))
	})
	var answered, broken, moved, skipped int
	for _, o := range list {
		switch {
		case o.Broken():
			broken++
		case o.Kind == kindMoved:
			moved++
		case o.Kind != "":
			skipped++
		}
		if o.Answered() {
			answered++
		}
		if o.Kind == "" {
			continue
		}
		if _, err := fmt.Fprintf(w, "%s\n", line(o)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%d links in %s: %d answered, %d broken, %d moved, %d skipped as their hosts ask.\n",
		len(list), took.Round(time.Second), answered, broken, moved, skipped)
	return err
}

func rank(o Observation) int {
	switch {
	case o.Broken():
		return 0
	case o.Kind == kindMoved:
		return 1
	}
	return 2
}

// line returns an observation as a line of text: kind, status, id, address, detail.
func line(o Observation) string {
	kind, status := o.Kind, "  -"
	if kind == "" {
		kind = "ok"
	}
	if o.Status != 0 {
		status = fmt.Sprintf("%3d", o.Status)
	}
	s := fmt.Sprintf("%-8s %s %s %s", kind, status, o.ID, o.URL)
	if o.Detail != "" {
		s += ": " + o.Detail
	}
	return s
}
