package links

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// A progress shows a person how far a round is: a bar on a terminal, elsewhere a line for each finding and now and then one
// with the count.
type progress struct {
	out     io.Writer
	bar     *progressbar.ProgressBar // nil elsewhere
	now     func() time.Time
	total   int
	seen    int
	counted time.Time // when the last count was shown
}

// countEvery is the time between two lines with the count.
const countEvery = 10 * time.Second

// newProgress shows the start of a round of total links.
func newProgress(out io.Writer, terminal bool, total int, now func() time.Time) *progress {
	p := &progress{out: out, now: now, total: total, counted: now()}
	if terminal {
		p.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(out), progressbar.OptionShowCount(),
			progressbar.OptionSetDescription("links"), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetRenderBlankState(true))
	}
	return p
}

// add shows one more observation.
func (p *progress) add(o Observation) {
	p.seen++
	if p.bar != nil {
		p.bar.Add(1)
		return
	}
	if o.Kind != "" {
		fmt.Fprintf(p.out, "%s\n", line(o))
	}
	if now := p.now(); now.Sub(p.counted) >= countEvery {
		p.counted = now
		fmt.Fprintf(p.out, "%d of %d links\n", p.seen, p.total)
	}
}

// done clears the bar.
func (p *progress) done() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
