package index

import (
	"cmp"
	"slices"
	"strings"
)

// completions are the titles, ids and tags in the order of the alphabet.
type completions []completion

type completion struct {
	key  string // in lower case; a title is also under each of its later words
	text string
}

// maxCompletable bounds the documents whose titles are kept under each word.
const maxCompletable = 100_000

func newCompletions(sources []*source) completions {
	var list completions
	tags := make(map[string]bool)
	for _, s := range sources {
		list = append(list, completion{strings.ToLower(s.id), s.id})
		title := strings.ToLower(s.title)
		for at := 0; at >= 0 && at < len(title); {
			list = append(list, completion{title[at:], s.title})
			next := strings.IndexByte(title[at:], ' ')
			if next < 0 || len(sources) > maxCompletable {
				break
			}
			at += next + 1
		}
		for _, t := range s.tags {
			if !tags[t] {
				tags[t] = true
				list = append(list, completion{t, t})
			}
		}
	}
	slices.SortFunc(list, func(a, b completion) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.text, b.text))
	})
	return list
}

// Complete gives up to n titles, ids and tags that begin with prefix, or titles of which a word
// does, those that begin with it first.
func (x *Index) Complete(prefix string, n int) []string {
	prefix = strings.ToLower(strings.TrimSpace(prefix))
	if len(prefix) > MaxText || n < 1 {
		return []string{}
	}
	at, _ := slices.BinarySearchFunc(x.completions, prefix, func(c completion, p string) int { return cmp.Compare(c.key, p) })
	first, rest := []string{}, []string{}
	for _, c := range x.completions[at:min(len(x.completions), at+maxScanned)] {
		if !strings.HasPrefix(c.key, prefix) || len(first) == n {
			break
		}
		if len(c.key) == len(c.text) {
			if !slices.Contains(first, c.text) {
				first = append(first, c.text)
			}
		} else if len(rest) < n && !slices.Contains(rest, c.text) {
			rest = append(rest, c.text)
		}
	}
	for _, t := range rest {
		if len(first) < n && !slices.Contains(first, t) {
			first = append(first, t)
		}
	}
	return first
}
