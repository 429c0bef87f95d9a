package index

import (
	"bytes"
	"hash/maphash"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"
)

// answers keeps the encoded answers of queries that were asked more than once.
type answers struct {
	kept *lru.Cache[string, keptAnswer]
	seed maphash.Seed
	once [4096]atomic.Uint64 // hashes of the latest queries
}

// A keptAnswer is an answer without credits and the final brace.
type keptAnswer struct {
	body  []byte
	empty bool // nothing was found
}

// maxAnswer bounds an answer that is kept, in bytes.
const maxAnswer = 64 << 10

func newAnswers(n int) (*answers, error) {
	kept, err := lru.New[string, keptAnswer](n)
	return &answers{kept: kept, seed: maphash.MakeSeed()}, err
}

// put keeps an answer if its query was asked before. A query asked once costs no memory.
func (a *answers) put(key string, body []byte, empty bool) {
	h := maphash.String(a.seed, key)
	if a.once[h%uint64(len(a.once))].Swap(h) == h && len(body) <= maxAnswer {
		a.kept.Add(key, keptAnswer{bytes.Clone(body), empty})
	}
}
