package links

import (
	"context"
	"net/url"
	"slices"
	"sync"
)

// deadAfter is how many links of one host give no answer before the others get one attempt each. It bounds what a
// host that hangs can cost a round.
const deadAfter = 2

// Round looks at all links, each host's one after the other and Config.Hosts hosts at once, and hands each
// observation to seen, never two at a time. It returns early, with ctx's error, when ctx ends; what was under
// way then is not observed.
func (c *Checker) Round(ctx context.Context, list []Link, seen func(Observation)) error {
	lanes := lanesOf(list)
	next := make(chan []Link)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range min(c.cfg.Hosts, len(lanes)) {
		wg.Go(func() {
			for lane := range next {
				c.lane(ctx, lane, func(o Observation) {
					mu.Lock()
					defer mu.Unlock()
					seen(o)
				})
			}
		})
	}
	for _, lane := range lanes {
		select {
		case next <- lane:
		case <-ctx.Done():
		}
	}
	close(next)
	wg.Wait()
	return ctx.Err()
}

// lane looks at the links of one host in turn.
func (c *Checker) lane(ctx context.Context, lane []Link, seen func(Observation)) {
	silent := 0
	for _, l := range lane {
		attempts := c.cfg.Attempts
		if silent >= deadAfter {
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
		seen(o)
	}
}

// lanesOf groups links by host, the longest lane first since it takes longest.
func lanesOf(list []Link) [][]Link {
	byHost := make(map[string]int)
	var lanes [][]Link
	for _, l := range list {
		host := ""
		if u, err := url.Parse(l.URL); err == nil {
			host = u.Host
		}
		i, ok := byHost[host]
		if !ok {
			i = len(lanes)
			byHost[host] = i
			lanes = append(lanes, nil)
		}
		lanes[i] = append(lanes[i], l)
	}
	slices.SortStableFunc(lanes, func(a, b []Link) int { return len(b) - len(a) })
	return lanes
}
