package index

import (
	"cmp"
	"regexp"
	"strings"

	"go.almanac.example/index/text"
)

const (
	// words matches up to four words, phrase the rest of a phrase within a sentence, alias another name in parentheses,
	// or a remark, and within what follows a name.
	words  = `([\w-]+(?: [\w-]+){0,3}?)`
	phrase = `(?:[^,.;:]|\.\d){1,40}?`
	alias  = `(?: \((?:([\w -]+)|[^)]+)\))?`
	within = ` (?:in|of|on|for|within|under) |,`
)

var (
	// definitions matches a text that begins by saying of something that it is one of a kind.
	definitions = regexp.MustCompile(`^(?:An? ` + words + `(?: \([^)]*\))?(?: (?:in|of|on) ` + phrase + `)?|(?:The )?` + words + `)` +
		`(?: \([^)]*\))?(?: in ` + phrase + `)? (?:is|are) (?:an?|the|one) `)
	// standing matches the rest of a text that tells a thing's standing or form instead, such as "X is a draft".
	standing = regexp.MustCompile(`^(?:[\w-]+ )?(?:draft|trademark|package|module|default|merchant|Internet Standard)\b`)
	// definitionQuestions matches a question for the meaning of a word, which what it captures begins with: "what is a
	// facilitator in x402", "facilitator meaning x402". Parentheses have another name of it.
	definitionQuestions = regexp.MustCompile(`^(?:(?:(?:what(?:'?s| is) )?(?:the )?(?:definition|meaning) of|define|explain) (?:an? |the )?(.+)` +
		`|what do(?:es)? (?:an? )?` + words + alias + `(?: means?| stands? for)?(?:(?:` + within + `).+)?` +
		`|what(?:'?s| is| are)(?: meant by)? (?:(?:an? )?` + words + `|(the [\w-]+(?: [\w-]+){0,2}?))` + alias +
		`(?:(?:` + within + `| and (?:how|what|why|when|where|who|which) ).+)?` +
		`|(.+?),? (?:meaning|definition|explained|what(?:'?s| is) (?:it|that))\b.*)$`)
	// clauses parts two questions in one.
	clauses = strings.NewReplacer(", what ", "\nwhat ", " and what ", "\nwhat ")
)

// maxDefined bounds the words of a name that is defined.
const maxDefined = 3

// asksToDefine returns the word for whose meaning a question asks, or "", and the other name that it has in parentheses.
// Others may follow the word if the question has no form that ends it: "define preimage lightning".
func asksToDefine(question string) (word, alias string, open bool) {
	question = strings.ReplaceAll(strings.TrimRight(strings.TrimSpace(question), "?"), " & ", " and ")
	m := definitionQuestions.FindStringSubmatch(strings.ToLower(question))
	if m == nil {
		return "", "", false
	}
	return m[1] + m[2] + m[4] + m[5] + m[7], m[3] + m[6], m[1]+m[7] != ""
}

// nameOf returns the form in which names are compared: the concept of the lexicon that they are, or else their stems.
func nameOf(a *text.Analyzer, name string) string {
	ws := a.Words(nil, name)
	for _, t := range a.Terms(nil, ws, name) {
		if t.Concept() != "" && t.First == 0 && t.Last == len(ws)-1 {
			return t.Text
		}
	}
	stems := make([]string, len(ws))
	for i, w := range ws {
		stems[i] = w.Stem
	}
	return strings.Join(stems, " ")
}

// defines returns the names that a passage defines: those for whose meaning its question asks, and that of which its text
// begins to say what it is.
func (p *Passage) defines() (names []string) {
	add := func(name string) {
		name, _, _ = strings.Cut(name, " in ")
		list := strings.Fields(name)
		if 0 < len(list) && len(list) <= maxDefined {
			names = append(names, name)
		}
	}
	for clause := range strings.Lines(clauses.Replace(p.asked)) {
		word, alias, _ := asksToDefine(clause)
		add(word)
		add(alias)
	}
	if p.Kind == PassageStatement {
		_, said, _ := strings.Cut(p.Text, " says: ")
		said = cmp.Or(said, p.Text)
		if m := definitions.FindStringSubmatch(said); m != nil && !standing.MatchString(said[len(m[0]):]) {
			add(strings.ToLower(m[1] + m[2]))
		}
	}
	return names
}

// definitionsOf returns the passages that define a name, by nameOf: alone, or with another name before it if none does.
func definitionsOf(a *text.Analyzer, d *documents) map[string][]uint32 {
	alone, within := make(map[string][]uint32), make(map[string][]uint32)
	for i := range d.records {
		for n := range d.records[i].passages {
			for _, name := range d.records[i].passages[n].defines() {
				name, passage := nameOf(a, name), d.first[i]+uint32(n)
				alone[name] = append(alone[name], passage)
				for _, last, ok := strings.Cut(name, " "); ok; _, last, ok = strings.Cut(last, " ") {
					within[last] = append(within[last], passage)
				}
			}
		}
	}
	for name, passages := range within {
		if alone[name] == nil {
			alone[name] = passages
		}
	}
	return alone
}

// definedIn returns the word, or up to three, that passages define, of those for whose meaning a question asks, and these
// passages. A name may follow it: "what is a preimage lightning". It takes the answer of asksToDefine.
func (x *Index) definedIn(word string, open bool) (string, []uint32) {
	list := strings.Fields(word)
	for n := min(maxDefined, len(list)); n > 0; n-- {
		word = strings.Join(list[:n], " ")
		passages := x.defined[nameOf(x.analyzer, word)]
		if passages != nil && (open || n == len(list) || strings.HasPrefix(nameOf(x.analyzer, strings.Join(list[n:], " ")), "=")) {
			return word, passages
		}
	}
	return "", nil
}
