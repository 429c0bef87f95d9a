package main

import (
	"cmp"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"almanac/catalog"
	"almanac/fixtures"
)

// A source says which data to publish and under which addresses. Several commands share it.
type source struct {
	fixtures                string
	baseURL, apiURL, mcpURL string
	offer                   catalog.Offer
}

func (s *source) register(f *flag.FlagSet) {
	s.offer = catalog.DefaultOffer
	f.StringVar(&s.fixtures, "fixtures", "", "`directory` of the curated files (empty: those built in)")
	f.StringVar(&s.baseURL, "base-url", "", "public `address` of the mirror (empty: from -http)")
	f.StringVar(&s.apiURL, "api-url", "", "public `address` of the paid interface (empty: as -base-url)")
	f.StringVar(&s.mcpURL, "mcp-url", "", "public `address` of the tool server (empty: as -base-url)")
	f.Int64Var(&s.offer.PriceSats, "price", s.offer.PriceSats, "`satoshis` for one payment")
	f.IntVar(&s.offer.Credits, "credits", s.offer.Credits, "`requests` that one payment buys")
	f.IntVar(&s.offer.ValidDays, "valid-days", s.offer.ValidDays, "`days` that the credits last")
}

// The most of each that can be meant: all the satoshis there will be, and a hundred years.
const (
	maxPrice     = 2_100_000_000_000_000
	maxCredits   = 1_000_000_000
	maxValidDays = 36_500
)

// check refuses addresses that are none, and terms that cannot be sold.
func (s *source) check() error {
	if err := s.site(defaultHTTP).Check(); err != nil {
		return usageError(err.Error())
	}
	switch o := s.offer; {
	case o.PriceSats < 1 || o.Credits < 1 || o.ValidDays < 1:
		return usageError("-price, -credits and -valid-days must each be at least 1")
	case o.PriceSats > maxPrice || o.Credits > maxCredits || o.ValidDays > maxValidDays:
		return usageError(fmt.Sprintf("-price may be at most %d, -credits %d and -valid-days %d", maxPrice, maxCredits, maxValidDays))
	}
	return nil
}

// files gives the curated files.
func (s *source) files() (fs.FS, error) {
	if s.fixtures == "" {
		return fixtures.FS, nil
	}
	info, err := os.Stat(s.fixtures)
	if err != nil {
		return nil, fmt.Errorf("%w; give the directory that holds library/ and protocols/", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a directory; give the one that holds library/ and protocols/", s.fixtures)
	}
	return os.DirFS(s.fixtures), nil
}

// site gives the public addresses. What is not said is derived from the address listened on.
func (s *source) site(listen string) catalog.Site {
	base := cmp.Or(s.baseURL, "http://"+localName(listen))
	return catalog.Site{
		Base: strings.TrimSuffix(base, "/"),
		API:  strings.TrimSuffix(cmp.Or(s.apiURL, base), "/"),
		MCP:  strings.TrimSuffix(cmp.Or(s.mcpURL, base), "/"),
	}
}

// localName gives the host and port under which this machine reaches an address listened on.
func localName(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return listen
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}

// load reads the catalogue as it is now.
func (s *source) load(site catalog.Site, payments catalog.Payments) (*catalog.Catalog, error) {
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	at, err := generatedAt()
	if err != nil {
		return nil, err
	}
	return catalog.Load(files, catalog.Options{Site: site, GeneratedAt: at, Offer: s.offer, Payments: payments})
}

// generatedAt is SOURCE_DATE_EPOCH when it is set, so that two exports of one input are equal
// byte for byte, and else the present.
func generatedAt() (time.Time, error) {
	epoch := os.Getenv("SOURCE_DATE_EPOCH")
	if epoch == "" {
		return time.Now().UTC(), nil
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH is %q; give seconds since 1970, for example 1795219200", epoch)
	}
	return time.Unix(seconds, 0).UTC(), nil
}
