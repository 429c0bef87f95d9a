package text

import "slices"

// An ask is the rest of a phrase of a question, with the subject of the passages that answer it.
type ask struct {
	rest  []string
	topic string
}

// Asked is what a query asks for: who, when, how much.
type Asked struct {
	Topics []string
	Words  []int // the words that say so, which passages of these subjects need not have
}

// Has reports whether passages of a subject answer what is asked.
func (a *Asked) Has(topic string) bool { return topic != "" && slices.Contains(a.Topics, topic) }

// Asked returns what the words of a query ask for.
func (a *Analyzer) Asked(ws []Word) (asked Asked) {
	for i, w := range ws {
		for _, k := range a.lexicon.asks[w.Text] {
			end := i + 1 + len(k.rest)
			if end > len(ws) || !slices.EqualFunc(ws[i+1:end], k.rest, func(w Word, s string) bool { return w.Text == s }) {
				continue
			}
			if !asked.Has(k.topic) {
				asked.Topics = append(asked.Topics, k.topic)
			}
			for n := i; n < end; n++ {
				asked.Words = append(asked.Words, n)
			}
		}
	}
	return asked
}
