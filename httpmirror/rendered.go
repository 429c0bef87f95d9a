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

// rendered is the files of a site that is too large to be in memory: they are rendered when they are asked for.
type rendered struct {
	view    *file.View
	digests *digests

	mu       sync.Mutex
	manifest *file.File
}

// newRendered returns the files of a site. whole returns a renderer for all of them at once.
func newRendered(cache *file.Cache, whole func() *renderer) *rendered {
	return &rendered{view: cache.View(), digests: &digests{whole: whole, patience: manifestPatience, done: make(chan struct{})}}
}

// withPayments returns the files of the same site in another state of payments.
func (x *rendered) withPayments() *rendered {
	if x == nil {
		return nil
	}
	return &rendered{view: x.view, digests: x.digests}
}

func (x *rendered) close() {
	x.digests.closed.Store(true)
	x.view.Drop()
}

// file returns the file at a path, or nil.
func (x *rendered) file(r *renderer, path string) (*file.File, error) {
	if f := x.view.Kept(path); f != nil {
		return f, nil
	}
	if path == catalog.ManifestPath {
		return x.listing(r)
	}
	t, ok := r.task(path)
	if !ok {
		return nil, nil
	}
	return x.view.Get(path, func() (*file.File, error) { return r.file(t) })
}

// task returns what is rendered at a path.
func (r *renderer) task(path string) (task, bool) {
	for _, k := range r.kinds {
		for i := range k.forms {
			if id, ok := match(k.forms[i].path, path); ok && k.forms[i].pass != passManifest && k.publishes(r, id) {
				return task{k, &k.forms[i], id}, true
			}
		}
	}
	return task{}, false
}

// listing returns the manifest.
func (x *rendered) listing(r *renderer) (*file.File, error) {
	if err := x.digests.wait(); err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.manifest != nil {
		return x.manifest, nil
	}
	p, all := r.plan(), slices.Clone(x.digests.all)
	for _, n := range p.live() { // the state of payments may have changed since
		err := r.with(p.task(n), func(f *file.File) error {
			all[n] = f.Digest()
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	err := r.withManifest(p, all, func(f *file.File) error {
		x.manifest = forKeeping(f)
		return nil
	})
	return x.manifest, err
}

// manifestPatience is how long a request for the manifest of a large site waits for it.
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

// wait returns when the digests are there, or an error.
func (d *digests) wait() error {
	d.start.Do(func() { go d.find() })
	patience := time.NewTimer(d.patience)
	defer patience.Stop()
	select {
	case <-d.done:
		return d.err
	case <-patience.C:
		return &problem.Problem{Code: problem.Overloaded, RetryAfter: d.patience, Detail: "The manifest has the hash of every file, and these are still being computed. Wait as long as Retry-After says, then try again."}
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
