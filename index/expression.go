package index

import (
	"context"
	"slices"
	"strings"

	"go.almanac.example/index/postings"
	"go.almanac.example/index/text"
)

// An expression is a requirement of a query with AND, OR and parentheses: words, or two expressions.
type expression struct {
	words       string
	either      bool // left or right; else both
	left, right *expression
}

// maxDepth bounds the nesting of parentheses.
const maxDepth = 8

// cutExpression takes AND, OR and parentheses out of a text that has any, and returns their meaning. Words beside each
// other are one requirement less: they are ranked, as without operators.
func cutExpression(s string) (rest string, e *expression) {
	if !strings.Contains(s, " OR ") && !strings.Contains(s, " AND ") ||
		s == strings.ToUpper(s) { // who writes all in capitals means the words
		return s, nil
	}
	p := &expressionParser{tokens: strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(s))}
	e = p.readOr(0)
	var words []string
	for _, t := range p.tokens {
		if t != "AND" && t != "OR" && t != "(" && t != ")" {
			words = append(words, t)
		}
	}
	return strings.Join(words, " "), e
}

type expressionParser struct {
	tokens []string
	at     int
}

func (p *expressionParser) next() string {
	if p.at < len(p.tokens) {
		return p.tokens[p.at]
	}
	return ""
}

// readOr reads expressions joined by OR.
func (p *expressionParser) readOr(depth int) *expression {
	e := p.readAnd(depth)
	for p.next() == "OR" {
		p.at++
		e = join(e, p.readAnd(depth), true)
	}
	return e
}

// readAnd reads expressions joined by AND, or by nothing.
func (p *expressionParser) readAnd(depth int) *expression {
	var e *expression
	for {
		switch t := p.next(); {
		case t == "" || t == "OR":
			return e
		case t == ")":
			if depth > 0 {
				return e
			}
			p.at++
		case t == "AND":
			p.at++
		case t == "(" && depth < maxDepth:
			p.at++
			e = join(e, p.readOr(depth+1), false)
			if p.next() == ")" {
				p.at++
			}
		default:
			p.at++
			if t != "(" {
				e = join(e, &expression{words: t}, false)
			}
		}
	}
}

func join(a, b *expression, either bool) *expression {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return &expression{either: either, left: a, right: b}
}

// evaluate returns the documents that satisfy an expression. Stop words alone require nothing.
func (x *Index) evaluate(ctx context.Context, e *expression) (docSet, error) {
	if e.left == nil {
		set, err := x.having(ctx, e.words, 1<<postings.Fields-1)
		if set == nil {
			set = slices.Repeat(docSet{true}, len(x.records))
		}
		return set, err
	}
	left, err := x.evaluate(ctx, e.left)
	if err != nil {
		return nil, err
	}
	right, err := x.evaluate(ctx, e.right)
	for doc, isIn := range right {
		if e.either {
			left[doc] = left[doc] || isIn
		} else {
			left[doc] = left[doc] && isIn
		}
	}
	return left, err
}

// having returns the documents that have a word or a phrase in one of several fields; nil: it has stop words only.
func (x *Index) having(ctx context.Context, s string, fields uint16) (docSet, error) {
	ws := x.analyzer.Words(nil, s)
	ts := x.analyzer.Terms(nil, ws, s)
	if len(ws) > 1 {
		return x.phrase(ctx, ws, span{0, len(s)}, ts)
	}
	var set docSet
	for _, t := range ts {
		if t.Target {
			continue
		}
		l, err := x.store.List(ctx, t.AppendVariants(nil)...)
		if err != nil {
			return nil, err
		}
		if set == nil {
			set = make(docSet, len(x.records))
		}
		for i, doc := range l.Docs {
			set[doc] = set[doc] || l.Fields[i]&fields != 0
		}
	}
	return set, nil
}

// phrase returns the documents that have the words of a query in a span next to each other in one field, or nil if
// there are none in the span. A phrase that is a name of the lexicon, "BOLT 12", is found by its other spellings too.
func (x *Index) phrase(ctx context.Context, ws []text.Word, s span, ts []text.Term) (docSet, error) {
	var stems []string
	first, last := -1, -1
	for i, w := range ws {
		if w.Start < s.start || w.End > s.end || w.Stop {
			continue
		}
		if first < 0 {
			first = i
		}
		for last = i; len(stems) < i-first; {
			stems = append(stems, "") // a stop word
		}
		stems = append(stems, w.Stem)
	}
	if first < 0 || len(x.records) == 0 {
		return nil, nil
	}
	set := make(docSet, len(x.records))
	for _, t := range ts {
		if t.Extra && !t.Target && t.First == first && t.Last == last {
			l, err := x.store.List(ctx, t.AppendVariants(nil)...)
			if err != nil {
				return nil, err
			}
			for _, doc := range l.Docs {
				set[doc] = true
			}
		}
	}
	return set, x.store.Phrase(ctx, stems, func(doc uint32) { set[doc] = true })
}

// said are the fields by which a word excludes: all but the category, the questions that a record answers and addresses.
const said = 1<<postings.Title | 1<<postings.Labels | 1<<postings.Text
