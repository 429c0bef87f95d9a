package index

import (
	"strings"

	"almanac/index/postings"
)

// An expression is what a query requires with AND, OR and parentheses: words, or two expressions.
type expression struct {
	words       string
	either      bool // left or right; else both
	left, right *expression
}

// maxDepth bounds the nesting of parentheses.
const maxDepth = 8

// cutExpression takes AND, OR and parentheses out of a text that has any, and returns what they mean. Words beside each other are one
// requirement less: they are ranked, as without operators.
func cutExpression(s string) (rest string, e *expression) {
	if !strings.Contains(s, " OR ") && !strings.Contains(s, " AND ") || s == strings.ToUpper(s) { // who writes all in capitals means the words
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

// evaluate returns the documents that satisfy an expression.
func (x *Index) evaluate(d *postings.Deadline, e *expression) (set64, error) {
	if e.left == nil {
		return x.withWords(d, e.words)
	}
	left, err := x.evaluate(d, e.left)
	if err != nil {
		return nil, err
	}
	right, err := x.evaluate(d, e.right)
	if err != nil {
		return nil, err
	}
	if e.either {
		return left.union(right), nil
	}
	for i := range left {
		left[i] &= right[i]
	}
	return left, nil
}

// withWords returns the documents that have the words of a token in any field. All have a stop word.
func (x *Index) withWords(d *postings.Deadline, s string) (set64, error) {
	set := make(set64, (len(x.records)+63)/64)
	ws := x.analyzer.Words(nil, s)
	found := false
	for _, t := range x.analyzer.Terms(nil, ws, s) {
		if t.Target {
			continue
		}
		found = true
		l, err := x.store.List(d, t.AppendVariants(nil)...)
		if err != nil {
			return nil, err
		}
		for _, doc := range l.Docs {
			set.add(doc)
		}
	}
	if !found {
		for doc := range x.records {
			set.add(uint32(doc))
		}
	}
	return set, nil
}
