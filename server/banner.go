package server

import (
	"fmt"
	"io"

	"almanac/catalog"
)

// A banner tells a person at a terminal where everything is, with one line to try each way in.
type banner struct {
	version           string
	site              catalog.Site
	selling, demo     bool
	http, grpc, admin string // addresses; empty: off
}

func (b banner) write(w io.Writer) {
	fmt.Fprintf(w, "\nalmanac %s\n\n", b.version)
	fmt.Fprintf(w, "  people         %s/\n", b.site.Base)
	fmt.Fprintf(w, "  agents         claude mcp add --transport http almanac %s\n", b.site.MCPURL())
	if b.selling {
		fmt.Fprintf(w, "  paying agents  curl -i '%s?q=macaroon'%s\n", b.site.SearchURL(), demoRemark(b.demo))
	}
	if b.admin != "" {
		fmt.Fprintf(w, "  admin          curl http://%s/readyz\n", b.admin)
	}
	fmt.Fprintln(w)
}

// demoRemark returns the remark that payments are a demonstration, if they are.
func demoRemark(yes bool) string {
	if !yes {
		return ""
	}
	return "   (demonstration: no money moves)"
}

// paymentsText returns the state of payments for the log.
func paymentsText(c *catalog.Catalog) string {
	if c.Terms().Demo && c.Payments() == catalog.PaymentsLive {
		return "demo"
	}
	return [...]string{"off", "configured, but nothing can be sold now", "live"}[c.Payments()]
}
