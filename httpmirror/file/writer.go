package file

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"os"
)

// maxBuffered is how many bytes of a document are held in memory while it is rendered, if it is flushed between its records.
const maxBuffered = 1 << 20

// A Writer takes the bytes of a file while they are rendered. Whoever writes a long list calls Flush between its records, so
// that a document of any length takes little memory. It can be used again after Reset.
type Writer struct {
	bytes.Buffer
	spill bool // Flush may write to a temporary file
	disk  *os.File
	hash  hash.Hash
	sent  int64 // bytes in disk
	err   error // of the first write to disk that failed
}

// Reset empties the writer for another file.
func (w *Writer) Reset() {
	w.Buffer.Reset()
	w.spill, w.disk, w.hash, w.sent, w.err = true, nil, nil, 0, nil
}

// Flush writes to a temporary file what was written so far, if it is much. Where there can be no such file, as on a root that cannot be
// written to, it stays in memory.
func (w *Writer) Flush() {
	if !w.spill || w.err != nil || w.Len() < maxBuffered {
		return
	}
	if w.disk == nil {
		disk, err := temporary()
		if err != nil {
			w.spill = false
			return
		}
		w.disk, w.hash = disk, sha256.New()
	}
	w.send()
}

// Flushing returns a writer that flushes w behind each write.
func (w *Writer) Flushing() io.Writer { return flushing{w} }

type flushing struct{ w *Writer }

func (f flushing) Write(b []byte) (int, error) {
	n, err := f.w.Write(b)
	f.w.Flush()
	return n, err
}

func (w *Writer) send() {
	w.hash.Write(w.Bytes()) // a hash does not fail
	n, err := w.disk.Write(w.Bytes())
	w.sent += int64(n)
	w.err = err
	w.Buffer.Reset()
}

// File returns a file with what was written. Its body shares the memory of w if it is in memory.
func (w *Writer) File(path, mediaType string, alternates ...Alternate) (*File, error) {
	if w.disk != nil && w.err == nil {
		w.send()
	}
	if w.err != nil {
		return nil, fmt.Errorf("write %s to a temporary file: %w", path, w.err)
	}
	if w.disk == nil {
		return New(path, mediaType, w.Bytes(), alternates...), nil
	}
	f := &File{Path: path, Type: mediaType, Alternates: alternates, disk: w.disk, size: w.sent}
	w.hash.Sum(f.Sum[:0])
	return f, nil
}
