package server

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
)

// A Source says which data to publish and under which addresses.
type Source struct {
	Dir     string // of the curated files; empty: Builtin
	Builtin fs.FS

	// The public addresses, see catalog.Site. APIURL and MCPURL default to BaseURL, and that to the address listened
	// on.
	BaseURL, APIURL, MCPURL string

	Terms catalog.Terms
}

// Site returns the public addresses of a service that listens at listen.
func (s *Source) Site(listen string) catalog.Site {
	base := cmp.Or(s.BaseURL, "http://"+localAddress(listen))
	return catalog.Site{
		Base: strings.TrimSuffix(base, "/"),
		API:  strings.TrimSuffix(cmp.Or(s.APIURL, base), "/"),
		MCP:  strings.TrimSuffix(cmp.Or(s.MCPURL, base), "/"),
	}
}

// localAddress returns the host and port at which this machine reaches a listener: [::]:8402 listens on localhost:8402
// too.
func localAddress(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return listen
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}

// Load reads the catalogue as it is now. Faults in the data are returned with the full paths of their files.
func (s *Source) Load(site catalog.Site, payments catalog.Payments) (*catalog.Catalog, error) {
	files, err := s.Files()
	if err != nil {
		return nil, err
	}
	at, err := generatedAt()
	if err != nil {
		return nil, err
	}
	read := load.Load
	if s.Dir == "" {
		read = load.LoadJudged
	}
	cat, err := read(files, catalog.Options{Site: site, GeneratedAt: at, Terms: s.Terms, Payments: payments})
	if err != nil {
		return nil, LocateFaults(s.Dir, err)
	}
	return cat, nil
}

// Identity returns the contents of site.json, before Load, which reports the faults of the file.
func (s *Source) Identity() (id catalog.Identity) {
	if files, err := s.Files(); err == nil {
		data, _ := fs.ReadFile(files, "site.json")
		_ = json.Unmarshal(data, &id)
	}
	return id
}

// Files returns the curated files.
func (s *Source) Files() (fs.FS, error) {
	if s.Dir == "" {
		return s.Builtin, nil
	}
	info, err := os.Stat(s.Dir)
	if err != nil {
		return nil, fmt.Errorf("%w; give the directory that holds library/ and protocols/", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a directory; give the one that holds library/ and protocols/", s.Dir)
	}
	return os.DirFS(s.Dir), nil
}

// generatedAt returns SOURCE_DATE_EPOCH (https://reproducible-builds.org/specs/source-date-epoch/) when it is set. The
// zero time leaves the timestamps of the documents to the days that the data carry.
func generatedAt() (time.Time, error) {
	epoch := os.Getenv("SOURCE_DATE_EPOCH")
	if epoch == "" {
		return time.Time{}, nil
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH is %q; give seconds since 1970, for example 1795219200", epoch)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// LocateFaults returns err with the paths of its faults joined to dir, so that a shell understands them, and with their
// number. Errors without faults stay as they are.
func LocateFaults(dir string, err error) error {
	var faults load.Faults
	if !errors.As(err, &faults) {
		return err
	}
	located := make(load.Faults, len(faults))
	for i, f := range faults {
		located[i] = load.Fault{Path: filepath.Join(dir, filepath.FromSlash(f.Path)), Message: f.Message}
	}
	return fmt.Errorf("%s in the curated files\n%w", english.Plural(len(faults), "fault", ""), located)
}
