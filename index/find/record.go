// Package find has the records of the free search as answers and pages show them. Package index finds them.
package find

import (
	"strings"
	"unicode/utf8"
)

// A Record is a record as the free search shows it.
type Record struct {
	ID    string // as the change feed has it, but for library entries: mcp-go-sdk, protocol:x402, trust
	Kind  string
	Title string
	Line  string // a sentence about it, of at most MaxLine characters
	Path  string // of its page, at the fact if the line is one
	URL   string // of the source of a library entry, of the page of any other record
}

// Results are the answer to a free search.
type Results struct {
	Records []Record // the best first, as many as were asked for
	Total   int      // the number of records found
	Missing []int    // by record: how many words of the query it does not have
	ReadAs  []string // words that no name has, with those they were read as: "invoce as invoic"
	Unknown []string // of an answer without records: the words of the query that nothing has
}

const (
	MaxFound = 8   // records that are shown at first, and more on request
	MaxMore  = 200 // records of an answer
	MaxLine  = 120 // characters of a record's line, so that a list of many stays short
)

// FirstSentence returns the first sentence of a summary, cut at a word if it is longer than MaxLine.
func FirstSentence(s string) string {
	for i := 0; i+2 < len(s); i++ {
		if (s[i] == '.' || s[i] == '!' || s[i] == '?') && s[i+1] == ' ' && s[i+2] >= 'A' && s[i+2] <= 'Z' && i > 20 {
			s = s[:i+1]
			break
		}
	}
	return Cut(s, MaxLine)
}

// Cut returns a text of so many characters at most, cut at a word.
func Cut(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	cut := string([]rune(s)[:most-1])
	if i := strings.LastIndexByte(cut, ' '); i > 0 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:") + "…"
}
