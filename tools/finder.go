package tools

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/index/text"
	"almanac/nearest"
)

// A finder finds records by what they are called: ids, titles, tags, publishers, hosts, the names of
// their sections, the first sentence of their summaries, and the curated questions that they
// answer. It is for finding one's way, and is free; texts and passages are what the paid search is
// for.
type finder struct {
	analyzer *text.Analyzer
	records  []findable
	postings map[string][]posting // by term
	terms    []string             // of postings, sorted
	spelling *nearest.Vocabulary  // of terms
}

// A findable is a record as search returns it.
type findable struct {
	id, kind, title, line, url string
}

// A posting is a record that has a term, in one of the places where it is looked for.
type posting struct {
	record int32
	place  place
	words  uint8 // of the text there: a short name says more with a word than a long one
}

// A place is where a record has a term.
type place uint8

const (
	inID place = iota
	inTitle
	inTag
	inPublisher
	inHost
	inQuestion
	inLine
	inSection
)

// places have the names that answers use and the weights that the ranking uses.
var places = [...]struct {
	name   string
	weight float64
}{{"id", 2.5}, {"title", 3}, {"tag", 2}, {"publisher", 1.5}, {"host", 1.5}, {"question", 1.5}, {"line", 0.7}, {"section", 0.7}}

func newFinder(r *resources) (*finder, error) {
	analyzer, err := text.NewAnalyzer()
	if err != nil {
		return nil, fmt.Errorf("analyze names: %w", err)
	}
	f := &finder{analyzer: analyzer, postings: make(map[string][]posting)}
	f.addEntries(r.data)
	f.addTexts(r)
	f.addLists(r.data)
	for term := range f.postings {
		f.terms = append(f.terms, term)
	}
	slices.Sort(f.terms)
	f.spelling = nearest.NewVocabulary(f.terms)
	return f, nil
}

// add adds a record with the texts in which it is looked for.
func (f *finder) add(c *catalog.Catalog, rec findable, texts map[place][]string) {
	n := int32(len(f.records))
	f.records = append(f.records, rec)
	texts[inLine] = []string{rec.line}
	texts[inQuestion] = c.Questions(rec.id)
	for p, list := range texts {
		for _, s := range list {
			words := f.analyzer.Words(nil, s)
			for _, t := range f.analyzer.Terms(nil, words, s) {
				f.postings[t.Text] = append(f.postings[t.Text], posting{n, p, uint8(min(len(words), 255))})
			}
		}
	}
}

func (f *finder) addEntries(d *data) {
	for _, it := range d.entries.all {
		f.add(d.catalog, findable{it.ID, "entry", it.Title, firstSentence(it.Summary), it.URL}, map[place][]string{
			inID: {it.ID}, inTitle: {it.Title}, inTag: it.Tags, inPublisher: append([]string{it.Publisher}, it.Authors...), inHost: {hostOf(it.URL)},
		})
	}
}

// addTexts adds protocols, articles and datasets, whose sections have names.
func (f *finder) addTexts(r *resources) {
	c := r.catalog
	for _, p := range c.Protocols().Protocols {
		line := "Checked facts about " + p.Name + "."
		for _, fact := range p.Facts() {
			if s, ok := fact.Value.(string); ok && fact.Name == "payment_rail" {
				line = firstSentence(s)
			}
		}
		id := "protocol:" + p.ID
		f.add(c, findable{id, "protocol", p.Name, line, c.Site().URL(catalog.ProtocolPath(p.ID))},
			map[place][]string{inID: {p.ID}, inTitle: {p.Name, "protocol"}, inSection: r.sectionNames(id)})
	}
	for _, a := range c.Articles() {
		id := "article:" + a.ID
		f.add(c, findable{id, "article", a.Title, firstSentence(a.Summary), c.Site().URL(catalog.ArticlePath(a.ID))},
			map[place][]string{inID: {a.ID}, inTitle: {a.Title}, inTag: append(slices.Clone(a.Tags), a.Protocols...), inSection: r.sectionNames(id)})
	}
	for _, ds := range c.Datasets() {
		id := "dataset:" + ds.ID
		sections := r.sectionNames(id)
		for _, column := range ds.Columns {
			sections = append(sections, column.Name)
		}
		f.add(c, findable{id, "dataset", ds.Title, firstSentence(ds.Summary), c.Site().URL(catalog.DatasetPath(ds.ID))},
			map[place][]string{inID: {ds.ID}, inTitle: {ds.Title, "dataset"}, inTag: ds.Keywords, inSection: sections})
	}
}

