package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"time"

	"almanac/catalog"
	"almanac/catalog/links"
	"almanac/catalog/load"
)

// linkFlags are the flags of check that are about links and sources.
type linkFlags struct {
	on           bool
	facts        bool
	baseURL      string
	hosts        int
	pace         time.Duration
	timeout      time.Duration
	allowPrivate bool
	archive      string
	journal      string
	json         bool
	state        string
	report       string
}

// onlyWithLinks are the flags that mean nothing without -links; those that are true also go with -facts.
var onlyWithLinks = map[string]bool{"hosts": true, "pace": true, "timeout": true, "allow-private": true, "archive": false, "journal": true, "json": true}

// onlyWithFacts are the flags that mean nothing without -facts.
var onlyWithFacts = map[string]bool{"state": true, "report": true}

func (c *linkFlags) register(f *flag.FlagSet) {
	f.BoolVar(&c.on, "links", false, "request every address that the records cite and write the result into the records")
	f.BoolVar(&c.facts, "facts", false, "request the source of every quote, now and as it was read, and report what is gone, changed or superseded")
	f.StringVar(&c.baseURL, "base-url", "", "with -links and -facts: public `address` of the mirror, where hosts can read about the checker at /bot/")
	f.IntVar(&c.hosts, "hosts", 8, "with -links and -facts: `number` of hosts to send requests to at once")
	f.DurationVar(&c.pace, "pace", time.Second, "with -links and -facts: minimum `time` between two requests to one host")
	f.DurationVar(&c.timeout, "timeout", 20*time.Second, "with -links and -facts: `time` to wait for an answer")
	f.BoolVar(&c.allowPrivate, "allow-private", false, "with -links and -facts: also request addresses that are not public, such as this machine's")
	f.StringVar(&c.archive, "archive", "", "with -links: `address` of an availability API to ask for archived copies of links that have none, such as https://archive.org/wayback/available")
	f.StringVar(&c.journal, "journal", "", "with -links and -facts: `file` that records the round, so that it can be interrupted and resumed (default: almanac-links.jsonl, almanac-facts.jsonl)")
	f.StringVar(&c.state, "state", "", "with -facts: `file` that remembers the sections seen, from round to round (default: almanac-sources.json)")
	f.StringVar(&c.report, "report", "", "with -facts: `file` for the list of records that may be stale, a page if it ends in .html, else Markdown")
	f.BoolVar(&c.json, "json", false, "with -links and -facts: print the report as JSON")
}

// check refuses flags that contradict each other.
func (c *linkFlags) check(f *flag.FlagSet) error {
	var err error
	f.Visit(func(f *flag.Flag) {
		if withFacts, ok := onlyWithLinks[f.Name]; ok && !c.on && !(c.facts && withFacts) {
			err = usageError("-" + f.Name + " needs -links")
		}
		if onlyWithFacts[f.Name] && !c.facts {
			err = usageError("-" + f.Name + " needs -facts")
		}
	})
	switch {
	case err != nil || !c.on && !c.facts:
		return err
	case c.on && c.facts:
		return usageError("-links and -facts are two rounds; run one after the other")
	case c.baseURL == "":
		name := "-links"
		if c.facts {
			name = "-facts"
		}
		return usageError(name + " needs -base-url: the checker refers the hosts it visits to the /bot/ page there")
	case c.hosts < 1 || c.pace < 0 || c.timeout <= 0:
		return usageError("-hosts and -timeout must be above 0, and -pace must not be negative")
	}
	return nil
}

// config returns how the checker behaves, and as whom.
func (c *linkFlags) config(cat *catalog.Catalog) (links.Config, error) {
	site := catalog.Site{Base: c.baseURL, API: c.baseURL, MCP: c.baseURL}
	if err := site.Check(); err != nil {
		return links.Config{}, err
	}
	bot := cat.LinkChecker()
	cfg := links.Config{
		UserAgent: bot.UserAgent(site), Product: bot.Product,
		Hosts: c.hosts, Pace: cmp.Or(c.pace, time.Nanosecond), Timeout: c.timeout,
	}
	if c.allowPrivate {
		cfg.Allow = func(netip.Addr) bool { return true }
	}
	return cfg, nil
}

// run checks the addresses that the records in dir cite once, and fails when one is broken.
func (c *linkFlags) run(ctx context.Context, stdout, stderr io.Writer, dir string, cat *catalog.Catalog) error {
	cfg, err := c.config(cat)
	if err != nil {
		return err
	}
	began := time.Now()
	round := links.LibraryRound{
		Dir: dir, Catalog: cat, Journal: cmp.Or(c.journal, "almanac-links.jsonl"), ArchiveAPI: c.archive,
		Progress: stderr, Terminal: isTerminal(stderr),
	}
	seen, err := round.Run(ctx, links.New(cfg))
	if err != nil {
		return err
	}
	if c.json {
		_, err = stdout.Write(load.EncodeLinkReport(links.Report(seen, time.Now())))
	} else {
		err = links.WriteText(stdout, seen, time.Since(began))
	}
	broken := 0
	for _, o := range seen {
		if o.Broken() {
			broken++
		}
	}
	if err == nil && broken > 0 {
		err = fmt.Errorf("%d of %d links are broken", broken, len(seen))
	}
	return err
}
