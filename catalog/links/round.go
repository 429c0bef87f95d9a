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

// checkAll checks all links, those of one host one after the other and Config.Hosts hosts at once, and hands each observation to
// report, never two at a time. It returns early, with ctx's error, when ctx ends; what was under way then is not observed.
func (c *Checker) checkAll(ctx context.Context, list []Link, report func(Observation)) error {
	hosts := byHost(list)
	next := make(chan []Link)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range min(c.cfg.Hosts, len(hosts)) {
		wg.Go(func() {
			for links := range next {
				c.checkHost(ctx, links, func(o Observation) {
					mu.Lock()
					defer mu.Unlock()
					report(o)
				})
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

// checkHost checks the links of one host in turn.
func (c *Checker) checkHost(ctx context.Context, links []Link, report func(Observation)) {
	silent := 0
	for _, l := range links {
		attempts := c.cfg.Attempts
		if silent >= silentLimit {
			attempts = 1
		}
		o := c.check(ctx, l, attempts)
		if ctx.Err() != nil {
			return
		}
		if o.Kind == kindTimeout || o.Kind == kindRefused || o.Kind == kindReset {
			silent++
		} else {
			silent = 0
		}
		report(o)
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
