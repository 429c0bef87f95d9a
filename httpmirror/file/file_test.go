package file

import (
	"bytes"
	"crypto/sha256"
	"io"
	"strconv"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
)

// A file in a coding decodes to the bytes of the file, under a validator of its own, and names the sum of the file.
func TestEncode(t *testing.T) {
	body := bytes.Repeat([]byte("a line of a long list\n"), 10_000)
	f := New("/long.txt", Text, body).Linked("", []Alternate{{"Markdown", "text/markdown", "/long.md"}}, "", "")
	tags := map[string]bool{f.Headers.ETag[0]: true}
	for c, decode := range map[Coding]func(io.Reader) (io.Reader, error){
		Brotli: func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil },
		Gzip:   func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
	} {
		coded := f.Encode(c)
		if tags[coded.Headers.ETag[0]] || coded.Sum != sha256.Sum256(body) || coded.Headers.Coding[0] != c.String() ||
			coded.Headers.Length[0] != strconv.Itoa(len(coded.Body)) || coded.Headers.Link[0] != f.Headers.Link[0] {
			t.Errorf("%s: %+v", c, coded.Headers)
		}
		tags[coded.Headers.ETag[0]] = true
		r, err := decode(bytes.NewReader(coded.Body))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, body) {
			t.Errorf("%s: decodes to %d bytes, %v", c, len(got), err)
		}
	}
}

// A file that compression does not make smaller stays as it is.
func TestEncodeLeavesShortFiles(t *testing.T) {
	random := make([]byte, 0, 320)
	for i := byte(0); len(random) < 320; i++ {
		sum := sha256.Sum256([]byte{i})
		random = append(random, sum[:]...)
	}
	for _, body := range [][]byte{[]byte("short"), random} {
		f := New("/short.txt", Text, body)
		for c := range Identity + 1 {
			if f.Encode(c) != f {
				t.Errorf("%d bytes in %s are another file", len(body), c)
			}
		}
	}
}

// Equal bodies give equal bytes, whatever was compressed before them.
func TestCompressEqually(t *testing.T) {
	long := bytes.Repeat([]byte("<li>some words of a page, with <a href=x>"), 1<<20/40)
	for i := range long {
		if i%97 == 0 {
			long[i] = byte('a' + i*i%26)
		}
	}
	short := long[:20_000]
	for _, c := range []Coding{Brotli, Gzip} {
		first := [][]byte{c.Compress(short), c.Compress(long)}
		second := [][]byte{c.Compress(short), c.Compress(long)}
		for i := range first {
			if !bytes.Equal(first[i], second[i]) {
				t.Errorf("%v: body %d has %d bytes, and then %d", c, i, len(first[i]), len(second[i]))
			}
		}
	}
}
