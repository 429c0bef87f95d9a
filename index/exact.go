package index

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"go.almanac.example/index/text"
)

// exactTokens have the passages whose texts have an identifier as it is written, and those whose questions ask for it: a
// contract, a chain id, a header, a code, a method, a host.
type exactTokens struct{ said, asked map[string][]uint32 }

// newExactTokens reads the identifiers of passages.
func newExactTokens(records recordList) exactTokens {
	x, passage := exactTokens{make(map[string][]uint32), make(map[string][]uint32)}, uint32(0)
	for i := range records {
		for _, p := range records[i].passages {
			addTokens(x.said, p.Text, passage)
			addTokens(x.said, p.addresses, passage)
			addTokens(x.asked, p.asked, passage)
			passage++
		}
	}
	return x
}

// addTokens adds a passage to the identifiers of a text, and of an address to the host too.
func addTokens(to map[string][]uint32, s string, passage uint32) {
	for token := range strings.FieldsFuncSeq(s, betweenTokens) {
		name, isIdentifier := tokenName(token)
		if !isIdentifier {
			continue
		}
		names := []string{name}
		if host, _, ok := strings.Cut(name, "/"); ok && strings.Contains(token, "://") {
			names = append(names, host)
		}
		for _, name := range names {
			if list := to[name]; len(list) == 0 || list[len(list)-1] != passage {
				to[name] = append(list, passage)
			}
		}
	}
}

// betweenTokens reports whether a character ends an identifier.
func betweenTokens(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("\"“”„«»'’`,;()[]{}<>=|&?#*…", r)
}

// tokenName returns the form in which identifiers are compared, and whether a token is one: it has more than letters, or
// a capital letter inside.
func tokenName(token string) (name string, isIdentifier bool) {
	token = strings.TrimRight(token, ".:!-/")
	last := ' '
	for _, r := range token {
		isIdentifier = isIdentifier || !unicode.IsLetter(r) || unicode.IsLower(last) && unicode.IsUpper(r)
		last = r
	}
	name = strings.TrimPrefix(normalName(strings.Replace(token, "−", "-", 1)), "-")
	return name, isIdentifier && len(name) > 2
}

// The most passages of an identifier, alone and beside other words: one that more have tells them no better than a word.
const maxAlone, maxExact = 30, 16

// marked matches identifiers that no sentence has as a word: pay_invoice, tools/list, eip155:8453, payTo, -32042.
var marked = regexp.MustCompile(`[a-z][A-Z]|\w[_/:@]\w|[A-Za-z]\w*\.[a-z]|^0x|^\W?\d{4,}$|^[A-Z]+(-[A-Z]+)+$`)

// numberedName matches names with a number, which are words: x402, bolt11.
var numberedName = regexp.MustCompile(`^[a-z]+\d+$`)

// coded matches those of them that are no names of products, numbers of RFCs or years.
var coded = regexp.MustCompile(`^[a-z]+[A-Z]|\w[_/@]\w|\w:\d|^0x|^\W?\d{5,}$|^[A-Z]+(-[A-Z]+)+$`)

// find returns the passages with the identifiers of a query, whether the query is nothing but one, and whether one is
// coded. Beside other words an identifier means the passages that are asked for it, if there are any.
func (x exactTokens) find(query string) (passages []uint32, alone, isCoded bool) {
	name, _ := tokenName(strings.TrimSpace(query))
	if said := x.said[name]; 0 < len(said) && len(said) <= maxAlone && !numberedName.MatchString(name) {
		return said, true, true
	}
	for token := range strings.FieldsFuncSeq(query, betweenTokens) {
		name, _ := tokenName(token)
		list := x.asked[name]
		if len(list) == 0 {
			list = x.said[name]
		}
		if 0 < len(list) && len(list) <= maxExact && marked.MatchString(token) {
			passages, isCoded = append(passages, list...), isCoded || coded.MatchString(token)
		}
	}
	return passages, false, isCoded
}

// identifier matches names written as programs write them, days, articles of laws, names with a release, and the numbers of
// statuses and versions. No other answers for one that no document has.
var identifier = regexp.MustCompile(`\b(\w+_\w+|[A-Z]\w*(?:-[A-Z]\w*)+|[A-Z]?[a-z]+[A-Z]\w*|[12]\d{3}-\d\d-\d\d|(?i:article|section|annex) \d[\d.]*)\b|` +
	`\b([A-Z]\w+|[a-z]+\d+[a-z]*) (?:protocol )?(?:v(\d[\d.]*)|(\d+\.\d[\d.]*))\b|` +
	`\b(?i:status|error|version|revision|port|kind)(?: code| number)? v?-?(\d[\d.-]*\d)\b`)

// addInvented adds the identifiers of a text that no document has to the strange words.
func (x *Index) addInvented(ctx context.Context, pl *plan, s string) error {
	if x.free == nil || strings.IndexFunc(s, func(r rune) bool { return r == '_' || unicode.IsUpper(r) || unicode.IsDigit(r) }) < 0 {
		return nil // without reading what most queries cannot match
	}
	for _, match := range identifier.FindAllStringSubmatch(s, -1) {
		names := []string{match[1] + match[5]}
		if number := match[3] + match[4]; number != "" {
			names = []string{match[2] + match[0][strings.LastIndexByte(match[0], ' '):], match[2] + " " + number, match[2] + " v" + number}
			for _, t := range x.analyzer.Terms(nil, x.analyzer.Words(nil, match[2]), match[2]) { // in its other spellings
				if name := t.Concept(); name != "" {
					names = append(names, name+" "+number, name+" v"+number)
				}
			}
		}
		switch isWritten, err := x.isWritten(ctx, names); {
		case err != nil:
			return err
		case !isWritten && !slices.Contains(pl.strange, names[0]):
			pl.strange = append(pl.strange, names[0])
		}
	}
	return nil
}

// isWritten reports whether a document has one of several names, or whether one has stop words only.
func (x *Index) isWritten(ctx context.Context, names []string) (bool, error) {
	for _, name := range names {
		if ws := x.analyzer.Words(nil, name); len(ws) == 1 {
			if l, err := x.store.List(ctx, text.Term{Text: ws[0].Stem}.AppendVariants(nil)...); err != nil || len(l.Docs) > 0 {
				return true, err
			}
		}
		apart, ws, ts := x.split(&parsed{rest: name})
		if set, err := x.phrase(ctx, ws, span{0, len(apart)}, ts, true); err != nil || set == nil || slices.Contains(set, true) {
			return true, err
		}
	}
	return false, nil
}
