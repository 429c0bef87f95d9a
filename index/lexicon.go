package index

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed lexicon.txt
var lexiconText string

// A lexicon holds the spellings and synonyms of the field, read from lexicon.txt.
type lexicon struct {
	series   map[string]string // series name -> the name its words are written with
	concepts map[string][]member
}

// A member is one way to write a concept: a sequence of words, stemmed. It is kept under its
// first word.
type member struct {
	rest    []string
	concept string
}

// conceptMark begins the term of a concept; no word of a text has it.
const conceptMark = "="

// newLexicon reads the lexicon. cut turns a member into the stems of the words that texts are cut into.
func newLexicon(text string, cut func(string) []string) (*lexicon, error) {
	l := &lexicon{series: make(map[string]string), concepts: make(map[string][]member)}
	for i, line := range strings.Split(text, "\n") {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case verb == "" || strings.HasPrefix(verb, "#"):
		case verb == "series":
			for _, s := range strings.Fields(rest) {
				name, as, ok := strings.Cut(s, "=")
				if !ok {
					as = name
				}
				l.series[name] = as
			}
		case verb == "same":
			if err := l.addSame(rest, cut); err != nil {
				return nil, fmt.Errorf("lexicon line %d: %w", i+1, err)
			}
		default:
			return nil, fmt.Errorf("lexicon line %d: %q is neither series nor same", i+1, verb)
		}
	}
	return l, nil
}

func (l *lexicon) addSame(list string, cut func(string) []string) error {
	names := strings.Split(list, "=")
	if len(names) < 2 {
		return fmt.Errorf("%q names only one thing", list)
	}
	concept := conceptMark + strings.ReplaceAll(strings.TrimSpace(names[0]), " ", "")
	for _, n := range names {
		words := cut(strings.TrimSpace(n))
		if len(words) == 0 {
			return fmt.Errorf("%q has no words", n)
		}
		for _, m := range l.concepts[words[0]] {
			if m.concept != concept && strings.Join(m.rest, " ") == strings.Join(words[1:], " ") {
				return fmt.Errorf("%q belongs to %q already", n, m.concept)
			}
		}
		l.concepts[words[0]] = append(l.concepts[words[0]], member{words[1:], concept})
	}
	return nil
}

// has tells whether a word is all of a name of the lexicon.
func (l *lexicon) has(stem string) bool {
	return l != nil && slices.ContainsFunc(l.concepts[stem], func(m member) bool { return len(m.rest) == 0 })
}

// seriesWord gives the one spelling of a word such as bip0021, when its letters name a series.
func (l *lexicon) seriesWord(w string) (string, bool) {
	at := strings.IndexFunc(w, isDigit)
	if at <= 0 || strings.IndexFunc(w[at:], func(r rune) bool { return !isDigit(r) }) >= 0 {
		return "", false
	}
	return l.joinSeries(w[:at], w[at:])
}

// joinSeries gives the one spelling of a series name and its number.
func (l *lexicon) joinSeries(name, number string) (string, bool) {
	as, ok := l.series[name]
	if !ok || len(number) > 6 || !isNumber(number) {
		return "", false
	}
	number = strings.TrimLeft(number, "0")
	if number == "" {
		return "", false
	}
	// A lone letter names a series only before 402: "x 402" is a name, "l 2" is not.
	if len(name) == 1 && number != "402" {
		return "", false
	}
	return as + number, true
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func isNumber(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return !isDigit(r) }) < 0
}
