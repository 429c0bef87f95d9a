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
	making singleflight.Group
}

// View returns a view of the files of a site that has none in the cache yet.
func (c *Cache) View() *View { return &View{cache: c} }

// Cache returns the cache.
func (v *View) Cache() *Cache { return v.cache }

// Kept returns the file at a path, or nil.
func (v *View) Kept(path string) *File { return v.cache.get(cacheKey{v, path}) }

// Get returns the file at a path, which render makes if it is not there: once for all who ask at the same time.
func (v *View) Get(path string, render func() (*File, error)) (*File, error) {
	key := cacheKey{v, path}
	if f := v.cache.get(key); f != nil {
		return f, nil
	}
	f, err, _ := v.making.Do(path, func() (any, error) {
		if f := v.cache.get(key); f != nil { // made since we looked
			return f, nil
		}
		f, err := render()
		if err != nil {
			return nil, err
		}
		v.cache.put(key, f)
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
	for _, e := range c.kept {
		if e.key.view == v {
			c.remove(e)
		}
	}
}

// A Cache keeps files that were rendered, up to a number of bytes; beyond it, those go that were not asked for lately. Several
// sites share one, so that a site and the one that follows it take no more together. It is safe for concurrent use.
type Cache struct {
	max int64

	mu   sync.RWMutex
	kept map[cacheKey]*cached
	ring []*cached // nil where one was removed
	free []int     // the places of these
	hand int       // where in ring the next look is
	size int64
}

type cacheKey struct {
	view *View
	path string
}

// cached is a file that is kept.
type cached struct {
	key   cacheKey
	file  *File
	place int // in the ring
	cost  int64
	used  atomic.Bool // since the hand passed it
}

// NewCache returns a cache of at most max bytes.
func NewCache(max int64) *Cache { return &Cache{max: max, kept: make(map[cacheKey]*cached)} }

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
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.size
}

func (c *Cache) get(key cacheKey) *File {
	c.mu.RLock()
	e := c.kept[key]
	c.mu.RUnlock()
	if e == nil {
		return nil
	}
	if !e.used.Load() { // so that processors need not pass the line around
		e.used.Store(true)
	}
	return e.file
}

// put keeps a file that was just made, and was given to nobody yet.
func (c *Cache) put(key cacheKey, f *File) {
	e := &cached{key: key, file: f}
	f.served.grow = func(bytes int64) { c.grow(e, bytes) }
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept[key] = e
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
	if c.kept[e.key] == e {
		c.charge(e, bytes)
	}
}

// charge counts bytes, and removes files until the rest fits. The hand goes round and removes those that nobody asked for since its last
// round.
func (c *Cache) charge(e *cached, bytes int64) {
	e.cost += bytes
	c.size += bytes
	for c.size > c.max && len(c.kept) > 0 {
		c.hand = (c.hand + 1) % len(c.ring)
		if e := c.ring[c.hand]; e != nil && !e.used.Swap(false) {
			c.remove(e)
		}
	}
}

func (c *Cache) remove(e *cached) {
	delete(c.kept, e.key)
	c.ring[e.place] = nil
	c.free = append(c.free, e.place)
	c.size -= e.cost
}
