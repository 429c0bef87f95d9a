// Package file has the published files: their bytes, their content codings and the header values of answers with them.
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
	HTML       = "text/html; charset=utf-8"
	JSON       = "application/json"
	Markdown   = "text/markdown; charset=utf-8" // RFC 7763 requires the charset
	Text       = "text/plain; charset=utf-8"
	XML        = "application/xml"
	SVG        = "image/svg+xml"
	Atom       = "application/atom+xml; charset=utf-8" // browsers show it as plain text
	JSONFeed   = "application/feed+json"
	Calendar   = "text/calendar; charset=utf-8" // RFC 5545
	JSONLD     = "application/ld+json"
	Schema     = "application/schema+json"
	AICatalog  = "application/ai-catalog+json"
	OpenSearch = "application/opensearchdescription+xml"
	PNG        = "image/png"
	Linkset    = `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`
)

// A Sum is the SHA-256 of a file's bytes.
type Sum [sha256.Size]byte

// A File is one published address with its bytes in one content coding. It does not change.
type File struct {
	Path       string      // of the address; one that ends in a slash is a page
	Type       string      // media type
	Body       []byte      // in the coding
	Alternates []Alternate // the same content in other forms
	Schema     string      // path of the JSON Schema of a document; "" for none
	Sum        Sum         // of the bytes without a coding
	Headers    Headers
}

// Headers are the values of the header fields of answers with a file. All answers share the slices: do not write to
// them.
type Headers struct {
	Type   []string // Content-Type
	Coding []string // Content-Encoding; nil without a coding
	Length []string // Content-Length
	ETag   []string // strong: it differs between codings
	Link   []string // RFC 8288; nil without alternates and schema
}

// An Alternate is another form of the content of a file, such as the Markdown of a page.
type Alternate struct {
	Label string // as pages name it
	Type  string // media type without parameters
	Path  string
}

// New returns a file without a content coding. It retains body, which must not change.
func New(path, mediaType string, body []byte) *File {
	f := &File{Path: path, Type: mediaType, Body: body, Sum: sha256.Sum256(body)}
	if mediaType == Markdown && strings.HasSuffix(path, ".txt") { // llms.txt: some agents refuse Markdown, none refuses text
		mediaType = Text
	}
	f.Headers = Headers{Type: []string{mediaType}, Length: []string{strconv.Itoa(len(body))}, ETag: []string{f.etag("")}}
	return f
}

// Linked returns the file of a site below the path root with its other forms, the path of its JSON Schema and a further
// value of its Link header, either of which may be "".
func (f *File) Linked(root string, alternates []Alternate, schema, link string) *File {
	f.Alternates, f.Schema = alternates, schema
	var links []string
	for _, a := range alternates {
		links = append(links, fmt.Sprintf("<%s>; rel=\"alternate\"; type=%q", a.Path, a.Type))
	}
	if schema != "" {
		links = append(links, SchemaLink(schema))
	}
	if link != "" {
		links = append(links, link)
	}
	if links != nil {
		f.Headers.Link = []string{strings.ReplaceAll(strings.Join(links, ", "), "</", "<"+root+"/")}
	}
	return f
}

// SchemaLink returns the value of the field Link that names the JSON Schema of a document.
func SchemaLink(path string) string {
	return "<" + path + `>; rel="describedby"; type="` + Schema + `"`
}

// MinCoded is the size in bytes from which a file is compressed. Below it, the headers outweigh the savings.
const MinCoded = 256

// Encode returns a file without a coding in one, or as it is if compression does not make it smaller.
func (f *File) Encode(c Coding) *File {
	if c == Identity || len(f.Body) < MinCoded {
		return f
	}
	body := c.Compress(f.Body)
	if len(body) >= len(f.Body) {
		return f
	}
	coded := *f
	coded.Body = body
	coded.Headers.Coding = []string{c.String()}
	coded.Headers.Length = []string{strconv.Itoa(len(body))}
	coded.Headers.ETag = []string{f.etag("-" + c.String())}
	return &coded
}

// etag returns a strong validator: enough of the hash that two versions of a file never share it.
func (f *File) etag(suffix string) string {
	return `"` + base64.RawURLEncoding.EncodeToString(f.Sum[:15]) + suffix + `"`
}

// SHA256 returns the hash of the bytes without a coding in hexadecimal.
func (f *File) SHA256() string { return hex.EncodeToString(f.Sum[:]) }

// Listing returns the line of the manifest for a file without a coding.
func (f *File) Listing() Listing {
	return Listing{f.Path, len(f.Body), f.SHA256(), f.Headers.Type[0], f.Schema}
}

// A Manifest lists every file of a site except itself.
type Manifest struct {
	SchemaVersion string    `json:"schema_version"`
	GeneratedAt   string    `json:"generated_at"`
	Count         int       `json:"count"`
	Files         []Listing `json:"files"` // sorted by path
}

// A Listing describes one file in the manifest.
type Listing struct {
	Path      string `json:"path"`
	Bytes     int    `json:"bytes"`
	SHA256    string `json:"sha256"`
	MediaType string `json:"media_type"`
	Schema    string `json:"schema,omitempty"` // path of the JSON Schema of a document
}

// Version returns the query that makes the address of a file stand for the bytes with this sum alone, so that caches
// may store the answer for good.
func Version(sum Sum) string { return "v=" + hex.EncodeToString(sum[:4]) }

// IsPage reports whether a path is that of a page, which a static host stores as a folder with an index.html.
func IsPage(path string) bool { return strings.HasSuffix(path, "/") }

// BareType returns a media type without its parameters.
func BareType(mediaType string) string {
	bare, _, _ := strings.Cut(mediaType, ";")
	return bare
}
