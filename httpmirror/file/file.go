// Package file holds the published files: their bytes, their validators and their compressed forms, what takes the bytes while
// they are rendered, and what keeps files within a bound of memory.
package file

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"
)

// The media types of the published files.
const (
	HTML      = "text/html; charset=utf-8"
	JSON      = "application/json"
	Markdown  = "text/markdown; charset=utf-8" // RFC 7763 requires the charset
	Text      = "text/plain; charset=utf-8"
	XML       = "application/xml"
	SVG       = "image/svg+xml"
	Atom      = "application/atom+xml"
	JSONFeed  = "application/feed+json"
	JSONLD    = "application/ld+json"
	Schema    = "application/schema+json"
	AICatalog = "application/ai-catalog+json"
)

// A File is one published address with its bytes. It does not change once it is prepared.
type File struct {
	Path       string      // of the address; one that ends in a slash is a page
	Type       string      // media type
	Body       []byte      // nil of a file that is kept on disk because it is large; see Bytes
	Alternates []Alternate // the same content in other forms
	Sum        Sum

	disk   *os.File
	size   int64  // of disk
	served served // see Prepare
}

// An Alternate is another form of the content of a file, such as the Markdown of a page.
type Alternate struct {
	Type string // media type without parameters
	Path string
}

// New returns a file with the sum of its bytes. It keeps body, which must not change while the file is in use.
func New(path, mediaType string, body []byte, alternates ...Alternate) *File {
	return &File{Path: path, Type: mediaType, Body: body, Alternates: alternates, Sum: sha256.Sum256(body)}
}

// Size returns the number of the file's bytes.
func (f *File) Size() int64 {
	if f.disk != nil {
		return f.size
	}
	return int64(len(f.Body))
}

// Bytes returns the bytes of the file, wherever they are kept. They must not be written to.
func (f *File) Bytes() ([]byte, error) {
	if f.disk == nil {
		return f.Body, nil
	}
	body := make([]byte, f.size)
	if _, err := f.disk.ReadAt(body, 0); err != nil {
		return nil, fmt.Errorf("read %s from disk: %w", f.Path, err)
	}
	return body, nil
}

// Open returns a reader of the file's bytes.
func (f *File) Open() io.ReadSeeker {
	if f.disk == nil {
		return bytes.NewReader(f.Body)
	}
	return io.NewSectionReader(f.disk, 0, f.size)
}

// Compressed returns a reader of the file's bytes in a coding. It is for those who ask once: nothing is kept.
func (f *File) Compressed(c Coding) (io.Reader, error) {
	if f.disk == nil {
		return bytes.NewReader(c.Compress(f.Body)), nil
	}
	coded, size, err := c.compressTo(f.Open())
	if err != nil {
		return nil, fmt.Errorf("compress %s: %w", f.Path, err)
	}
	return io.NewSectionReader(coded, 0, size), nil
}

// Digest returns what the manifest says of the file.
func (f *File) Digest() Digest { return Digest{f.Sum, f.Size()} }

// SHA256 returns the hash of the file's bytes in hexadecimal.
func (f *File) SHA256() string { return hex.EncodeToString(f.Sum[:]) }

// ETag returns the strong validator of the file's bytes.
func (f *File) ETag() string { return `"` + f.tag() + `"` }

// tag returns enough of the hash that two versions of a file never share it.
func (f *File) tag() string { return base64.RawURLEncoding.EncodeToString(f.Sum[:15]) }

// Version returns the query under which the address of a file stands for the bytes of this sum and no others, so that caches may
// keep the answer for good.
func Version(sum Sum) string { return "v=" + hex.EncodeToString(sum[:4]) }

// IsPage reports whether a path is that of a page, which a static host keeps as a folder with an index.html.
func IsPage(path string) bool { return strings.HasSuffix(path, "/") }

// BareType returns a media type without its parameters.
func BareType(mediaType string) string {
	bare, _, _ := strings.Cut(mediaType, ";")
	return bare
}
