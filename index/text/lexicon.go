package text

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// lexiconText is the lines of the lexicon that every library has.
//
//go:embed lexicon.txt
var lexiconText string

// A lexicon holds spellings, synonyms and translations: those of every library and those of one.
type lexicon struct {
	series   map[string]string // series name -> the name its numbers are joined to; with a number, that one alone
	concepts map[string][]member
	spelling map[string]string // British stem -> American stem
	never    map[string]bool   // "a=b" and "b=a" for words that are not misspellings of each other; "c" of any
	filler   map[string]bool   // words that documents need not have
	asks     map[string][]ask  // by first word
	topics   map[string]Topics // of the subjects that are asked for
	english  map[string]string // word of another language -> English word
}

// A member is one way to write a concept: a sequence of stems, filed under the first of them.
type member struct {
	rest    []string
	concept string
	target  bool // found by the concept, without searching for it
}

// conceptMark begins the term of a concept. It is not part of any word.
const conceptMark = "="

// newLexicon reads the parts of a lexicon. stems returns the stems of the words of a phrase.
func newLexicon(stems func(string) []string, parts ...string) (*lexicon, error) {
	l := &lexicon{
		series: make(map[string]string), concepts: make(map[string][]member), spelling: make(map[string]string),
		never: make(map[string]bool), filler: make(map[string]bool), asks: make(map[string][]ask),
		topics:  make(map[string]Topics),
		english: make(map[string]string),
	}
	for _, text := range parts {
		for i, line := range strings.Split(text, "\n") {
			directive, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			if directive == "" || strings.HasPrefix(directive, "#") {
				continue
			}
			if err := l.add(directive, rest, stems); err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
		}
	}
	return l, nil
}

// add reads one line.
func (l *lexicon) add(directive, rest string, stems func(string) []string) error {
	switch directive {
	case "same":
		return l.addConcept(rest, false, stems)
	case "means":
		return l.addConcept(rest, true, stems)
	case "asks":
		topic, phrases, ok := strings.Cut(rest, "=")
		if !ok {
			return fmt.Errorf("%q asks for nothing: write a subject = words", rest)
		}
		if topic = strings.TrimSpace(topic); l.topics[topic] == 0 {
			if l.topics[topic] = 1 << len(l.topics); l.topics[topic] == 0 {
				return fmt.Errorf("%q is the 65th subject: join it with another", topic)
			}
		}
		for phrase := range strings.SplitSeq(phrases, ",") {
			words := strings.Fields(phrase)
			if len(words) == 0 {
				return fmt.Errorf("%q has an empty phrase", rest)
			}
			l.asks[words[0]] = append(l.asks[words[0]], ask{words[1:], topic})
		}
		return nil
	case "filler":
		for _, w := range strings.Fields(rest) {
			l.filler[w] = true
		}
		return nil
	case "series", "spell", "never", "translate":
		for _, s := range strings.Fields(rest) {
			a, b, ok := strings.Cut(s, "=")
			switch {
			case directive == "series" && !ok:
				l.series[a] = a
			case directive == "never" && !ok:
				l.never[a] = true
			case !ok:
				return fmt.Errorf("%q is one word: write two as a=b", s)
			case directive == "translate":
				l.english[a] = b
			case directive == "series":
				l.series[a] = b
			case directive == "spell":
				l.spelling[strings.Join(stems(a), " ")] = strings.Join(stems(b), " ")
			default:
				l.never[a+"="+b], l.never[b+"="+a] = true, true
			}
		}
		return nil
	}
	return fmt.Errorf("%q is not a directive: use series, same, means, asks, spell, never, translate or filler", directive)
}

// addConcept reads the names of a concept. If it is one way, only the first name searches for it and
// only the others are found by it.
func (l *lexicon) addConcept(list string, oneWay bool, stems func(string) []string) error {
	names := strings.Split(list, "=")
	if len(names) < 2 {
		return fmt.Errorf("%q has one name: separate at least two with =", list)
	}
	concept := conceptMark + strings.ReplaceAll(strings.TrimSpace(names[0]), " ", "")
	if oneWay {
		concept = conceptMark + concept
	}
	for i, n := range names {
		words := stems(strings.TrimSpace(n))
		if len(words) == 0 {
			return fmt.Errorf("the name %q has no words", n)
		}
		for _, m := range l.concepts[words[0]] {
			if !oneWay && !m.oneWay() && m.concept != concept &&
				strings.Join(m.rest, " ") == strings.Join(words[1:], " ") {
				return fmt.Errorf("the name %q already belongs to %q", n, m.concept)
			}
		}
		l.concepts[words[0]] = append(l.concepts[words[0]], member{words[1:], concept, oneWay && i > 0})
	}
	return nil
}

// oneWay reports whether only some names of the concept search for it.
func (m member) oneWay() bool { return strings.HasPrefix(m.concept, conceptMark+conceptMark) }

// isName reports whether a word alone is a name in the lexicon.
func (l *lexicon) isName(stem string) bool {
	alone := func(m member) bool { return len(m.rest) == 0 && !m.oneWay() }
	return l != nil && slices.ContainsFunc(l.concepts[stem], alone)
}

// seriesWord returns the canonical spelling of a word such as bip0021, "" unless its letters name a series.
func (l *lexicon) seriesWord(w string) string {
	at := strings.IndexFunc(w, isDigit)
	if at <= 0 || strings.IndexFunc(w[at:], func(r rune) bool { return !isDigit(r) }) >= 0 {
		return ""
	}
	return l.joinSeries(w[:at], w[at:])
}

// joinSeries returns the canonical spelling of a series name with its number, or "".
func (l *lexicon) joinSeries(name, number string) string {
	as, ok := l.series[name]
	if !ok || len(number) > 12 || !isNumber(number) {
		return ""
	}
	number = strings.TrimLeft(number, "0")
	joined := strings.TrimRight(as, "0123456789") + number
	if number == "" || joined != as && HasDigit(as) { // x403 beside x402
		return ""
	}
	return joined
}
