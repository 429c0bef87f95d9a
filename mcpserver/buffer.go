package mcpserver

import (
	"io"
	"sync"
)

// The sizes of a buffer: what it begins with holds most requests or answers, and one that grew
// larger than the most is not kept for the next request.
const (
	bodySize   = 1 << 10
	answerSize = 16 << 10
	maxKept    = 128 << 10
)

// bodies and answers are kept apart, since a request waits with its body and without an answer.
var (
	bodies  = bufferPool(bodySize)
	answers = bufferPool(answerSize)
)

func bufferPool(size int) *sync.Pool {
	return &sync.Pool{New: func() any { b := make([]byte, 0, size); return &b }}
}

// putBuffer keeps a buffer for the next request. The pool stores pointers, which do not allocate.
func putBuffer(pool *sync.Pool, b *[]byte) {
	if cap(*b) <= maxKept {
		*b = (*b)[:0]
		pool.Put(b)
	}
}

// readAll reads r to its end into a buffer.
func readAll(b []byte, r io.Reader) ([]byte, error) {
	for {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return b, err
		}
	}
}
