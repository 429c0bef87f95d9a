package file

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
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

// Prepare makes the header values of the answers with f. It must be called once before f is served.
func (f *File) Prepare() {
	plain := Representation{
		Body: f.Body, Type: []string{f.Type}, Length: []string{strconv.FormatInt(f.Size(), 10)}, ETag: []string{f.ETag()}, disk: f.disk, size: f.size,
	}
	if len(f.Alternates) > 0 {
		links := make([]string, len(f.Alternates))
		for i, a := range f.Alternates {
			links[i] = fmt.Sprintf("<%s>; rel=\"alternate\"; type=%q", a.Path, a.Type)
		}
		plain.Link = []string{strings.Join(links, ", ")}
	}
	f.served.plain = plain
}

// Representation returns the file in a coding, or as it is when compressing does not make it smaller. It is compressed when it is
// first asked for, and then kept.
func (f *File) Representation(c Coding) *Representation {
	if c == Identity || f.Size() < MinCoded {
		return &f.served.plain
	}
	coded := &f.served.coded[c]
	if v := coded.made.Load(); v != nil {
		return v
	}
	coded.making.Lock()
	defer coded.making.Unlock()
	if v := coded.made.Load(); v != nil {
		return v
	}
	v := f.compressed(c)
	coded.made.Store(v)
	if f.served.grow != nil && v != &f.served.plain {
		f.served.grow(cost(int64(len(v.Body)), v.size))
	}
	return v
}

// compressed returns the file in a coding, or as it is.
func (f *File) compressed(c Coding) *Representation {
	v := f.served.plain
	if f.disk == nil {
		v.Body = c.Compress(f.Body)
	} else {
		var err error
		if v.disk, v.size, err = c.compressTo(f.Open()); err != nil {
			return &f.served.plain // a disk that is full does not take the file away
		}
	}
	size := int64(len(v.Body)) + v.size
	if size >= f.Size() {
		return &f.served.plain
	}
	// The bytes differ, and so must a strong validator.
	v.Length = []string{strconv.FormatInt(size, 10)}
	v.ETag, v.Coding = []string{`"` + f.tag() + "-" + c.String() + `"`}, []string{c.String()}
	return &v
}
