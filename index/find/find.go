// Package find has the records of the free search as answers and pages show them. Package index finds them.
package find

import (
	"strings"
	"unicode/utf8"
)

// A Record is a record as the free search shows it.
type Record struct {
	ID    string `json:"id"` // as the change feed has it, but for library entries: mcp-go-sdk, protocol:x402, trust
	Kind  string `json:"kind"`
	Title string `json:"title"`
	Line  string `json:"line"` // a sentence about it, of at most MaxLine characters
	Path  string `json:"path"` // of its page, at the fact if the line is one
	URL   string `json:"-"`    // of the source of a library entry, of the page of any other record
}

// Results are the answer to a free search.
type Results struct {
	Records []Record // the best first, as many as were asked for
	Total   int      // the number of records found
	ReadAs  []string // words that no name has, with those they were read as: "invoce as invoice"
	Unknown []string // the words of the query without which the records were found, or that nothing has

	Protocols []string // that the query names, by id
}

const (
	MaxFound = 8   // records that are shown at first, and more on request
	MaxMore  = 200 // records of an answer
	MaxLine  = 120 // characters of a record's line, so that a list of many stays short
)

// FirstSentence returns the first of some sentences.
func FirstSentence(text string) string {
	for i := 0; i+2 < len(text); i++ {
		if strings.IndexByte(".!?", text[i]) >= 0 && text[i+1] == ' ' && text[i+2] >= 'A' && text[i+2] <= 'Z' && i > 20 {
			return text[:i+1]
		}
	}
	return text
}

// Line returns the line of a record with a summary: its first sentence, cut at a word if it is longer than MaxLine.
func Line(summary string) string { return Cut(FirstSentence(summary), MaxLine) }

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

// A Document lists records for copies of the site without a server, in which a script finds them by their titles.
type Document struct {
	SchemaVersion string   `json:"schema_version"`
	GeneratedAt   string   `json:"generated_at"`
	Complete      bool     `json:"complete"` // false: the library is too large, and its older entries are left out
	Count         int      `json:"count"`
	Records       []Record `json:"records"`
}
