package find

import "almanac/index/text"

// A Document is the names of an index as a file for other programs, with everything that a search by them reads. It is
// small, because pages load it.
//
// Numbers are digits of Digits. Terms are sorted and separated by spaces; each begins with the number of letters that
// it shares with the one before. The postings of each term follow in the same order, separated by spaces: how far the
// record is from the one before, below half of the digits as one digit and from there on as two. Weights has a digit
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
	Tells         map[string]string `json:"tells"`  // by subject of a question: the records that tell it, as postings
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
