package load

import (
	"bytes"
	"unicode/utf8"
)

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// lineOf returns the line in which the first offset bytes end.
func lineOf(data []byte, offset int) int {
	return 1 + bytes.Count(data[:min(max(offset-1, 0), len(data))], []byte("\n"))
}

// firstDifference returns the line in which a and b first differ.
func firstDifference(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return 1 + bytes.Count(a[:n], []byte("\n"))
}
