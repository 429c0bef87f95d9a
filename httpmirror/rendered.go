package httpmirror

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/problem"
)

// rendered is the files of a site that were asked for, and the digests of all.
type rendered struct {
	same    *file.View                      // files that are the same in every state of payments
	live    map[catalog.Payments]*file.View // the others, by state
	digests *digests
}

// newRendered returns a site of which no file was asked for. whole returns a renderer for all of them at once.
func newRendered(cache *file.Cache, whole func() *renderer) *rendered {
	return &rendered{
		same:    cache.View(),
		live:    map[catalog.Payments]*file.View{catalog.PaymentsOff: cache.View(), catalog.PaymentsDown: cache.View(), catalog.PaymentsLive: cache.View()},
		digests: &digests{whole: whole, patience: manifestPatience, done: make(chan struct{})},
	}
}

func (x *rendered) close() {
	x.digests.closed.Store(true)
	x.same.Drop()
	for _, view := range x.live {
		view.Drop()
	}
}

// in returns where files of a form are kept in a state of payments.
func (x *rendered) in(f *form, state catalog.Payments) *file.View {
	if f.live {
		return x.live[state]
	}
	return x.same
}

// manifest renders the manifest.
func (x *rendered) manifest(r *renderer) (manifest *file.File, err error) {
	all, err := x.digests.wait()
	if err != nil {
		return nil, err
	}
	p, all := r.plan(), slices.Clone(all)
	for _, n := range p.live() { // in the state of payments of r
		err := r.with(p.task(n), func(f *file.File) error {
			all[n] = f.Digest()
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	err = r.withManifest(p, all, func(f *file.File) error {
		manifest = forKeeping(f)
		return nil
	})
	return manifest, err
}

// manifestPatience is how long a request for the manifest waits for it. That of a large library takes longer.
const manifestPatience = 10 * time.Second

// digests are those of all files of a site, by their numbers in its plan. To find them, all files are rendered once, when somebody first
// asks for the manifest.
type digests struct {
	whole    func() *renderer
	patience time.Duration

	start  sync.Once
	done   chan struct{} // is closed when all is set, or err
	all    []file.Digest
	err    error
	closed atomic.Bool
}

// errClosed says that nobody needs the digests any more.
var errClosed = errors.New("the site was replaced by another")

// wait returns the digests when they are there, or an error.
func (d *digests) wait() ([]file.Digest, error) {
	d.start.Do(func() { go d.find() })
	patience := time.NewTimer(d.patience)
	defer patience.Stop()
	select {
	case <-d.done:
		return d.all, d.err
	case <-patience.C:
		return nil, &problem.Problem{Code: problem.Overloaded, RetryAfter: d.patience, Detail: "The manifest has the hash of every file, and these are still being computed. Wait as long as Retry-After says, then try again."}
	}
}

// find renders everything on one processor, so that requests have the others.
func (d *digests) find() {
	defer close(d.done)
	r := d.whole()
	p := r.plan()
	all := make([]file.Digest, p.len)
	d.err = r.files(p, 1, func(n int, f *file.File) error {
		if d.closed.Load() {
			return errClosed
		}
		all[n] = f.Digest()
		return nil
	})
	d.all = all
}
