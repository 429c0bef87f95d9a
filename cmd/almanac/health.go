package main

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/peterbourgon/ff/v3/ffcli"

	"almanac/server"
)

// healthCommand asks a running service whether it is ready, for containers without a shell.
func healthCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "health", "almanac health [flags]", "ask a running service whether it is ready")
	addr := cmd.FlagSet.String("admin", "localhost:8404", "`address` of the operator's listener")
	acceptConfigFile(cmd, false)
	cmd.Exec = func(ctx context.Context, args []string) error {
		if err := noArguments(args); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, 2*server.ReadyTimeout)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+server.LocalAddress(*addr)+"/readyz", nil)
		if err != nil {
			return usageError(fmt.Sprintf("-admin %q is not host:port", *addr))
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return fmt.Errorf("ask the service: %w; is it running, and is this its -admin address?", err)
		}
		defer res.Body.Close()
		if _, err := io.Copy(stdout, io.LimitReader(res.Body, 64<<10)); err != nil {
			return fmt.Errorf("read the answer: %w", err)
		}
		if res.StatusCode != http.StatusOK {
			return fmt.Errorf("the service is not ready: %s", res.Status)
		}
		return nil
	}
	return cmd
}
