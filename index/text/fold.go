package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold returns s in lower case, without accents and compatibility forms (NFKD), so that
// "Ｌ４０２" becomes l402 and "café" becomes cafe.
func fold(s string, ascii bool) string {
	if ascii {
		return strings.ToLower(s)
	}
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r) || isInvisible(r):
			return -1
		case r == '’':
			return '\''
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(s))
}

// decode returns the first rune of a non-empty string and its width.
func decode(s string) (rune, int) {
	if s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	return utf8.DecodeRuneInString(s)
}

// inWord reports whether a rune is part of a word.
func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) || isInvisible(r)
}

// isInvisible reports whether a rune takes no space: soft hyphens, zero-width spaces and joiners. They split no word.
func isInvisible(r rune) bool {
	return r == '\u00ad' || '\u200b' <= r && r <= '\u200d' || r == '\u2060' || r == '\ufeff'
}

func startsWord(s string) bool { r, _ := decode(s); return inWord(r) }

func isApostrophe(r rune) bool { return r == '\'' || r == '’' }

func isUpper(s string) bool { return strings.ToUpper(s) == s }

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func isNumber(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return !isDigit(r) }) < 0
}

// HasDigit reports whether a word holds a decimal digit. Such words are names, which are neither
// stemmed nor corrected.
func HasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }
