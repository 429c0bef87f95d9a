package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/peterbourgon/ff/v3/ffcli"

	"almanac/ops"
	"almanac/server"
)

// serveCommand runs the service.
func serveCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "serve", "almanac serve [flags]", "run the service")
	cmd.LongHelp = "Each flag can also be set by an environment variable: -base-url is ALMANAC_BASE_URL.\n" +
		"SIGHUP reloads the files; SIGTERM stops after the requests at hand are answered."
	var f serveFlags
	f.register(cmd.FlagSet)
	acceptConfigFile(cmd, true)
	check := cmd.FlagSet.Bool("check", false, "say whether the service would work with these flags, and end; nothing is changed")
	cmd.Exec = func(ctx context.Context, args []string) error {
		if err := noArguments(args); err != nil {
			return err
		}
		cfg, err := f.config()
		if err != nil {
			return err
		}
		if *check {
			return printFindings(stdout, server.Diagnose(ctx, cfg))
		}
		lines := ops.NewLineWriter(os.Stderr)
		defer lines.Flush()
		cfg.Log, cfg.Access = f.loggers(lines)
		if isTerminal(stdout) {
			cfg.Terminal = stdout
		}
		return serve(ctx, cfg)
	}
	return cmd
}

// serve runs the service until ctx ends. SIGHUP reloads.
func serve(ctx context.Context, cfg server.Config) error {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP) // before the data are read, so that no change falls between
	defer signal.Stop(hangup)
	cfg.Reload = hangup
	cfg.Memory = limitMemory(cfg.Memory)
	cfg.Index.Memory = cfg.Memory
	s, err := server.Open(ctx, cfg)
	if errors.Is(err, server.ErrPublicDemo) {
		return fmt.Errorf("%w: -payments lnd, -payments off, or -demo-anywhere", err)
	}
	if err != nil {
		return err
	}
	return s.Run(ctx)
}