// addLists adds categories, tags and the single documents.
func (f *finder) addLists(d *data) {
	c := d.catalog
	for _, k := range c.Categories() {
		f.add(c, findable{"category:" + k.ID, "category", k.Label, countOf(k.Count, "library entry", "library entries") + "; list_entries lists them.", c.Site().URL(catalog.CategoryPath(k.ID))},
			map[place][]string{inID: {k.ID}, inTitle: {k.Label}})
	}
	for _, tag := range c.Tags() {
		n := len(d.entries.byTag[tag.ID])
		f.add(c, findable{"tag:" + tag.ID, "tag", "Tag " + tag.ID, countOf(n, "library entry", "library entries") + "; list_entries with this tag lists them.", c.Site().URL(catalog.TagPath(tag.ID))},
			map[place][]string{inID: {tag.ID}, inTitle: {tag.ID}})
	}
	f.add(c, findable{"trust", "trust", "Trust checklist", "What this service promises, each promise with a test, and its error codes.", c.Site().URL(catalog.TrustPath)},
		map[place][]string{inID: {"trust"}, inTitle: {"trust checklist", "promises", "error codes"}})
	f.add(c, findable{"support", "support", "Support document", "Voluntary ways to tip this service.", c.Site().URL(catalog.SupportPath)},
		map[place][]string{inID: {"support"}, inTitle: {"support document", "tip", "donate"}})
}

// sectionNames returns the names of a record's sections as words.
func (r *resources) sectionNames(id string) (names []string) {
	rec, err := r.locate(id)
	if err != nil {
		return nil
	}
	for _, s := range sectionsOf(string(rec.body)) {
		names = append(names, strings.NewReplacer("-", " ", "_", " ").Replace(s.name))
	}
	return names
}

// hostOf returns the host of an address with the first part of its path, which names the owner
// where a host has many.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	owner, _, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	return strings.TrimPrefix(u.Hostname(), "www.") + "/" + owner
}

// A finding is a record that was found, with the reasons.
type finding struct {
	*findable
	words   int // of the query that it has
	score   float64
	matched []string // such as "lightning in title"
}

const (
	maxFound     = 8
	maxWords     = 16 // of a query
	prefixFactor = 0.6
	maxPrefix    = 50 // terms that a word begins
)

// isPronoun has words of questions that stand for what is asked about.
var isPronoun = map[string]bool{"anything": true, "everything": true, "nothing": true, "anyone": true, "everyone": true, "stuff": true}

// find returns the best records for a query, and the words that were read as others.
func (f *finder) find(query string) (best []finding, readAs []string) {
	words := f.analyzer.Words(nil, query)
	words = words[:min(len(words), maxWords)]
	hits := make(map[int32]*finding)
	for _, w := range words {
		if w.Stop || f.analyzer.IsFiller(w) || isPronoun[w.Text] {
			continue
		}
		scores := f.match(query, words, w)
		if len(scores) == 0 {
			other := f.read(w)
			if other == "" {
				continue
			}
			readAs = append(readAs, w.Text+" as "+other)
			f.addTerm(scores, other, prefixFactor)
		}
		for n, s := range scores {
			h := hits[n]
			if h == nil {
				h = &finding{findable: &f.records[n]}
				hits[n] = h
			}
			h.words++
			h.score += s.score
			h.matched = append(h.matched, w.Text+" in "+places[s.place].name)
		}
	}
	for _, h := range hits {
		best = append(best, *h)
	}
	slices.SortFunc(best, func(a, b finding) int {
		return cmp.Or(cmp.Compare(b.words, a.words), cmp.Compare(b.score, a.score), strings.Compare(a.id, b.id))
	})
	return best[:min(maxFound, len(best))], readAs
}

// A match is how well a record has a word, and where best.
type match struct {
	score float64
	place place
}

// match returns the records that have a word of a query: as it is, in a name that it is part of, or
// by another spelling of the lexicon; or else as the beginning of a longer word.
func (f *finder) match(query string, words []text.Word, w text.Word) map[int32]match {
	scores := make(map[int32]match)
	for _, t := range f.analyzer.Terms(nil, words, query) {
		if words[t.First].Start > w.Start || words[t.Last].Start < w.Start {
			continue
		}
		for _, v := range t.AppendVariants(nil) {
			f.addTerm(scores, v.Term, float64(v.Weight))
		}
	}
	if len(scores) > 0 || len(w.Stem) < 3 {
		return scores
	}
	from, _ := slices.BinarySearch(f.terms, w.Stem)
	for _, term := range f.terms[from:min(from+maxPrefix, len(f.terms))] {
		if !strings.HasPrefix(term, w.Stem) {
			break
		}
		f.addTerm(scores, term, prefixFactor)
	}
	return scores
}

// addTerm adds the records that have a term, each with its best place.
func (f *finder) addTerm(scores map[int32]match, term string, weight float64) {
	list := f.postings[term]
	rarity := math.Log1p(float64(len(f.records)) / float64(len(list)+1))
	for _, p := range list {
		s := match{weight * rarity * places[p.place].weight * (1 + 1/float64(p.words)), p.place}
		if s.score > scores[p.record].score {
			scores[p.record] = s
		}
	}
}

// read returns the term that a word which is found nowhere may be a misspelling of, or "".
func (f *finder) read(w text.Word) string {
	if len(w.Stem) < 4 || f.analyzer.IsCorrect(w.Text) {
		return ""
	}
	if near := f.spelling.Words(w.Stem, 1); len(near) > 0 && len(near[0])+1 >= len(w.Stem) && f.analyzer.MayMean(w.Text, near[0]) {
		return near[0]
	}
	return ""
}
