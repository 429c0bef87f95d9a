package index

import (
	"regexp"
	"slices"
	"strings"
)

// words matches up to three words, and phrase the rest of a phrase within a sentence.
const (
	words  = `([\w-]+(?: [\w-]+){0,2}?)`
	phrase = `(?:[^,.;:]|\.\d){1,40}?`
)

var (
	// definitions matches a text that begins by saying of something that it is one of a kind.
	definitions = regexp.MustCompile(`^(?:An? ` + words + `(?: \([^)]*\))?(?: (?:in|of|on) ` + phrase + `)?|(?:The )?` + words + `)` +
		`(?: \([^)]*\))?(?: in ` + phrase + `)? (?:is|are) (?:an?|the|one) `)
	// standing matches the rest of a text that tells a thing's standing or form instead, such as "X is a draft".
	standing = regexp.MustCompile(`^(?:[\w-]+ )?(?:draft|trademark|package|module|default|merchant|Internet Standard)\b`)
	// definitionQuestions match a question for the meaning of a word, such as "what is a facilitator in x402".
	definitionQuestions = regexp.MustCompile(`(?i)^(?:(?:(?:what(?:'s| is) )?(?:the )?(?:definition|meaning) of|what(?:'s| is| are| does)|define|explain) ` +
		`(?:(?:an? )?` + words + `(?: means?| stands? for)?(?: (?:in|of|on|for) .+)?|the ` + words + `)|` + words + ` (?:meaning|definition))\??$`)
)

// relations are words that stand between a thing and another.
var relations = []string{"of", "on", "in", "for", "to", "and", "has", "been"}

// asksToDefine returns the word, or up to three, for whose meaning a question asks, or "".
func asksToDefine(question string) string {
	return subject(definitionQuestions.FindStringSubmatch(strings.TrimSpace(question)))
}

// definition returns the word, or up to three, that a text defines, or "".
func definition(text string) string {
	if _, said, ok := strings.Cut(text, " says: "); ok { // by whom
		text = said
	}
	m := definitions.FindStringSubmatch(text)
	if m == nil || standing.MatchString(text[len(m[0]):]) {
		return ""
	}
	return subject(m)
}

// subject returns the word, or up to three, of a match, in lower case and in the singular; "" if there is none.
func subject(match []string) string {
	if match == nil {
		return ""
	}
	word := strings.ToLower(strings.Join(match[1:], ""))
	if slices.ContainsFunc(strings.Fields(word), func(w string) bool { return slices.Contains(relations, w) }) {
		return "" // "the seed of lnd is one of …" defines no seed
	}
	return strings.TrimSuffix(word, "s")
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
