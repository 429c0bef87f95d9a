package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"os"
	"strings"
	"time"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
	"go.almanac.example/curate/links"
	"go.almanac.example/curate/sources"
)

// linkFlags are the flags of check that are about links and sources.
type linkFlags struct {
	on           bool
	facts        bool
	baseURL      string
	checker      links.Config
	allowPrivate bool
	journal      string
	state        string
	report       string
	token        string
}

// roundFlags are the flags that mean something with -links, with -facts or with both alone.
var roundFlags = map[string]string{"pace": "-links or -facts", "allow-private": "-links or -facts", "journal": "-links or -facts",
	"state": "-facts", "report": "-facts"}

func (c *linkFlags) register(f *flag.FlagSet) {
	f.BoolVar(&c.on, "links", false, "request every address that the records cite and write the result into the records")
	f.BoolVar(&c.facts, "facts", false,
		"request the source of every quote, now and as it was read, and report what is gone, changed or superseded")
	f.StringVar(&c.baseURL, "base-url", "",
		"with -links and -facts: public `address` of the mirror, where hosts can read about the checker at /bot/")
	f.DurationVar(&c.checker.Pace, "pace", time.Second, "with -links and -facts: minimum `time` between two requests to one host")
	f.BoolVar(&c.allowPrivate, "allow-private", false,
		"with -links and -facts: also request addresses that are not public, such as this machine's")
	f.StringVar(&c.journal, "journal", "",
		"with -links and -facts: `file` that records the round, so that it can be interrupted and resumed (default: almanac-links.jsonl, almanac-facts.jsonl)")
	f.StringVar(&c.state, "state", "",
		"with -facts: `file` that remembers the sections seen, from round to round (default: almanac-sources.json)")
	f.StringVar(&c.report, "report", "", "with -facts: Markdown `file` for the list of records that may be stale")
	f.StringVar(&c.token, "github-token", "",
		"with -facts: `token` for api.github.com, which answers few requests without one; set it in the environment, where other programs do not see it")
}

// check refuses flags that contradict each other.
func (c *linkFlags) check(f *flag.FlagSet) error {
	var err error
	f.Visit(func(f *flag.Flag) {
		needs, limited := roundFlags[f.Name]
		if limited && !(c.on && strings.Contains(needs, "-links")) && !(c.facts && strings.Contains(needs, "-facts")) {
			err = usageError("-" + f.Name + " needs " + needs)
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
	case c.checker.Pace < 0:
		return usageError("-pace must not be negative")
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
	if bot == nil {
		return links.Config{}, fmt.Errorf("bots/%[1]s.json is missing: the link checker must say who it is; "+
			"copy the file that almanac init writes, or that of almanac's repository, fixtures/bots/%[1]s.json", catalog.LinkCheckerID)
	}
	cfg := c.checker
	cfg.UserAgent, cfg.Product, cfg.Pace = bot.UserAgent(site), bot.Product, cmp.Or(cfg.Pace, time.Nanosecond)
	if c.allowPrivate {
		cfg.Allow = func(netip.Addr) bool { return true }
	}
	return cfg, nil
}

// run checks the addresses that the records in dir cite once, and fails when one is broken.
func (c *linkFlags) run(ctx context.Context, stdout, stderr io.Writer, dir string, cat *catalog.Catalog, old *load.Version) error {
	cfg, err := c.config(cat)
	if err != nil {
		return err
	}
	began := time.Now()
	round := links.LibraryRound{
		Dir: dir, Catalog: cat, Journal: cmp.Or(c.journal, "almanac-links.jsonl"), Progress: stderr,
	}
	seen, err := round.Run(ctx, links.New(cfg))
	if err = errors.Join(err, recordHistory(stdout, dir, old)); err != nil {
		return err
	}
	err = links.WriteText(stdout, seen, time.Since(began))
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

// runFacts reads the sources of the records in dir again, and fails if one is gone or changed. With write it notes in
// the evidence the day on which each quoted section was seen unchanged.
func (c *linkFlags) runFacts(
	ctx context.Context, stdout, stderr io.Writer, dir string, cat *catalog.Catalog, old *load.Version, write bool,
) error {
	cfg, err := c.config(cat)
	if err != nil {
		return err
	}
	state, err := sources.OpenState(cmp.Or(c.state, "almanac-sources.json"))
	if err != nil {
		return err
	}
	cfg.Prepare = state.Prepare(c.token)
	claims := sources.Claims(cat)
	round := sources.Round{Claims: claims, Signals: sources.Signals(cat, claims), State: state,
		Journal: cmp.Or(c.journal, "almanac-facts.jsonl"), Progress: stderr}
	report, err := round.Run(ctx, links.New(cfg))
	if err != nil {
		return err
	}
	if err := report.WriteText(stdout); err != nil {
		return err
	}
	if c.report != "" {
		if err := writeStale(c.report, cat, report); err != nil {
			return err
		}
	}
	if write {
		changed, err := sources.Write(dir, cat, report.Findings)
		fmt.Fprintf(stdout, "%d evidence files have a new seen_at\n", changed)
		if err := errors.Join(err, recordHistory(stdout, dir, old)); err != nil {
			return err
		}
	}
	stale := 0
	for _, f := range report.Findings {
		if f.Verdict == sources.Gone || f.Verdict == sources.Changed {
			stale++
		}
	}
	if stale > 0 {
		return fmt.Errorf("the sources of %d of %d claims are gone or changed", stale, len(claims))
	}
	return nil
}

// writeStale writes the report for the curator. The records with the most curated questions come first.
func writeStale(name string, cat *catalog.Catalog, report sources.Report) error {
	asked := func(record string) int {
		if _, id, ok := strings.Cut(record, ":"); ok {
			return len(cat.Questions("protocol:" + id))
		}
		return len(cat.Questions(record))
	}
	if err := os.WriteFile(name, []byte(report.Markdown(asked)), 0o644); err != nil {
		return fmt.Errorf("write the report on stale records: %w", err)
	}
	return nil
}
