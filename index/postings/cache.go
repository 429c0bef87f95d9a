package postings

import "sync"

// A cache keeps lists in two generations. When the younger has filled half of the budget it
// becomes the elder, and the lists of the former elder that were not used again are dropped.
type cache struct {
	mu             sync.RWMutex
	younger, elder map[string]*List
	bytes          int // of the younger
	budget         int
}

func newCache(budget int) *cache {
	return &cache{younger: make(map[string]*List), budget: budget}
}

func (c *cache) get(key []byte) (*List, bool) {
	c.mu.RLock()
	l, ok := c.younger[string(key)]
	if ok {
		c.mu.RUnlock()
		return l, true
	}
	l, ok = c.elder[string(key)]
	c.mu.RUnlock()
	if ok {
		c.put(key, l)
	}
	return l, ok
}

func (c *cache) put(key []byte, l *List) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.younger[string(key)]; ok {
		return
	}
	c.bytes += l.bytes() + len(key)
	if c.bytes > c.budget/2 {
		c.elder, c.younger = c.younger, make(map[string]*List)
		c.bytes = l.bytes() + len(key)
	}
	c.younger[string(key)] = l
}

// lend leaves the cache a quarter of its budget, and returns what gives it the rest back.
func (c *cache) lend() (restore func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	whole := c.budget
	c.budget /= 4
	c.elder = nil
	if c.bytes > c.budget/2 {
		c.younger, c.bytes = make(map[string]*List), 0
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.budget = whole
	}
}
