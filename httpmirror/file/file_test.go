package file

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// written returns a file of a number of lines, flushed between them or not, and its bytes.
func written(t *testing.T, lines int, flush bool) (*File, []byte) {
	t.Helper()
	var w Writer
	w.Reset()
	var all bytes.Buffer
	for i := range lines {
		line := fmt.Sprintf("line %d of a long list\n", i)
		all.WriteString(line)
		w.WriteString(line)
		if flush {
			w.Flush()
		}
	}
	f, err := w.File("/long.txt", Text, Alternate{"text/markdown", "/long.md"})
	if err != nil {
		t.Fatal(err)
	}
	f.Prepare()
	return f, all.Bytes()
}

// A file that was flushed to disk while it was rendered is the file that it would be in memory: its bytes, its validators and its forms.
func TestLongFilesAreOnDisk(t *testing.T) {
	const lines = 100_000
	f, want := written(t, lines, true)
	same, _ := written(t, lines, false)
	if f.Body != nil || same.Body == nil {
		t.Fatal("the flushed file is in memory, or the other is not")
	}
	if f.Sum != sha256.Sum256(want) || f.Size() != int64(len(want)) || f.ETag() != same.ETag() || f.Digest() != same.Digest() {
		t.Errorf("sum, size or validator differ: %x, %d, %s", f.Sum, f.Size(), f.ETag())
	}
	if got, err := f.Bytes(); err != nil || !bytes.Equal(got, want) {
		t.Errorf("Bytes returns %d bytes, %v", len(got), err)
	}
	if got, err := io.ReadAll(f.Open()); err != nil || !bytes.Equal(got, want) {
		t.Errorf("Open reads %d bytes, %v", len(got), err)
	}
	decode := [Codings + 1]func(io.Reader) (io.Reader, error){
		Brotli:   func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil },
		Zstd:     func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r) },
		Gzip:     func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		Identity: func(r io.Reader) (io.Reader, error) { return r, nil },
	}
	for c, decode := range decode {
		c := Coding(c)
		v := f.Representation(c)
		if v != f.Representation(c) || v.ETag[0] != same.Representation(c).ETag[0] || (c != Identity && v.Coding[0] != c.String()) {
			t.Errorf("%s: another representation: %v", c, v.ETag)
		}
		var sent bytes.Buffer
		if n, err := v.WriteTo(&sent); err != nil || fmt.Sprint(n) != v.Length[0] {
			t.Errorf("%s: %d bytes written, %v; Content-Length says %s", c, n, err, v.Length[0])
		}
		r, err := decode(&sent)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: decodes to %d bytes, %v", c, len(got), err)
		}
	}
}

// A writer that was used for a long file makes a short one that has nothing of it.
func TestWriterIsUsedAgain(t *testing.T) {
	var w Writer
	w.Reset()
	w.Write(make([]byte, 2*maxBuffered))
	w.Flush()
	if _, err := w.File("/long.txt", Text); err != nil {
		t.Fatal(err)
	}
	w.Reset()
	w.WriteString("short")
	w.Flush()
	if f, err := w.File("/short.txt", Text); err != nil || string(f.Body) != "short" {
		t.Errorf("%q, %v", f.Body, err)
	}
}

// TestNoTemporaryFiles: where no temporary file can be made, a long file is the same from memory.
func TestNoTemporaryFiles(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	long := bytes.Repeat([]byte("line\n"), maxBuffered/2)
	var w Writer
	w.Reset()
	for part := range slices.Chunk(long, maxBuffered) {
		w.Write(part)
		w.Flush()
	}
	f, err := w.File("/long.txt", Text)
	if err != nil || !bytes.Equal(f.Body, long) || f.Sum != sha256.Sum256(long) {
		t.Errorf("%d of %d bytes, sum %x, %v", len(f.Body), len(long), f.Sum, err)
	}
}

// A memo keeps what fits, and what does not is rendered each time.
func TestMemo(t *testing.T) {
	m, rendered := NewMemo(memoOverhead+1), 0
	of := func(record string) {
		b, err := m.Of(record, func() ([]byte, error) {
			rendered++
			return []byte(record), nil
		})
		if err != nil || string(b) != record {
			t.Errorf("%q, %v", b, err)
		}
	}
	for _, step := range []struct {
		record string
		want   int
	}{{"a", 1}, {"a", 1}, {"b", 2}, {"b", 3}, {"a", 3}} {
		if of(step.record); rendered != step.want {
			t.Errorf("%s: %d were rendered, want %d", step.record, rendered, step.want)
		}
	}
	m.Clear()
	if of("a"); rendered != 4 {
		t.Errorf("after Clear %d were rendered, want 4", rendered)
	}
}
