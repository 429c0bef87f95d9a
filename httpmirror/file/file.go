// Package file holds the published files: their bytes, their validators and their compressed forms, and the sink that
// collects them while they are rendered.
package file

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
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
	Path       string // of the address; one that ends in a slash is a page
	Type       string // media type
	Body       []byte
	Alternates []Alternate // the same content in other forms
	Sum        [sha256.Size]byte

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

// SHA256 returns the hash of the file's bytes in hexadecimal.
func (f *File) SHA256() string { return hex.EncodeToString(f.Sum[:]) }

// ETag returns the strong validator of the file's bytes.
func (f *File) ETag() string { return `"` + f.tag() + `"` }

// tag returns enough of the hash that two versions of a file never share it.
func (f *File) tag() string { return base64.RawURLEncoding.EncodeToString(f.Sum[:15]) }

// Version returns the query under which the address of a file stands for the bytes of this sum and no others, so that caches may
// keep the answer for good.
func Version(sum [sha256.Size]byte) string { return "v=" + hex.EncodeToString(sum[:4]) }

// IsPage reports whether a path is that of a page, which a static host keeps as a folder with an index.html.
func IsPage(path string) bool { return strings.HasSuffix(path, "/") }

// BareType returns a media type without its parameters.
func BareType(mediaType string) string {
	bare, _, _ := strings.Cut(mediaType, ";")
	return bare
}

// Prepare makes the header values of the answers with f. It must be called once before f is served.
func (f *File) Prepare() {
	plain := Representation{Body: f.Body, Type: []string{f.Type}, Length: []string{strconv.Itoa(len(f.Body))}, ETag: []string{f.ETag()}}
	if len(f.Alternates) > 0 {
		links := make([]string, len(f.Alternates))
		for i, a := range f.Alternates {
			links[i] = fmt.Sprintf("<%s>; rel=\"alternate\"; type=%q", a.Path, a.Type)
		}
		plain.Link = []string{strings.Join(links, ", ")}
	}
	f.served.plain = plain
}

// Representation returns the file in a coding, or as it is when compressing does not make it smaller.
func (f *File) Representation(c Coding) *Representation {
	if c == Identity || len(f.Body) < MinCoded {
		return &f.served.plain
	}
	lazy := &f.served.coded[c]
	lazy.once.Do(func() {
		body := c.Compress(f.Body)
		if len(body) >= len(f.Body) {
			lazy.v = f.served.plain
			return
		}
		// The bytes differ, and so must a strong validator.
		lazy.v = f.served.plain
		lazy.v.Body, lazy.v.Length = body, []string{strconv.Itoa(len(body))}
		lazy.v.ETag, lazy.v.Coding = []string{`"` + f.tag() + "-" + c.String() + `"`}, []string{c.String()}
	})
	return &lazy.v
}
