package tools

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"go.almanac.example/catalog"
	"go.almanac.example/index"
	"go.almanac.example/index/find"
)

// plainWords returns a text in lower case with a space around each word.
func plainWords(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	return " " + strings.Join(words, " ") + " "
}

// newNames returns the names that stand for a thing, with its record: ids of protocols and entries, and publishers of one
// word, which have none.
func newNames(c *catalog.Catalog, protocols []string) map[string]string {
	names := make(map[string]string)
	for _, e := range c.Entries() {
		if publisher := plainWords(e.Publisher); strings.Count(publisher, " ") == 2 {
			names[publisher] = cmp.Or(names[publisher], "")
		}
		names[plainWords(e.ID)] = e.ID
	}
	for _, id := range protocols {
		names[plainWords(id)] = "protocol:" + id
	}
	return names
}

// A question is a query with the names in it.
type question struct {
	text, plain string   // plain as plainWords has it
	names, ids  []string // all names, and those of records
}

func (r *resources) read(query string) *question {
	q := &question{text: query, plain: plainWords(query)}
	for name, id := range r.names {
		if strings.Contains(q.plain, name) {
			if q.names = append(q.names, name); id != "" {
				q.ids = append(q.ids, name)
			}
		}
	}
	slices.Sort(q.ids)
	return q
}

// arrange puts records of a search in the order in which an answer has them.
func (r *resources) arrange(ctx context.Context, x *index.Index, records []find.Record, q *question) error {
	r.successorsFirst(records[:min(len(records), freeHits+1)], q.text)
	r.namedFirst(records, q)
	return exactFirst(ctx, x, records[:min(len(records), maxHits)], q.text)
}

// addNamed adds what was not found although the query names it: entries and protocols by their ids, and the records in
// which an identifier stands.
func (r *resources) addNamed(ctx context.Context, x *index.Index, found *find.Results, q *question) error {
	has := func(id string) bool {
		return slices.ContainsFunc(found.Records, func(rec find.Record) bool { return rec.ID == id })
	}
	missing := slices.DeleteFunc(slices.Clone(q.ids), func(name string) bool { return has(r.names[name]) })
	for _, name := range append(missing, identifier.FindAllString(q.text, -1)...) {
		one, err := x.Find(ctx, strings.TrimSpace(name), nil, 1)
		if err != nil {
			return err
		}
		for _, rec := range one.Records {
			if !has(rec.ID) {
				found.Records = slices.Insert(found.Records, min(len(found.Records), freeHits), rec)
				found.Total++
			}
		}
	}
	return nil
}

// namedFirst moves to the front what a query names: facts that it asks for, then the best record about each thing, and of the
// first records the others about protocols and entries that it names by their ids.
func (r *resources) namedFirst(records []find.Record, q *question) {
	missing, ids := slices.Clone(q.names), q.ids
	place := make(map[string]int, len(records))
	for i, rec := range records {
		if i >= maxHits && len(missing) == 0 {
			break
		}
		title := plainWords(rec.ID + " " + rec.Title)
		inTitle := func(name string) bool { // of a publisher, its own records
			return strings.HasPrefix(title, name) || r.names[name] != "" && strings.Contains(title, name)
		}
		e, isEntry := r.catalog.Entry(rec.ID)
		isTag := func(name string) bool { return isEntry && slices.Contains(e.Tags, strings.TrimSpace(name)) }
		switch {
		case isFactAsked(rec, q.plain) && slices.ContainsFunc(ids, func(name string) bool { return r.names[name] == rec.ID }):
			place[rec.ID] = -1
		case slices.ContainsFunc(missing, inTitle):
			missing, place[rec.ID] = slices.DeleteFunc(missing, inTitle), 0
		case i < maxHits && (slices.ContainsFunc(ids, inTitle) || slices.ContainsFunc(ids, isTag)):
			place[rec.ID] = 1
		default:
			place[rec.ID] = 2
		}
	}
	slices.SortStableFunc(records[:min(len(records), len(place))], func(a, b find.Record) int { return place[a.ID] - place[b.ID] })
}

// listAsked finds a question for all of something that is a list in the facts.
var listAsked = regexp.MustCompile(` (which|what|list|all) .*\b(clients?|librar(y|ies)|sdks?|networks?|facilitators?) `)

// isFactAsked reports whether the words of a query ask for a list of facts, or have the name of the fact by which a record
// was found.
func isFactAsked(rec find.Record, plain string) bool {
	_, anchor, _ := strings.Cut(rec.Path, "#")
	return listAsked.MatchString(plain) || slices.ContainsFunc(strings.Fields(plainWords(anchor)), func(word string) bool {
		return len(word) > 3 && strings.Contains(plain, " "+word[:len(word)-1])
	})
}

// identifier finds what no sentence has as a word: a code, a contract, a method, a name in code.
var identifier = regexp.MustCompile(`-\d{4,}\b|\b(\d{5,}|[03-9]\d{3}|0x\w+|[a-z]+[A-Z]\w+)\b|\w+[_/:]\w+`)

// exactFirst moves the records to the front whose title, or a passage of which that answers the query, has an identifier of
// it.
func exactFirst(ctx context.Context, x *index.Index, records []find.Record, query string) error {
	tokens := identifier.FindAllString(query, -1)
	if tokens == nil {
		return nil
	}
	answers, err := x.Answers(ctx, query, records)
	if err != nil {
		return err
	}
	place := make(map[string]int, len(records))
	for i, rec := range records {
		has := func(text string) bool {
			return slices.ContainsFunc(tokens, func(token string) bool { return strings.Contains(text, token) })
		}
		if !has(rec.Title) && !slices.ContainsFunc(answers[i], func(p *index.Passage) bool { return has(p.Text) }) {
			place[rec.ID] = 1
		}
	}
	slices.SortStableFunc(records, func(a, b find.Record) int { return place[a.ID] - place[b.ID] })
	return nil
}

// superseded finds the words by which a summary says that another version came after.
var superseded = regexp.MustCompile(`(?i)superseded (by|it)\b`)

// successorsFirst moves entries that say that another superseded them behind the others of their publisher, unless the
// query names their number.
func (r *resources) successorsFirst(records []find.Record, query string) {
	for i := 0; i < len(records); i++ {
		old, ok := r.catalog.Entry(records[i].ID)
		if !ok || !superseded.MatchString(old.Summary) || namesNumber(query, old) {
			continue
		}
		for j := len(records) - 1; j > i; j-- {
			if e, ok := r.catalog.Entry(records[j].ID); ok && e.Publisher == old.Publisher && e.Category == old.Category {
				moved := records[i]
				copy(records[i:j], records[i+1:j+1])
				records[j] = moved
				break
			}
		}
	}
}

// namesNumber reports whether a query has a number of the title of an entry.
func namesNumber(query string, e *catalog.Entry) bool {
	words := strings.Fields(strings.ToLower(query))
	return slices.ContainsFunc(strings.Fields(strings.ToLower(e.Title)), func(word string) bool {
		return strings.ContainsAny(word, "0123456789") && slices.Contains(words, word)
	})
}
