package file

import (
	"crypto/sha256"
	"encoding/hex"
)

// A Listing is what the manifest says of a file.
type Listing struct {
	Path      string `json:"path"`
	Bytes     int64  `json:"bytes"`
	SHA256    string `json:"sha256"`
	MediaType string `json:"media_type"`
}

// A Sum is the SHA-256 of a file's bytes.
type Sum [sha256.Size]byte

// A Digest is what the manifest says of a file and its path does not tell.
type Digest struct {
	Sum   Sum
	Bytes int64
}

// Listing returns the listing of a file with this digest.
func (d Digest) Listing(path, mediaType string) Listing {
	return Listing{path, d.Bytes, hex.EncodeToString(d.Sum[:]), mediaType}
}

// A Manifest lists every file of a site except itself.
type Manifest struct {
	SchemaVersion string    `json:"schema_version"`
	GeneratedAt   string    `json:"generated_at"`
	Count         int       `json:"count"`
	Files         []Listing `json:"files"`
}
