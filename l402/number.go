package l402

import "strconv"

// maxCredits bounds the number in a caveat, so that it fits every store.
const maxCredits = 1 << 30

// parseNumber parses a decimal number as caveatsFor writes it: digits only, no leading zero, at most 2^53.
func parseNumber(s string) (int64, error) {
	if s == "" || len(s) > 16 || len(s) > 1 && s[0] == '0' {
		return 0, strconv.ErrSyntax
	}
	var n int64
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, strconv.ErrSyntax
		}
		n = n*10 + int64(c-'0')
	}
	if n > 1<<53 {
		return 0, strconv.ErrRange
	}
	return n, nil
}
