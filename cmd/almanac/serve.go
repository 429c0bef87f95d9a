package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/peterbourgon/ff/v3/ffcli"

	"almanac/catalog"
	"almanac/ops"
)

func serveCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "serve", "almanac serve [flags]", "serve agents, paying agents and people")
	cmd.LongHelp = "Each flag can also be given as a variable: -base-url is ALMANAC_BASE_URL.\n" +
		"SIGHUP reads the files again; SIGTERM ends after the requests at hand."
	var c serveConfig
	c.register(cmd.FlagSet)
	cmd.Exec = func(ctx context.Context, args []string) error {
		if err := noArguments(args); err != nil {
			return err
		}
		if err := c.check(); err != nil {
			return err
		}
		return serve(ctx, &c, stdout, c.logger(os.Stderr))
	}
	return cmd
}

// serve runs the service until ctx ends.
func serve(ctx context.Context, c *serveConfig, stdout io.Writer, log *slog.Logger) error {
	doors, err := openDoors(ctx, c)
	if err != nil {
		return err
	}
	defer doors.close()
	certs, err := c.tls.open(c.state)
	if err != nil {
		return err
	}
	if certs != nil && c.baseURL == "" {
		c.baseURL = "https://" + cmp.Or(c.tls.firstHost(), localName(doors.httpName(c.http)))
	}
	site := c.site(doors.httpName(c.http))
	problems := catalog.ProblemWriter{Site: site, Log: log}
	metrics := ops.NewMetrics(versionText(), time.Now)
	till, err := openTill(ctx, c, problems, metrics, log)
	if err != nil {
		return err
	}
	defer func() {
		if err := till.close(); err != nil {
			log.Error("close the ledger", "err", err)
		}
	}()
	s := &server{builder: builder{cfg: c, site: site, till: till, problems: problems, log: log}, doors: doors, certs: certs, metrics: metrics}
	return s.run(ctx, stdout)
}

// A server is the running service.
type server struct {
	builder
	doors   doors
	certs   *certificates
	metrics *ops.Metrics
	now     current
}

// run loads the data, serves every door, and follows the files and the node, until ctx ends or a
// door fails.
func (s *server) run(ctx context.Context, stdout io.Writer) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	// Signals and files are watched before the data are read, so that no change falls between.
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	changed, err := s.watchFiles(ctx)
	if err != nil {
		return err
	}
	first, err := s.load(s.till.state(ctx))
	if err != nil {
		return err
	}
	s.use(first)
	listeners, err := s.listeners()
	if err != nil {
		return err
	}
	for _, l := range listeners {
		go func() {
			if err := l.serve(); err != nil {
				stop(fmt.Errorf("serve %s: %w", l.name, err))
			}
		}()
	}
	s.banner(stdout)
	s.follow(ctx, hangup, changed)
	s.drain(listeners)
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

const (
	// nodePoll is how often the node is asked whether it answers.
	nodePoll = 5 * time.Second
	// pruneEvery is how often accounts that ended are forgotten, and pruneAfter how long after
	// their end: a clock that is wrong for a while must not cost anybody credits.
	pruneEvery = 24 * time.Hour
	pruneAfter = 30 * 24 * time.Hour
)

// follow keeps the snapshot in step with the files and with the state of the node.
func (s *server) follow(ctx context.Context, hangup <-chan os.Signal, changed <-chan struct{}) {
	tick := time.NewTicker(nodePoll)
	defer tick.Stop()
	prune := time.NewTicker(pruneEvery)
	defer prune.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangup:
			s.reload(ctx)
		case <-changed:
			s.reload(ctx)
		case <-tick.C:
			s.followNode(ctx)
		case <-prune.C:
			s.till.prune(ctx, s.log)
		}
	}
}

// reload reads the files again. Faulty files leave the data as they are, and the log says why.
func (s *server) reload(ctx context.Context) {
	started := time.Now()
	if err := s.certs.reload(); err != nil {
		s.metrics.LoadFailed()
		s.log.Error("reload failed; the certificate stays as it was", "err", err)
	}
	next, err := s.load(s.till.state(ctx))
	if err != nil {
		s.metrics.LoadFailed()
		s.log.Error("reload failed; the data stay as they were", "err", err)
		return
	}
	entries := s.use(next)
	s.log.Info("reloaded", "entries", entries, "took", time.Since(started).Round(time.Millisecond).String())
}

// use serves a fresh load from now on, and tells how many entries it has.
func (s *server) use(next *snapshot) (entries int) {
	entries = len(next.cat.Entries())
	s.metrics.Loaded(entries, next.cat.Options().GeneratedAt)
	s.now.swap(next)
	return entries
}

// followNode rebuilds what speaks of payments when the node came or went.
func (s *server) followNode(ctx context.Context) {
	state := s.till.state(ctx)
	now := s.now.take()
	defer now.drop()
	if now.cat.Payments() == state || ctx.Err() != nil {
		return
	}
	next, err := s.withPayments(now, state)
	if err != nil {
		s.log.Error("rebuild after the node's state changed", "err", err)
		return
	}
	s.now.swap(next)
	s.log.Info("the Lightning node's state changed", "live", state == catalog.PaymentsLive)
}
