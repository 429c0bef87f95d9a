package index

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/index/find"
	"go.almanac.example/index/text"
	"go.almanac.example/internal/nearest"
)

// Find returns the records of the best names for a query: titles, ids, tags, publishers, hosts, titles of passages and
// curated questions. It reads the index that Search reads, without its texts, and scores in the same way. Only records
// that keep accepts are found; nil accepts all. At most so many are returned, and all are counted. If a query has
// words that no record has together with the others, the others find records. Errors are *problem.Problem: timeout,
// overloaded or internal.
func (x *Index) Find(ctx context.Context, query string, keep func(*find.Record) bool, most int) (*find.Results, error) {
	r, err := x.find(ctx, query, keep, most)
	if err != nil || r.Total > 0 || r.Unknown == nil {
		return r, err
	}
	unknown, protocols := r.Unknown, r.Protocols
	others := slices.DeleteFunc(strings.Fields(query), func(field string) bool {
		return slices.ContainsFunc(unknown, func(w string) bool { return strings.Contains(strings.ToLower(field), strings.ToLower(w)) })
	})
	if r, err = x.find(ctx, strings.Join(others, " "), keep, most); err == nil {
		r.Unknown = unknown
		if r.Total == 0 {
			r.Protocols = protocols
		}
	}
	return r, err
}

// find is Find for all words of a query together.
func (x *Index) find(ctx context.Context, query string, keep func(*find.Record) bool, most int) (*find.Results, error) {
	ctx, end, err := x.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	f, p := x.free, &parsed{text: query, rest: query, sort: SortRelevance}
	pl, err := f.plan(ctx, p)
	if err != nil {
		return nil, asProblem(err)
	}
	if len(pl.pinned) == 0 && len(pl.words) == 1 && len(pl.clauses) > 0 {
		if pl.pinned = f.documentsNamed(pl.words[0]); len(pl.pinned) == 0 { // of "what is NAME", the record of that name
			pl.pinned = f.pagesNamed(pl.clauses[0].variants)
		}
	}
	s := x.scratch.Get().(*scratch)
	defer x.scratch.Put(s)
	s.reset(min(most, find.MaxMore))
	s.addUp(f, pl, true)
	if err := ctx.Err(); err != nil {
		return nil, asProblem(err)
	}
	r, first := new(find.Results), topK{k: 1}
	for _, doc := range pl.named {
		r.Protocols = append(r.Protocols, f.records[doc].slug())
	}
	for _, h := range f.passing(s.found, p, pl) {
		if keep != nil && !keep(&f.records[h.doc].Record) {
			continue
		}
		first.offer(h)
		identified := slices.ContainsFunc(pl.exact, func(passage uint32) bool { return x.documents.of[passage] == h.doc })
		if identified || slices.Contains(pl.each, h.doc) || pl.share(h.words, 0, pl.allWords) >= leastNamed {
			s.top.offer(h)
			r.Total++
		}
	}
	if r.Total == 0 {
		r.Unknown = pl.missing(first.list)
		return r, nil
	}
	for i := range pl.clauses {
		if c := &pl.clauses[i]; c.as != "" && !strings.HasSuffix(c.as, "…") {
			r.ReadAs = append(r.ReadAs, strings.ToLower(c.term)+" as "+c.as)
		}
	}
	for _, h := range s.top.list {
		r.Records = append(r.Records, f.records[h.doc].Record)
	}
	return r, nil
}

// An Answered is a record with the passages that answer a query best, those that Search shows of it: none of a page of the
// site, nor of a record of which no passage has a word of the query.
type Answered struct {
	find.Record
	Passages []*Passage
}

// showFact makes the line of a protocol that of the fact which answers.
func (a *Answered) showFact() {
	if len(a.Passages) == 0 {
		return
	}
	p := a.Passages[0]
	if anchor, ok := strings.CutPrefix(p.URL, a.URL); ok && p.Kind == PassageFact && anchor != "" {
		a.Line, a.Path = find.Cut(p.Title+": "+strings.TrimPrefix(p.Text, p.lead), find.MaxLine), a.Path+anchor
	}
}

// leastAnswer is the share of the score of the best passage of a record that others need to be shown beside it.
const leastAnswer = 0.5

