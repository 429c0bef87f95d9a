package file

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A Coding is a content coding of HTTP, or Identity.
type Coding int

// The codings on offer. Among those that a client likes equally, the first wins.
const (
	Brotli Coding = iota
	Zstd
	Gzip
	Codings  // their number
	Identity = Codings
)

// MinCoded is the size in bytes from which a file is compressed. Below it, the headers outweigh what is saved.
const MinCoded = 256

// codings are the names of the codings in HTTP, and the suffixes of the names of compressed files that nginx and Caddy
// look for.
var codings = [Codings]struct{ name, suffix string }{{"br", ".br"}, {"zstd", ".zst"}, {"gzip", ".gz"}}

// String returns the name of the coding in HTTP.
func (c Coding) String() string {
	if c == Identity {
		return "identity"
	}
	return codings[c].name
}

// Suffix returns what ends the name of a file that holds another one in this coding.
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

// served is the file as answers use it.
type served struct {
	plain Representation
	coded [Codings]lazyRepresentation
}

// A Representation is a file's body in one coding with the header values that go with it. The slices are shared by all
// answers: they must not be written to.
type Representation struct {
	Body   []byte
	Type   []string // Content-Type
	Link   []string // RFC 8288; nil without alternates
	Length []string
	ETag   []string
	Coding []string // nil for Identity
}

// A lazyRepresentation is compressed when it is first asked for, and then kept.
type lazyRepresentation struct {
	once sync.Once
	v    Representation
}

// Compress returns the bytes of body in a coding. Equal bodies give equal bytes.
func (c Coding) Compress(body []byte) []byte {
	if c == Zstd {
		return zstdEncoder().EncodeAll(body, make([]byte, 0, len(body)/3))
	}
	w := compressors[c].Get().(compressor)
	defer compressors[c].Put(w)
	var b bytes.Buffer
	w.Reset(&b)
	w.Write(body) // a bytes.Buffer does not fail
	w.Close()
	return b.Bytes()
}

// A compressor can be used again, which spares making its tables for every file.
type compressor interface {
	io.WriteCloser
	Reset(io.Writer)
}

// Above these levels the files, most of them a few kilobytes, get a few per cent smaller and take several times as
// long: a file is compressed while a client waits.
var compressors = [Codings]sync.Pool{
	Brotli: {New: func() any { return brotli.NewWriterLevel(nil, 5) }},
	Gzip: {New: func() any {
		w, _ := gzip.NewWriterLevel(nil, 6) // the level is valid
		return w
	}},
}

// zstdEncoder is safe for concurrent use.
var zstdEncoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)))
	if err != nil {
		panic("file: zstd options: " + err.Error())
	}
	return e
})
