package httpmirror

import (
	"fmt"
	"math"
	"runtime/debug"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/sync/singleflight"

	"almanac/httpmirror/file"
	"almanac/problem"
)

// A cache has the files of one site that were asked for lately, up to a number of bytes. It saves rendering a page
// (some 100 µs) and compressing it (up to 1 ms) for each request. It is safe for concurrent use.
type cache struct {
	limit     int64         // in bytes
	timeout   time.Duration // how long a request waits for a file that is being rendered
	rendering singleflight.Group

	mu    sync.Mutex
	files *simplelru.LRU[cacheKey, *file.File]
	size  int64 // in bytes
}

// A cacheKey names a file in one coding.
type cacheKey struct {
	path   string
	coding file.Coding
}

// DefaultCacheSize returns the size of a cache in bytes: a part of the memory limit of the process (GOMEMLIMIT).
func DefaultCacheSize() int64 {
	const share, most = 8, 256 << 20
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		return min(limit/share, most)
	}
	return most
}

func newCache(limit int64, timeout time.Duration) *cache {
	c := &cache{limit: limit, timeout: timeout}
	// the size is positive
	c.files, _ = simplelru.NewLRU(math.MaxInt, func(_ cacheKey, f *file.File) { c.size -= cost(f) })
	return c
}

// cost returns about how many bytes a file takes.
func cost(f *file.File) int64 {
	const overhead = 2 << 10
	return int64(len(f.Body)) + overhead
}

// lookup returns a file, or nil.
func (c *cache) lookup(k cacheKey) *file.File {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, _ := c.files.Get(k)
	return f
}

// get returns a file, which render makes if it is absent: once for all who ask at the same time. Errors are not stored.
// A file that takes longer to render than timeout is refused as overloaded, and is there later.
func (c *cache) get(k cacheKey, render func() (*file.File, error)) (*file.File, error) {
	if f := c.lookup(k); f != nil {
		return f, nil
	}
	rendered := c.rendering.DoChan(fmt.Sprint(k), func() (any, error) {
		if f := c.lookup(k); f != nil { // added since
			return f, nil
		}
		f, err := render()
		if err == nil {
			c.add(k, f)
		}
		return f, err
	})
	timer := time.NewTimer(c.timeout)
	defer timer.Stop()
	select {
	case r := <-rendered:
		return r.Val.(*file.File), r.Err
	case <-timer.C:
		return nil, &problem.Problem{Code: problem.Overloaded, RetryAfter: c.timeout,
			Detail: "This file is still being computed. Wait as long as Retry-After says, then try again."}
	}
}

// add stores an absent file and evicts others until all fit. A file that is larger than the cache is not stored.
func (c *cache) add(k cacheKey, f *file.File) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cost(f) > c.limit {
		return
	}
	c.files.Add(k, f)
	for c.size += cost(f); c.size > c.limit; {
		c.files.RemoveOldest()
	}
}
