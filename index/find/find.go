// Package find has the records of the free search as answers and pages show them. Package index finds them.
package find

import (
	"strings"
	"unicode/utf8"

	"go.almanac.example/index/text"
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
	Exact   bool     // an identifier of the query was looked up in the texts, which the browser does not have
	Records []Record // the best first, as many as were asked for
	Total   int      // the number of records found
	ReadAs  []string // words that no name has, with those they were read as: "invoce as invoic"
	Unknown []string // the words of the query without which the records were found, or that nothing has

	Protocols int // that the query names
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

// A Document is the names of an index as a file for other programs, with everything that a search by them reads. It is
// small, because pages load it.
//
// Numbers are digits of Digits. Terms are sorted and separated by spaces; each begins with the number of letters that
// it shares with the one before. The postings of each term follow in the same order, separated by spaces: how far the
// record is from the one before; small distances take one digit, larger ones two. Weights has a digit
// for each of them. A record is its id without the prefix of its kind, its kind, title and line; a protocol then has
// the number of a field and a value for each of its facts.
type Document struct {
	SchemaVersion string            `json:"schema_version"`
	GeneratedAt   string            `json:"generated_at"`
	Complete      bool              `json:"complete"` // false: the library is too large, and its entries are left out
	Count         int               `json:"count"`
	Digits        string            `json:"digits"`
	Kinds         []Kind            `json:"kinds"`
	Language      text.Rules        `json:"language"`
	Records       [][]any           `json:"records"`
	Fields        [][3]string       `json:"fields"` // of facts: label, subject, anchor
	Order         string            `json:"order"`  // by record, two digits: its rank among records of equal score
	Pages         int               `json:"pages"`  // the first rank of a page of the site: a category, a tag
	Tells         map[string]string `json:"tells"`  // by subject of a question, or protocol: the records that tell it, as postings
	Terms         string            `json:"terms"`
	Postings      string            `json:"postings"`
	Weights       string            `json:"weights"`
}

// A Kind is a kind of record.
type Kind struct {
	Kind   string `json:"kind"`
	Prefix string `json:"prefix"` // of the ids
	Path   string `json:"path"`   // of its page; {id} stands for the id without the prefix
}
