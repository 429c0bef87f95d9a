package postings

import (
	"context"
	"time"
)

// A Deadline ends a search whose caller has gone or whose time is over. It is polled between the
// steps of a search, which costs less than a timer for each search.
type Deadline struct {
	Ctx   context.Context
	Until time.Time
}

// Err returns why the search must end, or nil.
func (d *Deadline) Err() error {
	if err := d.Ctx.Err(); err != nil {
		return err
	}
	if time.Now().After(d.Until) {
		return context.DeadlineExceeded
	}
	return nil
}
