package file

import (
	"bytes"
	"io"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
)

// A Coding is a content coding of HTTP, or Identity.
type Coding int

// The codings on offer. Among those that a client likes equally, the first wins.
const (
	Brotli Coding = iota
	Gzip
	Codings  // their number
	Identity = Codings
)

// codings are the names of the codings in HTTP, and the suffixes of the names of compressed files that nginx and Caddy
// look for.
var codings = [Codings + 1]struct{ name, suffix string }{{"br", ".br"}, {"gzip", ".gz"},
	{"identity", ""}}

// String returns the name of the coding in HTTP.
func (c Coding) String() string { return codings[c].name }

// Suffix returns the ending of the name of a file that has another one in this coding.
func (c Coding) Suffix() string { return codings[c].suffix }

// CodingNamed returns the coding with a name of HTTP. Identity is not among them.
func CodingNamed(name string) (Coding, bool) {
	for c := range Codings {
		if strings.EqualFold(name, codings[c].name) {
			return c, true
		}
	}
	return Identity, false
}

// Compress returns the bytes of body in a coding other than Identity. Equal bodies give equal bytes.
func (c Coding) Compress(body []byte) []byte {
	var b bytes.Buffer
	var w compressor
	if c == Brotli && len(body) >= otherHasher {
		w = newBrotli()
	} else {
		w = compressors[c].Get().(compressor)
		defer compressors[c].Put(w)
	}
	w.Reset(&b)
	w.Write(body) // a bytes.Buffer does not fail
	w.Close()
	return bytes.Clone(b.Bytes()) // without the spare capacity, because caches store it
}

// A compressor is used many times, which saves building its tables for every file.
type compressor interface {
	io.WriteCloser
	Reset(io.Writer)
}

// Above these levels the files, most of them a few kilobytes, get a few per cent smaller and take several times as
// long: a file is compressed while a client waits.
var compressors = [Codings]sync.Pool{
	Brotli: {New: func() any { return newBrotli() }},
	Gzip: {New: func() any {
		w, _ := gzip.NewWriterLevel(nil, 6) // the level is valid
		return w
	}},
}

// otherHasher is the length in bytes from which Brotli hashes in another way. A writer keeps the hasher of its first
// body, so that the bytes would depend on the bodies before; longer ones get a writer of their own.
const otherHasher = 1 << 20

func newBrotli() compressor { return brotli.NewWriterLevel(nil, 5) }
