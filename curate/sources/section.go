package sources

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// sectionMark separates the sections of a text. It is the record separator of ASCII, which no source contains.
const sectionMark = "\x1e"

// Bounds of a remembered section, in words: enough for the longest table of networks. openingWords is where a page
// announces that it is obsolete.
const (
	sectionWords = 4000
	openingWords = 150
)

var (
	fence           = regexp.MustCompile("^\\s*(```|~~~)")
	markdownHeading = regexp.MustCompile(`^#{1,6}\s+\S`)
	numberedHeading = regexp.MustCompile(`^\d+(\.\d+)*\.?\s{1,4}[A-Z][^.!?]{0,80}$`) // of RFCs and Internet-Drafts
)

// markSections puts a mark before each heading of Markdown and of plain text, and leaves out code fences.
func markSections(text string) string {
	var out strings.Builder
	fenced := false
	for line := range strings.Lines(text) {
		if fence.MatchString(line) {
			fenced = !fenced
			out.WriteByte('\n') // a fence may name a language, which is no word of the text
			continue
		}
		if bare := strings.TrimRight(line, "\r\n"); !fenced &&
			(markdownHeading.MatchString(bare) || numberedHeading.MatchString(bare)) {
			out.WriteString(sectionMark)
		}
		out.WriteString(line)
	}
	return out.String()
}

// A section is the text around a quote, and the words by which its page says that it no longer holds.
type section struct {
	Words   string   `json:"words"`             // letters and digits in lower case, separated by spaces
	Notices []string `json:"notices,omitempty"` // of the opening of the page, sorted
}

// sectionOf returns every section of a marked text that has a quote, or the whole text if the quote runs across
// headings. It reports false if the text does not have it.
func sectionOf(text, quote string) (section, bool) {
	if !says(text, quote) {
		return section{}, false
	}
	var found []string
	for part := range strings.SplitSeq(text, sectionMark) {
		if says(part, quote) {
			found = append(found, part)
		}
	}
	if found == nil {
		found = []string{text}
	}
	list := words(strings.Join(found, " "))
	return section{strings.Join(list[:min(len(list), sectionWords)], " "), notices(text)}, true
}

// noticeWords announce that a text no longer holds.
var noticeWords = []string{"abandoned", "archived", "deprecated", "discontinued", "expired", "obsolete", "obsoleted",
	"removed", "replaced", "retired", "superseded", "unmaintained", "withdrawn"}

// notices returns the notice words in the opening of a text.
func notices(text string) []string {
	opening := words(text)
	opening = opening[:min(len(opening), openingWords)]
	return slices.DeleteFunc(slices.Clone(noticeWords), func(w string) bool { return !slices.Contains(opening, w) })
}

// words returns the words and numbers of a text in lower case. Markup, punctuation and white space do not count, so
// that a text with another layout alone is the same.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// difference describes how a section departs from the one that was read: words that are gone, words that are new. It is
// "" for equal sections.
func difference(read, now section) string {
	if slices.Equal(read.Notices, now.Notices) && read.Words == now.Words {
		return ""
	}
	for _, w := range now.Notices {
		if !slices.Contains(read.Notices, w) {
			return "the page now opens with the notice " + strconv.Quote(w)
		}
	}
	a, b := strings.Fields(read.Words), strings.Fields(now.Words)
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return "was " + clip(a) + ", is " + clip(b)
}

// clip quotes the beginning of a list of words.
func clip(list []string) string {
	const most = 24
	switch {
	case len(list) == 0:
		return "nothing"
	case len(list) > most:
		return strconv.Quote(strings.Join(list[:most], " ") + " …")
	}
	return strconv.Quote(strings.Join(list, " "))
}
