package index

import (
	"regexp"
	"strings"
)

var (
	// definitions matches a text that begins by saying of something that it is one of a kind.
	definitions = regexp.MustCompile(`^(?:An? ([\w-]+(?: [\w-]+)?)(?: (?:in|of|on) [^,.;:]{1,40}?)?|(?:The )?([\w-]+(?: [\w-]+)?))` +
		`(?: \([^)]*\))? (?:is|are) (?:an?|the|one) `)
	// definitionQuestions match a question for the meaning of a word, such as "what is a facilitator in x402".
	definitionQuestions = regexp.MustCompile(`(?i)^(?:(?:what(?:'s| is) )?(?:the )?(?:definition|meaning) of|what(?:'s| is| are| does)|define|explain) ` +
		`(?:(?:an? )?([\w-]+(?: [\w-]+)??)(?: means?| stands? for)?(?: (?:in|of|on|for) .+)?|the ([\w-]+(?: [\w-]+)?))\??$`)
)

// defined returns the word, or two, that a match of pattern in s is about, in lower case and in the singular; "" if
// there is none.
func defined(pattern *regexp.Regexp, s string) string {
	m := pattern.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return ""
	}
	return strings.TrimSuffix(strings.ToLower(m[1]+m[2]), "s")
}

// defines reports whether a passage defines a word, alone or with another before it.
func (p *Passage) defines(word string) bool {
	return word != "" && (p.defined == word || strings.HasSuffix(p.defined, " "+word))
}

// definedWords are the words that passages of records define.
func definedWords(records recordList) map[string]bool {
	words := make(map[string]bool)
	for i := range records {
		for _, p := range records[i].passages {
			if _, last, ok := strings.Cut(p.defined, " "); ok {
				words[last] = true
			}
			words[p.defined] = true
		}
	}
	delete(words, "")
	return words
}
