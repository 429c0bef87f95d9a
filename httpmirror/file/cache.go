package file

import (
	"math"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/singleflight"
)

// A View is the files of one site in a cache.
type View struct {
	cache  *Cache
	kept   sync.Map // of *cached, by path: processors that look at once need not pass a lock around
	making singleflight.Group
}

// View returns a view of the files of a site that has none in the cache yet.
func (c *Cache) View() *View { return &View{cache: c} }

// Kept returns the file at a path, or nil.
func (v *View) Kept(path string) *File {
	kept, ok := v.kept.Load(path)
	if !ok {
		return nil
	}
	e := kept.(*cached)
	if !e.used.Load() { // most of the time it is set
		e.used.Store(true)
	}
	return e.file
}

// Get returns the file at a path, which render makes if it is not there: once for all who ask at the same time.
func (v *View) Get(path string, render func() (*File, error)) (*File, error) {
	if f := v.Kept(path); f != nil {
		return f, nil
	}
	f, err, _ := v.making.Do(path, func() (any, error) {
		if f := v.Kept(path); f != nil { // made since we looked
			return f, nil
		}
		f, err := render()
		if err != nil {
			return nil, err
		}
		v.cache.put(v, path, f)
		return f, nil
	})
	if err != nil {
		return nil, err
	}
	return f.(*File), nil
}

// Drop forgets the files of the view.
func (v *View) Drop() {
	c := v.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range v.kept.Range {
		c.remove(e.(*cached))
	}
}

// A Cache keeps files that were rendered, up to a number of bytes; beyond it, those go that were not asked for lately. Several
// sites share one, so that a site and the one that follows it take no more together. It is safe for concurrent use.
type Cache struct {
	max int64

	mu   sync.Mutex
	ring []*cached // all files; nil where one was removed
	free []int     // the places of these
	hand int       // where in ring the next look is
	size int64
}

// cached is a file that is kept.
type cached struct {
	view  *View
	path  string
	file  *File
	place int // in the ring
	cost  int64
	used  atomic.Bool // since the hand passed it
}

// NewCache returns a cache of at most max bytes.
func NewCache(max int64) *Cache { return &Cache{max: max} }

const (
	share     = 8         // part of the memory limit that a cache may take
	unlimited = 256 << 20 // bytes of a cache where memory has no limit
	overhead  = 2 << 10   // bytes that a file takes besides its body, about
)

// DefaultSize returns how many bytes a cache may take: a part of the memory limit of the process (GOMEMLIMIT).
func DefaultSize() int64 {
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		return min(limit/share, unlimited)
	}
	return unlimited
}

// Size returns how many bytes the files in the cache take.
func (c *Cache) Size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.size
}

// lent is the part of a cache that Lend leaves.
const lent = 4

// Lend leaves the cache a quarter of its bytes, for as long as something else needs the rest, and returns what gives them back.
func (c *Cache) Lend() (restore func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	whole := c.max
	c.max /= lent
	c.evict()
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.max = whole
	}
}

// put keeps a file that was just made, and was given to nobody yet.
func (c *Cache) put(v *View, path string, f *File) {
	e := &cached{view: v, path: path, file: f}
	f.served.grow = func(bytes int64) { c.grow(e, bytes) }
	c.mu.Lock()
	defer c.mu.Unlock()
	v.kept.Store(path, e)
	if n := len(c.free); n > 0 {
		e.place, c.free = c.free[n-1], c.free[:n-1]
		c.ring[e.place] = e
	} else {
		e.place = len(c.ring)
		c.ring = append(c.ring, e)
	}
	c.charge(e, cost(int64(len(f.Body)), f.size)+overhead)
}

// grow counts what a compressed form of a file takes.
func (c *Cache) grow(e *cached, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ring[e.place] == e { // it was not removed
		c.charge(e, bytes)
	}
}

// charge counts bytes.
func (c *Cache) charge(e *cached, bytes int64) {
	e.cost += bytes
	c.size += bytes
	c.evict()
}

// evict removes files until the rest fits. The hand goes round and removes those that nobody asked for since its last round.
func (c *Cache) evict() {
	for c.size > c.max && len(c.free) < len(c.ring) {
		c.hand = (c.hand + 1) % len(c.ring)
		if e := c.ring[c.hand]; e != nil && !e.used.Swap(false) {
			c.remove(e)
		}
	}
}

func (c *Cache) remove(e *cached) {
	e.view.kept.Delete(e.path)
	c.ring[e.place] = nil
	c.free = append(c.free, e.place)
	c.size -= e.cost
}
