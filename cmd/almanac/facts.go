package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"html"
	"io"
	"os"
	"strings"

	"almanac/catalog"
	"almanac/catalog/links"
	"almanac/catalog/sources"
	"almanac/httpmirror/markdown"
)

// runFacts reads the sources of the records in dir again, and fails if one is gone or changed. With write it notes in the evidence the
// day on which each quoted section was seen unchanged.
func (c *linkFlags) runFacts(ctx context.Context, stdout, stderr io.Writer, dir string, cat *catalog.Catalog, write bool) error {
	cfg, err := c.config(cat)
	if err != nil {
		return err
	}
	state, err := sources.OpenState(cmp.Or(c.state, "almanac-sources.json"))
	if err != nil {
		return err
	}
	claims := sources.Claims(cat)
	round := sources.Round{Claims: claims, Signals: sources.Signals(cat, claims), State: state,
		Journal: cmp.Or(c.journal, "almanac-facts.jsonl"), Progress: stderr}
	report, err := round.Run(ctx, links.New(cfg))
	if err != nil {
		return err
	}
	print, notes := report.WriteText, stdout
	if c.json {
		print, notes = report.WriteJSON, stderr
	}
	if err := print(stdout); err != nil {
		return err
	}
	if c.report != "" {
		if err := writeStale(c.report, cat, report); err != nil {
			return err
		}
	}
	if write {
		changed, err := sources.Write(dir, cat, report.Findings)
		if err != nil {
			return err
		}
		fmt.Fprintf(notes, "%d evidence files have a new seen_at; record it with almanac check -against OLD -record\n", changed)
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

// writeStale writes the report for the curator, as a page if the name of the file ends in .html, else as Markdown. The records with the
// most curated questions come first.
func writeStale(name string, cat *catalog.Catalog, report sources.Report) error {
	asked := func(record string) int {
		if _, id, ok := strings.Cut(record, ":"); ok {
			return len(cat.Questions("protocol:" + id))
		}
		return len(cat.Questions(record))
	}
	var b bytes.Buffer
	if err := report.WriteMarkdown(&b, asked); err != nil {
		return err
	}
	if strings.HasSuffix(name, ".html") {
		prose, err := markdown.ToHTML(b.String(), "stale-", 1)
		if err != nil {
			return fmt.Errorf("write the report on stale records: %w", err)
		}
		b.Reset()
		fmt.Fprintf(&b, "<!doctype html>\n<html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\n"+
			"<title>%s: records that may be stale</title>\n<body style=\"max-width:50em;margin:2em auto;padding:0 1em;font-family:system-ui\">\n%s",
			html.EscapeString(cat.Identity().Name), prose.HTML)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write the report on stale records: %w", err)
	}
	return nil
}
