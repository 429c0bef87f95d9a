package httpmirror

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A coding is a content coding of HTTP, or none.
type coding int

// The codings we offer. Among those a caller likes equally the first is taken.
const (
	codingBrotli coding = iota
	codingZstd
	codingGzip
	codings     // their number
	codingNone  = codings
	worthCoding = 256 // bytes; below, headers outweigh what is saved
)

var codingNames = [codings]string{"br", "zstd", "gzip"}

// served is what answers with a file need.
type served struct {
	contentType []string
	link        []string
	plain       variant
	coded       [codings]lazyVariant
}

// A variant is a file's body in one coding with the headers that go with it.
type variant struct {
	body   []byte
	length []string
	etag   []string
	coding []string // nil for none
}

// A lazyVariant is compressed when it is first asked for, and then kept.
type lazyVariant struct {
	once sync.Once
	v    variant
}

// prepare makes what answers with f need.
func (f *File) prepare() {
	f.served.contentType = []string{f.Type}
	f.served.plain = variant{body: f.Body, length: []string{strconv.Itoa(len(f.Body))}, etag: []string{f.ETag()}}
	if len(f.Alternates) > 0 {
		links := make([]string, len(f.Alternates))
		for i, a := range f.Alternates {
			links[i] = fmt.Sprintf("<%s>; rel=\"alternate\"; type=%q", a.Path, a.Type)
		}
		f.served.link = []string{strings.Join(links, ", ")}
	}
}

// variant gives the file in a coding, or as it is when that is not worth while.
func (f *File) variant(c coding) *variant {
	if c == codingNone || len(f.Body) < worthCoding {
		return &f.served.plain
	}
	lazy := &f.served.coded[c]
	lazy.once.Do(func() {
		body := compress(c, f.Body)
		if len(body) >= len(f.Body) {
			lazy.v = f.served.plain
			return
		}
		// The bytes differ, and so must a strong validator.
		lazy.v = variant{
			body: body, length: []string{strconv.Itoa(len(body))},
			etag: []string{`"` + f.tag() + "-" + codingNames[c] + `"`}, coding: []string{codingNames[c]},
		}
	})
	return &lazy.v
}

// compress gives the bytes of body in a coding. The same body always gives the same bytes.
func compress(c coding, body []byte) []byte {
	if c == codingZstd {
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

// The levels are those above which these files, most of them a few kilobytes, get a few parts in
// a hundred smaller and take several times as long: a file is compressed while someone waits.
var compressors = [codings]sync.Pool{
	codingBrotli: {New: func() any { return brotli.NewWriterLevel(nil, 5) }},
	codingGzip: {New: func() any {
		w, _ := gzip.NewWriterLevel(nil, 6) // the level is valid
		return w
	}},
}

// zstdEncoder is safe for use by several goroutines at once.
var zstdEncoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)))
	if err != nil {
		panic("httpmirror: zstd options: " + err.Error())
	}
	return e
})
