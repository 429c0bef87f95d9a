package file

import (
	"bytes"
	"io"
	"os"
	"sync"
	"sync/atomic"
)

// served is the file as answers use it.
type served struct {
	plain Representation
	coded [Codings]struct {
		making sync.Mutex
		made   atomic.Pointer[Representation]
	}
	grow func(bytes int64) // is told what a compressed form takes; nil: nobody counts
}

// A Representation is a file's body in one coding with the header values that go with it. The slices are shared by all
// answers: they must not be written to.
type Representation struct {
	Body   []byte   // nil when it is on disk
	Type   []string // Content-Type
	Link   []string // RFC 8288; nil without alternates
	Length []string
	ETag   []string
	Coding []string // nil for Identity

	disk *os.File
	size int64 // of disk
}

// WriteTo implements io.WriterTo.
func (v *Representation) WriteTo(w io.Writer) (int64, error) {
	if v.disk != nil {
		return io.Copy(w, io.NewSectionReader(v.disk, 0, v.size))
	}
	n, err := w.Write(v.Body)
	return int64(n), err
}

// Open returns a reader of the body.
func (v *Representation) Open() io.ReadSeeker {
	if v.disk != nil {
		return io.NewSectionReader(v.disk, 0, v.size)
	}
	return bytes.NewReader(v.Body)
}

// diskFactor is how many bytes on disk count as one in memory.
const diskFactor = 16

// cost returns what bytes in memory and on disk count.
func cost(memory, disk int64) int64 { return memory + disk/diskFactor }