// Answers returns records in the order in which Search has them for a query, with their passages. A page of the site keeps
// its place. Errors are those of Find.
func (x *Index) Answers(ctx context.Context, query string, records []find.Record) (answered []Answered, err error) {
	p := &parsed{text: query, rest: query, sort: SortRelevance, limit: len(records), among: make(docSet, len(x.records))}
	place := make(map[uint32]int) // by document, in records
	var pages []int
	for i, r := range records {
		docs := x.searched(x.named[normalName(r.ID)])
		at := slices.IndexFunc(docs, func(doc uint32) bool { return x.records[doc].ID == r.ID })
		if at < 0 {
			pages = append(pages, i)
			continue
		}
		place[docs[at]], p.among[docs[at]] = i, true
	}
	err = x.ranked(ctx, p, func(s *scratch, pl *plan) {
		x.rankPassages(s, p, pl, s.top.list)
		for _, f := range s.top.list {
			a := Answered{Record: records[place[f.doc]]}
			var best [maxPassages]passageScore
			for _, shown := range best[:x.bestPassages(s, pl, f.doc, true, &best)] {
				if shown.score > best[0].score*leastAnswer {
					a.Passages = append(a.Passages, &x.records[f.doc].passages[shown.passage-x.documents.first[f.doc]])
				}
			}
			a.showFact()
			answered = append(answered, a)
			delete(place, f.doc)
		}
	})
	for _, i := range slices.Sorted(maps.Values(place)) {
		answered = append(answered, Answered{Record: records[i]})
	}
	for _, i := range pages {
		answered = slices.Insert(answered, i, Answered{Record: records[i]})
	}
	return answered, err
}

// pagesNamed returns the categories, tags and other pages whose id is one of the variants of a word.
func (x *Index) pagesNamed(variants []text.Variant) (docs []uint32) {
	for doc := len(x.records) - 1; doc >= 0 && x.records[doc].isPage(); doc-- {
		stem := x.analyzer.Stem(x.records[doc].slug())
		if slices.ContainsFunc(variants, func(v text.Variant) bool { return v.Term == stem }) {
			docs = append(docs, uint32(doc))
		}
	}
	return docs
}

// maxNames bounds the records of a document that pages load.
const maxNames = 5000

// Names returns the records of the free search as a document: the pages of the site, then the records, newest first.
func (x *Index) Names() find.Document {
	sorted := slices.Concat(x.records[x.count:], x.records[:x.count])
	doc := find.Document{SchemaVersion: catalog.SchemaVersion, GeneratedAt: x.generatedAt, Complete: len(sorted) <= maxNames}
	for _, r := range sorted[:min(len(sorted), maxNames)] {
		doc.Records = append(doc.Records, r.Record)
	}
	doc.Count = len(doc.Records)
	return doc
}

const (
	maxNear    = 3   // records that an address may have meant
	maxAddress = 200 // bytes of an address that anything is near to
)

// FindNear returns the records whose pages somebody who wrote another address may have meant: those with nearly its
// last name, in the same section first, and then those that are found by its words.
func (x *Index) FindNear(ctx context.Context, address string) (near []find.Record) {
	if len(address) > maxAddress {
		return nil
	}
	address = strings.ToLower(strings.TrimRight(strings.TrimSuffix(address, "/index.html"), "/"))
	section, name := path.Split(address)
	name = strings.TrimSuffix(name, path.Ext(name))
	add := func(rec find.Record) {
		if len(near) < maxNear && !slices.ContainsFunc(near, func(n find.Record) bool { return n.ID == rec.ID }) {
			near = append(near, rec)
		}
	}
	slugs := catalog.Convert(x.records, func(r record) string { return r.slug() })
	for _, slug := range slices.Compact(nearest.Words(name, slugs, len(slugs))) {
		for _, inSection := range []bool{true, false} {
			for _, doc := range x.named[slug] {
				if rec := x.records[doc].Record; strings.HasPrefix(rec.Path, section) == inSection {
					add(rec)
				}
			}
		}
		if len(near) == maxNear {
			return near
		}
	}
	if r, err := x.Find(ctx, strings.NewReplacer("-", " ", "_", " ", ".", " ").Replace(name), nil, find.MaxFound); err == nil {
		for _, rec := range r.Records {
			add(rec)
		}
	}
	return near
}

// slug returns the id of the record without its kind.
func (r *record) slug() string { return r.ID[strings.IndexByte(r.ID, ':')+1:] }
