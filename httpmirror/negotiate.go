package httpmirror

import (
	"strconv"
	"strings"

	"almanac/httpmirror/file"
)

// chooseCoding returns the content coding that a client prefers (RFC 9110, section 12.5.3): Identity without the header,
// or when it accepts none of ours.
func chooseCoding(accept []string) file.Coding {
	if len(accept) == 0 {
		return file.Identity
	}
	// A coding that is not listed has the weight of *, or 0; identity is acceptable by default.
	listed := [file.Codings + 1]bool{}
	weights := [file.Codings + 1]float64{}
	star, anyStar := 0.0, false
	for _, line := range accept {
		for item := range strings.SplitSeq(line, ",") {
			name, q := weighted(item)
			switch {
			case name == "*":
				star, anyStar = q, true
			case strings.EqualFold(name, "identity"):
				listed[file.Identity], weights[file.Identity] = true, q
			case strings.EqualFold(name, "x-gzip"):
				listed[file.Gzip], weights[file.Gzip] = true, q
			default:
				if c, ok := file.CodingNamed(name); ok {
					listed[c], weights[c] = true, q
				}
			}
		}
	}
	best, weight := file.Identity, 0.0
	for c := range file.Codings {
		if !listed[c] && anyStar {
			weights[c] = star
		}
		if weights[c] > weight {
			best, weight = c, weights[c]
		}
	}
	if listed[file.Identity] && weights[file.Identity] > weight {
		return file.Identity
	}
	return best
}

// weighted splits an item of an Accept header into its value and its weight, 1 by default. A malformed weight counts as
// 0.
func weighted(item string) (value string, q float64) {
	value, params, more := strings.Cut(item, ";")
	value, q = strings.TrimSpace(value), 1
	for more {
		var p string
		p, params, more = strings.Cut(params, ";")
		if name, v, ok := strings.Cut(strings.TrimSpace(p), "="); ok && strings.EqualFold(name, "q") {
			n, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
			if err != nil || !(n >= 0 && n <= 1) {
				n = 0
			}
			q = n
		}
	}
	return value, q
}

// negotiate returns the form of a page that a client prefers: the page, or one of its alternates. The page wins ties, and
// answers those who accept none of the forms.
func (m *Mirror) negotiate(accept []string, f *file.File) *file.File {
	if len(accept) == 0 || (len(accept) == 1 && (accept[0] == "*/*" || strings.HasPrefix(accept[0], "text/html,"))) {
		return f
	}
	ranges := strings.Split(strings.Join(accept, ","), ",")
	best, weight := f, acceptance(ranges, f.Type)
	for _, a := range f.Alternates {
		q := acceptance(ranges, a.Type)
		if q <= weight {
			continue
		}
		if form, err := m.find(a.Path); err == nil {
			best, weight = form, q
		}
	}
	return best
}

// acceptance returns the weight of a media type: that of the most specific range that covers it (RFC 9110, section
// 12.5.1), 0 when none does.
func acceptance(ranges []string, mediaType string) float64 {
	mediaType = file.BareType(mediaType)
	kind, _, _ := strings.Cut(mediaType, "/")
	weight, specific := 0.0, 0
	for _, item := range ranges {
		value, q := weighted(item)
		level := 0
		switch {
		case strings.EqualFold(value, mediaType):
			level = 3
		case strings.EqualFold(value, kind+"/*"):
			level = 2
		case value == "*/*":
			level = 1
		}
		if level > specific {
			weight, specific = q, level
		}
	}
	return weight
}
