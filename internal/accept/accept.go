// Package accept reads the fields with which a client states its preferences: Accept, Accept-Encoding and
// Accept-Payment.
//
// All have one grammar (RFC 9110, section 12.4): items with a weight, 1 by default. An item whose weight is malformed
// is refused, as one with the weight 0 is. Everything here is safe for concurrent use and allocates nothing.
package accept

import (
	"strconv"
	"strings"
)

// Weight returns how much a client wants a media type without parameters, or a payment method with its intent: from 0,
// refused, to 1. Of the ranges that cover it, such as */*, text/* and */charge, the most specific counts; 0 if there is
// none. lines are the values of the field.
func Weight(lines []string, name string) float64 { return weighType(lines, name).weight }

// Type returns the media type that a client wants most, or "" if it accepts none of those offered. Of types with equal
// weights, it prefers one that the client names to one that only a range covers, then the one that stands first in the
// field, then the one offered first. RFC 9110, section 12.1, leaves that choice to the server: agents name text/markdown
// first and text/html and */* after it, all with the weight 1.
func Type(lines []string, offered ...string) (best string) {
	var most match
	for _, name := range offered {
		if m := weighType(lines, name); m.beats(most) {
			best, most = name, m
		}
	}
	return best
}

// A match is the item of a field that matches a value closest, the first of several; the zero value is none.
type match struct {
	weight    float64
	closeness int
	place     int // in the field, from 0
}

func (m match) beats(n match) bool {
	switch {
	case m.weight != n.weight:
		return m.weight > n.weight
	case m.closeness != n.closeness:
		return m.weight > 0 && m.closeness > n.closeness
	}
	return m.place < n.place
}

func weighType(lines []string, name string) match {
	kind, subtype, _ := strings.Cut(name, "/")
	return weigh(lines, func(value string) int { return specificity(value, kind, subtype) })
}

func weigh(lines []string, closeness func(value string) int) (best match) {
	place := 0
	for _, line := range lines {
		for item := range strings.SplitSeq(line, ",") {
			value, q := parse(item)
			if n := closeness(value); n > best.closeness {
				best = match{q, n, place}
			}
			place++
		}
	}
	return best
}

// specificity returns how closely a range describes a type; 0 if it does not cover it.
func specificity(value, kind, subtype string) int {
	k, s, ok := strings.Cut(value, "/")
	if !ok || k != "*" && !strings.EqualFold(k, kind) || s != "*" && !strings.EqualFold(s, subtype) {
		return 0
	}
	n := 1
	if k != "*" {
		n += 2
	}
	if s != "*" {
		n++
	}
	return n
}

// Coding returns the content coding that a client wants most (RFC 9110, section 12.5.3); of several that it wants
// equally, the first that is offered. It returns "", which is identity, to clients that send no Accept-Encoding, want
// none of these codings, or want identity more.
func Coding(lines []string, offered ...string) string {
	if len(lines) == 0 {
		return ""
	}
	best, weight := "", 0.0
	for _, name := range offered {
		if q, _ := codingWeight(lines, name); q > weight {
			best, weight = name, q
		}
	}
	if q, named := codingWeight(lines, "identity"); named && q > weight {
		return ""
	}
	return best
}

// codingWeight returns the weight of a coding, which is that of * if the client does not name it, and whether the
// client names it.
func codingWeight(lines []string, name string) (weight float64, named bool) {
	m := weigh(lines, func(value string) int {
		switch {
		case strings.EqualFold(value, name), name == "gzip" && strings.EqualFold(value, "x-gzip"):
			return 2
		case value == "*":
			return 1
		}
		return 0
	})
	return m.weight, m.closeness == 2
}

// parse splits an item into its value and its weight.
func parse(item string) (value string, q float64) {
	value, parameters, more := strings.Cut(item, ";")
	value = strings.TrimSpace(value)
	for more {
		var p string
		p, parameters, more = strings.Cut(parameters, ";")
		if name, text, ok := strings.Cut(p, "="); ok && strings.EqualFold(strings.TrimSpace(name), "q") {
			return value, parseWeight(strings.TrimSpace(text))
		}
	}
	return value, 1
}

func parseWeight(text string) float64 {
	q, err := strconv.ParseFloat(text, 64)
	if err != nil || q > 1 || strings.Trim(text, "0123456789.") != "" {
		return 0
	}
	return q
}
