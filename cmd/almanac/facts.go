package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"almanac/catalog"
	"almanac/catalog/links"
	"almanac/catalog/sources"
)

// runFacts reads the sources of the records in dir again, and fails when one no longer says what is quoted from it. When write is
// set, it writes the days on which quotes were found into the records.
func (c *linkFlags) runFacts(ctx context.Context, stdout, stderr io.Writer, dir string, cat *catalog.Catalog, write bool) error {
	cfg, err := c.config(cat)
	if err != nil {
		return err
	}
	round := sources.Round{Claims: sources.Claims(cat, sources.Evidence(cat)), Journal: cmp.Or(c.journal, "almanac-facts.jsonl"), Progress: stderr}
	findings, err := round.Run(ctx, links.New(cfg))
	if err != nil {
		return err
	}
	report, notes := sources.WriteText, stdout
	if c.json {
		report, notes = sources.WriteJSON, stderr
	}
	if err := report(stdout, findings); err != nil {
		return err
	}
	if write {
		changed, err := sources.Write(dir, cat, findings)
		if err != nil {
			return err
		}
		fmt.Fprintf(notes, "%d records were read again; record it with almanac check -against OLD -record\n", changed)
	}
	gone := 0
	for _, f := range findings {
		if f.Verdict == sources.Gone {
			gone++
		}
	}
	if gone > 0 {
		return fmt.Errorf("%d of %d claims no longer have their source", gone, len(findings))
	}
	return nil
}
