package server

import (
	"fmt"
	"io"

	"almanac/catalog"
)

// A banner tells a person at a terminal where everything is, with one line to try each way in.
type banner struct {
	version              string
	site                 catalog.Site
	selling              bool
	http, grpc, operator string // addresses; empty: off
}

func (b banner) write(w io.Writer) {
	fmt.Fprintf(w, "\nalmanac %s\n\n", b.version)
	fmt.Fprintf(w, "  people         %s/\n", b.site.Base)
	fmt.Fprintf(w, "  agents         claude mcp add --transport http almanac %s\n", b.site.MCPURL())
	if b.selling {
		fmt.Fprintf(w, "  paying agents  curl -i '%s?q=macaroon'\n", b.site.SearchURL())
	}
	if b.operator != "" {
		fmt.Fprintf(w, "  operator       curl http://%s/readyz\n", b.operator)
	}
	fmt.Fprintln(w)
}

// paymentsText returns the state of payments in words.
func paymentsText(p catalog.Payments) string {
	return [...]string{"off", "configured, the node does not answer", "live"}[p]
}
