package main

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// banner tells a person at a terminal where everything is and one line to try each way in.
// Where nobody looks, the log says it in one line.
func (s *server) banner(stdout io.Writer) {
	now := s.now.take()
	defer now.drop()
	s.log.Info("serving", "base", s.site.Base, "api", s.site.API, "mcp", s.site.MCPURL(),
		"http", addr(s.doors.http), "grpc", addr(s.doors.grpc), "admin", addr(s.doors.admin),
		"entries", len(now.cat.Entries()), "payments", paymentsText(now.cat.Payments()))
	if f, ok := stdout.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		return
	}
	fmt.Fprintf(stdout, "\nalmanac %s\n\n", versionText())
	fmt.Fprintf(stdout, "  people         %s/\n", s.site.Base)
	fmt.Fprintf(stdout, "  agents         claude mcp add --transport http almanac %s\n", s.site.MCPURL())
	if s.till != nil {
		fmt.Fprintf(stdout, "  paying agents  curl -i '%s?q=macaroon'\n", s.site.SearchURL())
	}
	if s.doors.admin != nil {
		fmt.Fprintf(stdout, "  operator       curl http://%s/readyz\n", addr(s.doors.admin))
	}
	fmt.Fprintln(stdout)
}
