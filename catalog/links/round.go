package links

import (
	"context"
	"net/url"
	"slices"
	"sync"
)

// silentLimit is how many links of a host may in turn not answer before the others get one attempt each. It bounds what a
// host that hangs can cost a round.
const silentLimit = 2

// checkAll checks all links, and hands each observation to report; see visit.
func (c *Checker) checkAll(ctx context.Context, list []Link, report func(Observation)) error {
	return visit(ctx, c.cfg, list, func(l Link, attempts int) Observation { return c.check(ctx, l, attempts) }, func(o Observation) *Observation { return &o }, report)
}

// visit asks for all links, those of one host one after the other and Config.Hosts hosts at once, and hands what was found to
// report, never two at a time. It returns early, with ctx's error, when ctx ends; what was under way then is not reported.
func visit[T any](ctx context.Context, cfg Config, list []Link, ask func(l Link, attempts int) T, observed func(T) *Observation, report func(T)) error {
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
					host.note(observed(found))
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

func (s *silence) note(o *Observation) {
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
