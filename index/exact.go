package index

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"go.almanac.example/index/text"
)

// exactTokens have the passages in which an identifier stands as it is written: a contract, a chain id, a header, a code,
// a method, a host.
type exactTokens map[string][]uint32

// newExactTokens reads the identifiers of passages.
func newExactTokens(records recordList) exactTokens {
	x, passage := make(exactTokens), uint32(0)
	for i := range records {
		for _, p := range records[i].passages {
			for token := range strings.FieldsFuncSeq(p.Text+" "+p.addresses, betweenTokens) {
				x.add(token, passage)
			}
			passage++
		}
	}
	return x
}

// add adds a token if it is an identifier, and of an address the host too.
func (x exactTokens) add(token string, passage uint32) {
	name, isIdentifier := tokenName(token)
	if !isIdentifier {
		return
	}
	names := []string{name}
	if host, _, ok := strings.Cut(name, "/"); ok && strings.Contains(token, "://") {
		names = append(names, host)
	}
	for _, name := range names {
		list := x[name]
		if len(list) == 0 {
			name = strings.Clone(name)
		}
		if len(list) == 0 || list[len(list)-1] != passage {
			x[name] = append(list, passage)
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

// maxExact bounds the passages of an identifier: one that more have tells them no better than a word.
const maxExact = 30

// marked matches identifiers that no sentence has as a word: pay_invoice, tools/list, eip155:8453, payTo, -32042.
var marked = regexp.MustCompile(`[a-z][A-Z]|\w[_/:@]\w|[A-Za-z]\w*\.\w|^0x|^\W?\d{4,}$|^[A-Z]+(-[A-Z]+)+$`)

// numberedName matches names with a number, which are words: x402, bolt11.
var numberedName = regexp.MustCompile(`^[a-z]+\d+$`)

// coded matches those of them that are no names of products, numbers of RFCs or years.
var coded = regexp.MustCompile(`^[a-z]+[A-Z]|\w[_/@]\w|\w:\d|^0x|^\W?\d{5,}$|^[A-Z]+(-[A-Z]+)+$`)

// find returns the passages with the identifiers of a query, whether the query is nothing but one, and whether one is
// coded.
func (x exactTokens) find(query string) (passages []uint32, alone, isCoded bool) {
	if name, _ := tokenName(strings.TrimSpace(query)); 0 < len(x[name]) && len(x[name]) <= maxExact && !numberedName.MatchString(name) {
		return x[name], true, true
	}
	for token := range strings.FieldsFuncSeq(query, betweenTokens) {
		if name, _ := tokenName(token); len(x[name]) > 0 && len(x[name]) <= maxExact && marked.MatchString(token) {
			passages, isCoded = append(passages, x[name]...), isCoded || coded.MatchString(token)
		}
	}
	return passages, false, isCoded
}

// identifier matches names written as programs write them, days, releases, articles of laws, and the numbers of statuses and
// versions. No other answers for one that no document has.
var identifier = regexp.MustCompile(`\b(\w+_\w+|[A-Z]\w*(?:-[A-Z]\w*)+|[A-Z]?[a-z]+[A-Z]\w*|[12]\d{3}-\d\d-\d\d|[A-Z][A-Za-z]+\d? v?\d\.\d[\d.]*|(?i:article|section|annex) \d[\d.]*)\b|` +
	`\b(?i:status|error|version|revision|port|kind)(?: code| number)? v?-?(\d[\d.-]*\d)\b`)

// addInvented adds the identifiers of a text that no document has to the strange words.
func (x *Index) addInvented(ctx context.Context, pl *plan, s string) error {
	if strings.IndexFunc(s, func(r rune) bool { return r == '_' || unicode.IsUpper(r) || unicode.IsDigit(r) }) < 0 {
		return nil // without reading what most queries cannot match
	}
	for _, match := range identifier.FindAllStringSubmatch(s, -1) {
		name := match[1] + match[2]
		if slices.Contains(pl.strange, name) {
			continue
		}
		if ws := x.analyzer.Words(nil, name); len(ws) == 1 {
			l, err := x.store.List(ctx, text.Term{Text: ws[0].Stem}.AppendVariants(nil)...)
			if err != nil {
				return err
			}
			if len(l.Docs) > 0 {
				continue
			}
		}
		apart, ws, ts := x.split(&parsed{rest: name})
		set, err := x.phrase(ctx, ws, span{0, len(apart)}, ts)
		if err != nil {
			return err
		}
		if set != nil && !slices.Contains(set, true) {
			pl.strange = append(pl.strange, name)
		}
	}
	return nil
}
