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

// linkFlags are the flags of check that are about links.
type linkFlags struct {
	on           bool
	baseURL      string
	hosts        int
	pace         time.Duration
	timeout      time.Duration
	allowPrivate bool
	archive      string
	journal      string
	json         bool
}

// onlyWithLinks are the flags that mean nothing without -links.
var onlyWithLinks = map[string]bool{"hosts": true, "pace": true, "timeout": true, "allow-private": true, "archive": true, "journal": true, "json": true}

func (c *linkFlags) register(f *flag.FlagSet) {
	f.BoolVar(&c.on, "links", false, "request every address that the records cite and write the result into the records")
	f.StringVar(&c.baseURL, "base-url", "", "with -links: public `address` of the mirror, where hosts can read about the checker at /bot/")
	f.IntVar(&c.hosts, "hosts", 8, "with -links: `number` of hosts to send requests to at once")
	f.DurationVar(&c.pace, "pace", time.Second, "with -links: minimum `time` between two requests to one host")
	f.DurationVar(&c.timeout, "timeout", 20*time.Second, "with -links: `time` to wait for an answer")
	f.BoolVar(&c.allowPrivate, "allow-private", false, "with -links: also request addresses that are not public, such as this machine's")
	f.StringVar(&c.archive, "archive", "", "with -links: `address` of an availability API to ask for archived copies of links that have none, such as https://archive.org/wayback/available")
	f.StringVar(&c.journal, "journal", "almanac-links.jsonl", "with -links: `file` that records the round, so that it can be interrupted and resumed")
	f.BoolVar(&c.json, "json", false, "with -links: print the report as JSON")
}

// check refuses flags that contradict each other.
func (c *linkFlags) check(f *flag.FlagSet) error {
	var err error
	f.Visit(func(f *flag.Flag) {
		if onlyWithLinks[f.Name] && !c.on {
			err = usageError("-" + f.Name + " needs -links")
		}
	})
	switch {
	case err != nil || !c.on:
		return err
	case c.baseURL == "":
		return usageError("-links needs -base-url: the checker refers the hosts it visits to the /bot/ page there")
	case c.hosts < 1 || c.pace < 0 || c.timeout <= 0:
		return usageError("-hosts and -timeout must be above 0, and -pace must not be negative")
	}
	return nil
}

// run checks the addresses that the records in dir cite once, and fails when one is broken.
func (c *linkFlags) run(ctx context.Context, stdout, stderr io.Writer, dir string, cat *catalog.Catalog) error {
	site := catalog.Site{Base: c.baseURL, API: c.baseURL, MCP: c.baseURL}
	if err := site.Check(); err != nil {
		return err
	}
	bot := cat.LinkChecker()
	cfg := links.Config{
		UserAgent: bot.UserAgent(site), Product: bot.Product,
		Hosts: c.hosts, Pace: cmp.Or(c.pace, time.Nanosecond), Timeout: c.timeout,
	}
	if c.allowPrivate {
		cfg.Allow = func(netip.Addr) bool { return true }
	}
	began := time.Now()
	round := links.LibraryRound{
		Dir: dir, Catalog: cat, Journal: c.journal, ArchiveAPI: c.archive,
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
