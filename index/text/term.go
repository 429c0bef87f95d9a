package text

import "strings"

// A Term finds a text: a word, or a name made of several.
type Term struct {
	Text        string
	First, Last int  // the words it is made of
	Extra       bool // added to the words of the text, so that it does not count towards its length
	Numbered    bool // a series name with its number
	Target      bool // found by a one-way synonym, without searching for it
}

// joinMark begins the term of words that a hyphen, a dot or an underscore joins, so that
// "key-send" is found by keysend while a search for the two words does not count it twice.
const joinMark = "-"

// IsWritten reports whether a term appears in texts as it stands, unlike concepts, joined words and people.
func IsWritten(term string) bool {
	return !strings.ContainsAny(term[:1], conceptMark+joinMark+personMark)
}

// Concept returns the first name of the concept that the term is, without spaces, or "".
func (t Term) Concept() string {
	name, ok := strings.CutPrefix(t.Text, conceptMark)
	if !ok || t.Target {
		return ""
	}
	return name
}

// Terms appends the terms of the words of a text to ts, in the order of their first words.
func (a *Analyzer) Terms(ts []Term, ws []Word, text string) []Term {
	for i, w := range ws {
		if !w.Stop {
			ts = append(ts, Term{Text: w.Stem, First: i, Last: i})
		}
		if w.numbered != "" && w.numbered != w.Stem {
			ts = append(ts, Term{Text: w.numbered, First: i, Last: i, Extra: true})
		}
		if w.isSeries && i+1 < len(ws) && isSeriesGap(text[w.End:ws[i+1].Start]) {
			if s := a.lexicon.joinSeries(w.Text, ws[i+1].Text); s != "" {
				ts = append(ts, Term{Text: s, First: i, Last: i + 1, Extra: true, Numbered: true})
			}
		}
		if last := lastJoined(ws, i, text); last > i && !allNumbers(ws[i:last+1]) {
			ts = append(ts, Term{Text: joinMark + a.Stem(join(ws[i:last+1])), First: i, Last: last, Extra: true})
		}
		for _, m := range w.concepts {
			if last := i + len(m.rest); last < len(ws) && haveStems(ws[i+1:last+1], m.rest) && !(w.Stop && last == i) {
				ts = append(ts, Term{Text: m.concept, First: i, Last: last, Extra: true, Target: m.target})
			}
		}
	}
	return ts
}

// isSeriesGap reports whether a series name and its number may be separated so: "BOLT #12".
func isSeriesGap(gap string) bool {
	switch gap {
	case " ", "-", "_", ".", "#", " #", "-#", "/", "\u00a0", "\u2011", " no. ", ": ":
		return true
	}
	return false
}

// maxJoined bounds the words of a compound.
const maxJoined = 4

// lastJoined returns the last word of the compound that begins at word i, or i if none does. No
// compound begins in the middle of another.
func lastJoined(ws []Word, i int, text string) int {
	if i > 0 && isJoin(text[ws[i-1].End:ws[i].Start]) {
		return i
	}
	last := i
	for last+1 < len(ws) && last-i < maxJoined && isJoin(text[ws[last].End:ws[last+1].Start]) {
		last++
	}
	return last
}

// allNumbers reports whether words are the parts of a number, such as 4.02 or 2026-11-22.
func allNumbers(ws []Word) bool {
	for _, w := range ws {
		if !isNumber(w.Text) {
			return false
		}
	}
	return true
}

func isJoin(gap string) bool { return gap == "-" || gap == "_" || gap == "." || gap == "\u2011" }

func join(ws []Word) string {
	var b strings.Builder
	for _, w := range ws {
		b.WriteString(w.Text)
	}
	return b.String()
}

func haveStems(ws []Word, stems []string) bool {
	for i, s := range stems {
		if ws[i].Stem != s {
			return false
		}
	}
	return true
}

// A Variant is one of the terms by which documents have a part of a query, with a weight of
// at most 1.
type Variant struct {
	Term   string
	Weight float32
}

// The weights of documents that have another spelling than the query.
const (
	conceptWeight = 0.95
	oneWayWeight  = 0.8
	joinedWeight  = 0.9
)

// AppendVariants appends the variants of a query's term to vs.
func (t Term) AppendVariants(vs []Variant) []Variant {
	switch t.Text[:1] {
	case conceptMark:
		if strings.HasPrefix(t.Text, conceptMark+conceptMark) {
			return append(vs, Variant{t.Text, oneWayWeight})
		}
		return append(vs, Variant{t.Text, conceptWeight})
	case joinMark:
		return append(vs, Variant{t.Text[1:], 1}, Variant{t.Text, joinedWeight})
	}
	return append(vs, Variant{t.Text, 1}, Variant{joinMark + t.Text, joinedWeight})
}
