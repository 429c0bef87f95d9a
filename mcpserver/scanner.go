package mcpserver

// A scanner walks over JSON (RFC 8259) without decoding it. It is strict: every parser reads what
// it accepts alike.
type scanner struct {
	b []byte
	i int
}

const maxDepth = 1000 // of nesting

func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return
		}
	}
}

// value walks over a value and reports whether there was one.
func (s *scanner) value(depth int) bool {
	if s.i >= len(s.b) || depth > maxDepth {
		return false
	}
	switch c := s.b[s.i]; {
	case c == '{':
		return s.list(depth, '}', true)
	case c == '[':
		return s.list(depth, ']', false)
	case c == '"':
		return s.text()
	case c == '-' || c >= '0' && c <= '9':
		return s.number()
	case c == 't':
		return s.word("true")
	case c == 'f':
		return s.word("false")
	case c == 'n':
		return s.word("null")
	}
	return false
}

// list walks over an object or an array.
func (s *scanner) list(depth int, end byte, named bool) bool {
	s.i++
	if s.space(); s.i < len(s.b) && s.b[s.i] == end {
		s.i++
		return true
	}
	for {
		s.space()
		if named {
			if s.i >= len(s.b) || s.b[s.i] != '"' || !s.text() {
				return false
			}
			if s.space(); s.i >= len(s.b) || s.b[s.i] != ':' {
				return false
			}
			s.i++
			s.space()
		}
		if !s.value(depth + 1) {
			return false
		}
		if s.space(); s.i >= len(s.b) {
			return false
		}
		c := s.b[s.i]
		s.i++
		if c == end {
			return true
		}
		if c != ',' {
			return false
		}
	}
}

func (s *scanner) word(w string) bool {
	if len(s.b)-s.i < len(w) || string(s.b[s.i:s.i+len(w)]) != w {
		return false
	}
	s.i += len(w)
	return true
}

// text walks over a string; s.i is at its opening quote.
func (s *scanner) text() bool {
	for s.i++; s.i < len(s.b); s.i++ {
		switch c := s.b[s.i]; {
		case c == '"':
			s.i++
			return true
		case c < ' ':
			return false
		case c == '\\':
			if s.i++; s.i >= len(s.b) || !s.escape() {
				return false
			}
		}
	}
	return false
}

// escape reports whether a valid escape follows the backslash.
func (s *scanner) escape() bool {
	switch s.b[s.i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		for range 4 {
			if s.i++; s.i >= len(s.b) || !isHex(s.b[s.i]) {
				return false
			}
		}
		return true
	}
	return false
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func (s *scanner) number() bool {
	if s.b[s.i] == '-' {
		s.i++
	}
	from := s.i
	if s.digits(); s.i == from || s.b[from] == '0' && s.i-from > 1 {
		return false
	}
	if s.i < len(s.b) && s.b[s.i] == '.' {
		s.i++
		if !s.digits() {
			return false
		}
	}
	if s.i < len(s.b) && (s.b[s.i] == 'e' || s.b[s.i] == 'E') {
		if s.i++; s.i < len(s.b) && (s.b[s.i] == '+' || s.b[s.i] == '-') {
			s.i++
		}
		return s.digits()
	}
	return true
}

// digits walks over digits and reports whether there was one.
func (s *scanner) digits() bool {
	from := s.i
	for s.i < len(s.b) && s.b[s.i] >= '0' && s.b[s.i] <= '9' {
		s.i++
	}
	return s.i > from
}
