package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/peterbourgon/ff/v3/ffcli"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror"
	"go.almanac.example/server"
)

// exportFlags are the flags of export.
type exportFlags struct {
	source   server.Source
	out      string
	paidAPI  bool
	contact  string
	compress string
	host     string
}

// exportCommand writes the mirror as files.
func exportCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "export", "almanac export -o DIR [flags]", "write the mirror as plain files")
	cmd.LongHelp = "Writes every file of the mirror below DIR, which any web server or bucket can then serve.\n" +
		"DIR is replaced in one step: a reader sees either the old files or the new ones.\n" +
		"With -host, the configuration of what serves it is written beside DIR.\n" +
		"With SOURCE_DATE_EPOCH set, the same input gives the same bytes."
	var c exportFlags
	registerSource(cmd.FlagSet, &c.source, "http://"+defaultHTTP)
	cmd.FlagSet.StringVar(&c.out, "o", "", "`directory` to write to")
	cmd.FlagSet.BoolVar(&c.paidAPI, "paid-api", false, "publish the paid interface at -api-url as live")
	cmd.FlagSet.StringVar(&c.contact, "security-contact", "",
		"`address` for security.txt, https: or mailto: (empty: no security.txt)")
	cmd.FlagSet.StringVar(&c.compress, "compress", "",
		"compressed `copies` to write beside each file: gzip, br, separated by commas")
	cmd.FlagSet.StringVar(&c.host, "host", "", "write a configuration for what serves the files: `nginx`, caddy or bucket")
	cmd.Exec = flagsOnly(func(ctx context.Context) error {
		return c.run(ctx, stdout, stderr)
	})
	return cmd
}

// run writes the mirror.
func (c *exportFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	if c.out == "" {
		return usageError("-o is missing; give the directory to write to, for example: almanac export -o public")
	}
	if err := checkSource(&c.source); err != nil {
		return err
	}
	site := c.source.Site(defaultHTTP)
	hosting := httpmirror.Hosting(site, c.out, c.host)
	var config []byte
	if c.host != "" {
		var err error
		if root := catalog.Root(site.Base); root != "" {
			return usageError("-host: the configurations are for a host of the site's own, and -base-url has the path " + root +
				"; leave -host out")
		}
		if config, err = hosting.Config(); err != nil {
			return usageError("-host: " + err.Error())
		}
	}
	payments := catalog.PaymentsOff
	if c.paidAPI {
		payments = catalog.PaymentsLive
	}
	collectLess()
	cat, err := c.source.Load(site, payments)
	if err != nil {
		return err
	}
	var codings []string
	if c.compress != "" {
		codings = strings.Split(c.compress, ",")
	}
	options := httpmirror.Options{Version: versionText(), Contact: c.contact}
	stats, err := httpmirror.Export(ctx, cat, options, c.out, codings...)
	if err != nil {
		return err
	}
	if c.host != "" {
		if err := os.WriteFile(hosting.File(), config, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%s: for %s\n", hosting.File(), c.host)
	}
	if c.source.BaseURL == "" {
		fmt.Fprintf(stderr, "almanac: warning: -base-url is not set, so every document names %s, which only this machine can read; export again with -base-url https://your.host before you publish %s\n",
			site.Base, c.out)
	}
	_, err = fmt.Fprintf(stdout, "%s: %d files, %d bytes; %d written, %d unchanged, %d removed\n",
		c.out, stats.Files, stats.Bytes, stats.Written, stats.Unchanged, stats.Removed)
	return err
}
