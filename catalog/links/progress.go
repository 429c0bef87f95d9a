package links

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// A Progress shows a person how a round goes on: a bar on a terminal, elsewhere a line for each
// finding and one now and then that counts.
type Progress struct {
	out   io.Writer
	bar   *progressbar.ProgressBar // nil elsewhere
	now   func() time.Time
	total int
	seen  int
	told  time.Time
}

// countEvery is the pause between two lines that only count.
const countEvery = 10 * time.Second

// NewProgress begins to show a round of so many links.
func NewProgress(out io.Writer, terminal bool, total int, now func() time.Time) *Progress {
	p := &Progress{out: out, now: now, total: total, told: now()}
	if terminal {
		p.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(out), progressbar.OptionShowCount(),
			progressbar.OptionSetDescription("links"), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetRenderBlankState(true))
	}
	return p
}

// Seen shows one more observation.
func (p *Progress) Seen(o Observation) {
	p.seen++
	if p.bar != nil {
		p.bar.Add(1)
		return
	}
	if o.Kind != "" {
		fmt.Fprintf(p.out, "%s\n", Line(o))
	}
	if now := p.now(); now.Sub(p.told) >= countEvery {
		p.told = now
		fmt.Fprintf(p.out, "%d of %d links\n", p.seen, p.total)
	}
}

// Done ends the showing.
func (p *Progress) Done() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
