package phrase

import (
	"strings"

	"almanac/catalog"
)

// WhoAnswers returns a text on who read the sources, and whether somebody can be written to.
func WhoAnswers(i catalog.Identity) string {
	text := "Every source was read, and every fact checked, by " + i.Verifier + "."
	if i.Contact == "" {
		text += " This installation names no contact; its operator writes one into site.json."
	}
	return text
}

// Contact returns an address for people as they read it: that of a mailbox without its scheme.
func Contact(address string) string { return strings.TrimPrefix(address, "mailto:") }

// numbers are the numbers that texts spell out.
var numbers = [...]string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

// Spelled returns a number with its noun as a sentence has it: one protocol, nine protocols, 18,500 protocols.
func Spelled(n int, singular, plural string) string {
	switch {
	case n < 0 || n >= len(numbers):
		return Count(n, singular, plural)
	case n == 1:
		return numbers[n] + " " + singular
	}
	return numbers[n] + " " + plural
}

// Sentence returns a text with a capital at its beginning.
func Sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
