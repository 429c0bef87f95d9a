package mcpserver

import (
	"io"
	"sync"
)

// A buffer holds the body of a request and then the bytes of its answer.
type buffer struct{ in, out []byte }

var buffers = sync.Pool{New: func() any { return &buffer{make([]byte, 0, 1<<10), make([]byte, 0, 16<<10)} }}

const maxKept = 128 << 10 // the largest buffer, in bytes, that is kept for the next request

func (b *buffer) release() {
	if cap(b.in) <= maxKept && cap(b.out) <= maxKept {
		buffers.Put(b)
	}
}

func (b *buffer) readAll(r io.Reader) ([]byte, error) {
	b.in = b.in[:0]
	for {
		if len(b.in) == cap(b.in) {
			b.in = append(b.in, 0)[:len(b.in)]
		}
		n, err := r.Read(b.in[len(b.in):cap(b.in)])
		b.in = b.in[:len(b.in)+n]
		if err == io.EOF {
			return b.in, nil
		}
		if err != nil {
			return b.in, err
		}
	}
}
