package httpmirror

import (
	"fmt"
	"strconv"
	"strings"

	"almanac/catalog"
)

// hostOf gives the host of an address as people say it.
func hostOf(address string) string {
	host, _ := splitAddress(address)
	return host
}

// placeOf gives an address short enough for a line: the host and the last part of the path.
func placeOf(address string) string {
	host, rest := splitAddress(address)
	rest, _, _ = strings.Cut(rest, "?")
	rest = strings.Trim(rest, "/")
	switch i := strings.LastIndexByte(rest, '/'); {
	case rest == "":
		return host
	case i < 0:
		return host + "/" + rest
	default:
		return host + "/…/" + rest[i+1:]
	}
}

// leafOf names the document at an address: the last part of the path, or the host.
func leafOf(address string) string {
	place := placeOf(address)
	if i := strings.LastIndexByte(place, '/'); i >= 0 {
		return place[i+1:]
	}
	return place
}

func splitAddress(address string) (host, rest string) {
	_, after, ok := strings.Cut(address, "://")
	if !ok {
		return address, ""
	}
	host, rest, _ = strings.Cut(after, "/")
	return strings.TrimPrefix(host, "www."), rest
}

// countOf writes a number with its noun: 1 source, 2 sources, 18,500 sources.
func countOf(n int, singular, plural string) string {
	noun := plural
	if n == 1 {
		noun = singular
	}
	return thousands(n) + " " + noun
}

func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// sizeOf writes a number of bytes for people.
func sizeOf(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1000*1000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	default:
		return fmt.Sprintf("%.1f MB", float64(n)/(1000*1000))
	}
}

// A span collects dates and tells from when to when they reach.
type span struct{ first, last catalog.Date }

func oneDay(d catalog.Date) span { return span{d, d} }

func (s *span) add(d catalog.Date) {
	if d == "" {
		return
	}
	if s.first == "" || d < s.first {
		s.first = d
	}
	s.last = max(s.last, d)
}

// String says on which day, or from which to which.
func (s span) String() string {
	if s.first == s.last {
		return "on " + string(s.first)
	}
	return "from " + string(s.first) + " to " + string(s.last)
}

// verifiedSpan tells when the entries were verified.
func verifiedSpan(entries []*catalog.Entry) span {
	var s span
	for _, e := range entries {
		s.add(e.VerifiedAt)
	}
	return s
}
