package index

import (
	"regexp"
	"slices"
	"strings"

	"go.almanac.example/index/text"
)

const (
	// words matches up to three words, and phrase the rest of a phrase within a sentence.
	words  = `([\w-]+(?: [\w-]+){0,2}?)`
	phrase = `(?:[^,.;:]|\.\d){1,40}?`
)

var (
	// definitions matches a text that begins by saying of something that it is one of a kind.
	definitions = regexp.MustCompile(`^(?:.* says: )?(?:An? ` + words + `(?: \([^)]*\))?(?: (?:in|of|on) ` + phrase + `)?|(?:The )?` + words + `)` +
		`(?: \([^)]*\))?(?: in ` + phrase + `)? (?:is|are) (?:an?|the|one) `)
	// standing matches the rest of a text that tells a thing's standing or form instead, such as "X is a draft".
	standing = regexp.MustCompile(`^(?:[\w-]+ )?(?:draft|trademark|package|module|default|merchant|Internet Standard)\b`)
	// definitionQuestions matches a question for the meaning of a word, which what it captures begins with: "what is a
	// facilitator in x402", "facilitator meaning x402".
	definitionQuestions = regexp.MustCompile(`^(?:(?:(?:what(?:'s| is) )?(?:the )?(?:definition|meaning) of|define|explain) (?:an? |the )?(.+)` +
		`|what(?:'s| is| are| does)(?: meant by)? (?:(?:an? )?` + words + `|(the [\w-]+(?: [\w-]+){0,2}?))(?: means?| stands? for)?(?:(?: (?:in|of|on|for) |,).+)?` +
		`|(.+?),? (?:meaning|definition|explained|what is (?:it|that))\b.*)$`)
)

// relations are words that stand between a thing and another.
var relations = []string{"of", "on", "in", "for", "to", "and", "has", "been"}

// maxDefined bounds the words of a name that is defined.
const maxDefined = 3

// asksToDefine returns the word for whose meaning a question asks, or "". Others may follow it if the question has no form
// that ends the word: "define preimage lightning".
func asksToDefine(question string) (word string, open bool) {
	m := definitionQuestions.FindStringSubmatch(strings.ToLower(strings.TrimRight(strings.TrimSpace(question), "?")))
	if m == nil {
		return "", false
	}
	return m[1] + m[2] + m[3] + m[4], m[1]+m[4] != ""
}

// answer sets the question that a passage answers, and what follows from it: the word that is defined, and the subject of
// a passage without one, if it compares.
func (p *Passage) answer(a *text.Analyzer, question string) {
	p.asked = question
	defined, _ := asksToDefine(question)
	defined, _, _ = strings.Cut(defined, " in ")
	if p.Kind == PassageStatement {
		if m := definitions.FindStringSubmatch(p.Text); m != nil && !standing.MatchString(p.Text[len(m[0]):]) {
			defined = strings.ToLower(m[1] + m[2])
		}
	}
	list := strings.Fields(defined)
	isRelation := func(w string) bool { return slices.Contains(relations, w) } // "the seed of lnd is one of …" defines no seed
	if len(list) <= maxDefined && !slices.ContainsFunc(list, isRelation) {
		p.defined = strings.TrimSuffix(defined, "s")
	}
	if p.Kind == PassageSection {
		if asked := a.Asked(a.Words(nil, question)); asked.Has("comparison") {
			p.topic = "comparison"
		}
	}
}

// defines reports whether a passage defines a word: the word alone, or with another before it if no passage defines it alone.
func (p *Passage) defines(word string, alone bool) bool {
	return p.defined == word || !alone && strings.HasSuffix(p.defined, " "+word)
}

// definedWords are the words that passages of records define: true of those that one defines alone.
func definedWords(records recordList) map[string]bool {
	words := make(map[string]bool)
	for i := range records {
		for _, p := range records[i].passages {
			if p.defined != "" {
				words[p.defined] = true
			}
			for _, last, ok := strings.Cut(p.defined, " "); ok; _, last, ok = strings.Cut(last, " ") {
				if !words[last] {
					words[last] = false
				}
			}
		}
	}
	return words
}

// definedIn returns the word, or up to three, that a passage defines, of those for whose meaning a question asks, or "". It
// takes the answer of asksToDefine.
func (x *Index) definedIn(word string, open bool) string {
	list := strings.Fields(word)
	for n := min(maxDefined, len(list)); n > 0 && (open || n == len(list)); n-- {
		word = strings.TrimSuffix(strings.Join(list[:n], " "), "s")
		if _, ok := x.defined[word]; ok {
			return word
		}
	}
	return ""
}
