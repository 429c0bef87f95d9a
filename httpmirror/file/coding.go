package file

import (
	"bytes"
	"io"
	"os"
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
func (c Coding) Suffix() string {
	if c == Identity {
		return ""
	}
	return codings[c].suffix
}

// CodingNamed returns the coding with a name of HTTP. Identity is not among them.
func CodingNamed(name string) (Coding, bool) {
	for c := range Codings {
		if strings.EqualFold(name, codings[c].name) {
			return c, true
		}
	}
	return Identity, false
}

// Compress returns the bytes of body in a coding. Equal bodies give equal bytes.
func (c Coding) Compress(body []byte) []byte {
	if c == Zstd {
		return zstdEncoder().EncodeAll(body, make([]byte, 0, len(body)/3))
	}
	var b bytes.Buffer
	w, done := c.writer(&b)
	defer done()
	w.Write(body) // a bytes.Buffer does not fail
	w.Close()
	return b.Bytes()
}

// compressTo writes what r has in a coding to a new temporary file, and returns its length.
func (c Coding) compressTo(r io.Reader) (f *os.File, size int64, err error) {
	if f, err = temporary(); err != nil {
		return nil, 0, err
	}
	w, done := c.writer(f)
	defer done()
	if _, err = io.Copy(w, r); err == nil {
		err = w.Close()
	}
	if err == nil {
		size, err = f.Seek(0, io.SeekCurrent)
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, size, nil
}

// writer returns what compresses into w. done must be called after it was closed.
func (c Coding) writer(w io.Writer) (into compressor, done func()) {
	if c == Zstd {
		e, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderConcurrency(1))
		if err != nil {
			panic("file: zstd options: " + err.Error())
		}
		return e, func() { e.Close() }
	}
	into = compressors[c].Get().(compressor)
	into.Reset(w)
	return into, func() { compressors[c].Put(into) }
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
