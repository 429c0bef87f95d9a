package links

import (
	"context"
	"errors"
	"net/http"
)

// A Page is what an address answered, with its body.
type Page struct {
	Observation
	Type string // its Content-Type
	Body []byte
	Long bool // there is more than was read
}

// ReadAll requests all links with GET and reads at most limit bytes of each body, in the way in which links are checked: at the same pace, by
// the same rules of robots.txt, with the same judgement of what a page is. It hands each page to report, never two at a time.
func (c *Checker) ReadAll(ctx context.Context, list []Link, limit int64, report func(Page)) error {
	return visit(ctx, c.cfg, list, func(l Link, attempts int) Page { return c.read(ctx, l, limit, attempts) }, func(p Page) *Observation { return &p.Observation }, report)
}

// read requests a link until its answer is one that will stay and is whole, or the attempts are used up.
func (c *Checker) read(ctx context.Context, l Link, limit int64, attempts int) Page {
	for try := 1; ; try++ {
		t := c.follow(ctx, http.MethodGet, l.URL, limit)
		if t.err == nil && t.cut != nil && !errors.Is(t.cut, errLong) {
			t.err = t.cut // half a source is no source
		}
		if try >= attempts || !t.mayPass() || ctx.Err() != nil || sleep(ctx, c.cfg.Backoff<<(try-1)) != nil {
			p := Page{Observation: c.observe(l, t, try), Long: errors.Is(t.cut, errLong)}
			if t.err == nil && t.status >= 200 && t.status < 300 {
				p.Type, p.Body = t.header.Get("Content-Type"), t.body
			}
			return p
		}
	}
}
