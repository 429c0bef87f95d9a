package links

import (
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// rules are what a robots.txt demands of one crawler (RFC 9309).
type rules struct {
	paths []pathRule
	delay time.Duration // Crawl-delay, which RFC 9309 does not define but site owners use
}

type pathRule struct {
	pattern string // in normal form; * matches anything, and $ at the end the end of the path
	allow   bool
}

// parseRules reads the rules for a product token: those of every group that names it, or else those of every group for all
// (RFC 9309, section 2.2.1). A line that cannot be understood is passed over.
func parseRules(text, product string) *rules {
	var ours, all rules
	var forUs, forAll, inRules bool // of the current group
	named := false                  // a group was for us
	for line := range strings.SplitSeq(strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r", "\n"), "\n") {
		line, _, _ = strings.Cut(line, "#")
		key, value, _ := strings.Cut(line, ":")
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
		switch key {
		case "user-agent":
			if inRules { // rules end the names they are for
				forUs, forAll, inRules = false, false, false
			}
			forAll = forAll || value == "*"
			forUs = forUs || strings.EqualFold(productToken(value), product)
			named = named || forUs
		case "allow", "disallow", "crawl-delay":
			inRules = true
			if forUs {
				ours.add(key, value)
			}
			if forAll {
				all.add(key, value)
			}
		}
	}
	if named {
		return &ours
	}
	return &all
}

// productToken returns the beginning of a User-agent line's value that can name a crawler: "almanac" of "almanac/1.0".
func productToken(value string) string {
	end := strings.IndexFunc(value, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_'
	})
	if end < 0 {
		return value
	}
	return value[:end]
}

func (r *rules) add(key, value string) {
	if key == "crawl-delay" {
		const limit = 1e6 // seconds, so that the number fits
		if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 {
			r.delay = time.Duration(min(s, limit) * float64(time.Second))
		}
		return
	}
	if value == "" {
		return // an empty pattern matches nothing
	}
	if value[0] != '/' && value[0] != '*' {
		value = "/" + value
	}
	r.paths = append(r.paths, pathRule{normalPath(value), key == "allow"})
}

// allow reports whether a path with its query may be requested: the longest pattern that matches decides, and of two of one
// length the one that allows (RFC 9309, section 2.2.2).
func (r *rules) allow(path string) bool {
	path = normalPath(path)
	longest, allowed := -1, true
	for _, p := range r.paths {
		if n := len(p.pattern); (n > longest || n == longest && p.allow) && matches(p.pattern, path) {
			longest, allowed = n, p.allow
		}
	}
	return allowed
}

func matches(pattern, path string) bool {
	pattern, whole := strings.CutSuffix(pattern, "$")
	parts := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(path, parts[0])
	if !ok {
		return false
	}
	for i, part := range parts[1:] {
		if whole && i == len(parts)-2 {
			return strings.HasSuffix(rest, part)
		}
		_, after, ok := strings.Cut(rest, part)
		if !ok {
			return false
		}
		rest = after
	}
	return !whole || rest == ""
}

// normalPath returns the form in which a pattern and a path are compared (RFC 9309, section 2.2.2): what needs no escape has
// none, and what is not ASCII has one.
func normalPath(s string) string {
	const unreserved = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
	escape := func(b byte) string { return "%" + strings.ToUpper(hex.EncodeToString([]byte{b})) }
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if b, err := hex.DecodeString(s[i+1 : i+3]); err == nil {
				if i += 2; strings.IndexByte(unreserved, b[0]) >= 0 {
					out.WriteByte(b[0])
				} else {
					out.WriteString(escape(b[0]))
				}
				continue
			}
		}
		if s[i] < 0x80 {
			out.WriteByte(s[i])
		} else {
			out.WriteString(escape(s[i]))
		}
	}
	return out.String()
}
