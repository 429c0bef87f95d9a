package catalog

import (
	"fmt"
	"strings"
)

// Anchors are the anchors that a page has so far.
type Anchors map[string]bool

// NewAnchors returns the anchors that the page of a text has without its headings.
func NewAnchors() Anchors { return Anchors{"main": true, "toc": true, "sources": true} }

// Add adds the anchor of a heading and returns it: a prefix, and its words in lower case, joined by hyphens, with a number
// if it is taken. An anchor begins with a letter, so numbers in front are left out.
func (a Anchors) Add(prefix, heading string) string {
	words := strings.FieldsFunc(strings.ToLower(heading), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	for len(words) > 1 && words[0][0] <= '9' {
		words = words[1:]
	}
	if len(words) == 0 || words[0][0] <= '9' {
		words = append([]string{"section"}, words...)
	}
	id := prefix + strings.Join(words, "-")
	unique := id
	for n := 2; a[unique]; n++ {
		unique = fmt.Sprintf("%s-%d", id, n)
	}
	a[unique] = true
	return unique
}
