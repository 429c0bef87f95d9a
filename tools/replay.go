package tools

import (
	"crypto/sha256"
	"sync"
	"time"
)

const (
	replayFor  = time.Minute
	maxReplays = 256
)

// replays hold the paid answers of the last minute. A client that lost its connection sends the
// same search again with the same credential; it receives the same answer and pays once.
type replays struct {
	mu   sync.Mutex
	byID map[[sha256.Size]byte]replay
}

type replay struct {
	*Answer
	until time.Time
}

func (r *replays) get(key [sha256.Size]byte, now time.Time) (*Answer, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a, ok := r.byID[key]
	return a.Answer, ok && now.Before(a.until)
}

func (r *replays) put(key [sha256.Size]byte, a *Answer, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.byID) >= maxReplays {
		for k, old := range r.byID {
			if !now.Before(old.until) {
				delete(r.byID, k)
			}
		}
	}
	if r.byID == nil || len(r.byID) >= maxReplays {
		r.byID = make(map[[sha256.Size]byte]replay)
	}
	r.byID[key] = replay{a, now.Add(replayFor)}
}
