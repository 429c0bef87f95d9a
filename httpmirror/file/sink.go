package file

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
)

// A Sink collects the files of a site as they are rendered. It keeps no bodies, so that an export of any size holds
// only the files it is writing. It is safe for concurrent use.
type Sink struct {
	put func(*File) error

	mu     sync.Mutex
	listed map[string]Listing
}

// A Listing is what the manifest says of a file.
type Listing struct {
	Path      string `json:"path"`
	Bytes     int    `json:"bytes"`
	SHA256    string `json:"sha256"`
	MediaType string `json:"media_type"`
}

// ListingOf returns the listing of a file.
func ListingOf(f *File) Listing { return Listing{f.Path, len(f.Body), f.SHA256(), f.Type} }

// NewSink returns a sink that hands every file to put, from several goroutines. Bodies share memory: put copies what
// it keeps.
func NewSink(put func(*File) error) *Sink { return &Sink{put: put, listed: make(map[string]Listing)} }

// Add hands a file on. Two files with one path are an error.
func (s *Sink) Add(path, mediaType string, body []byte, alternates ...Alternate) error {
	f := New(path, mediaType, body, alternates...)
	s.mu.Lock()
	_, taken := s.listed[path]
	s.listed[path] = ListingOf(f)
	s.mu.Unlock()
	if taken {
		return fmt.Errorf("two files have the path %s", path)
	}
	return s.put(f)
}

// Has reports whether a file with this path was added.
func (s *Sink) Has(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.listed[path]
	return ok
}

// Listings returns what was added so far, sorted by path.
func (s *Sink) Listings() []Listing {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Listing, 0, len(s.listed))
	for _, l := range s.listed {
		list = append(list, l)
	}
	slices.SortFunc(list, func(x, y Listing) int { return cmp.Compare(x.Path, y.Path) })
	return list
}

// Len returns the number of files that were added so far.
func (s *Sink) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.listed)
}

// A Manifest lists every file of a site except itself.
type Manifest struct {
	SchemaVersion string    `json:"schema_version"`
	GeneratedAt   string    `json:"generated_at"`
	Count         int       `json:"count"`
	Files         []Listing `json:"files"`
}
