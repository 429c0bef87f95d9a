package index

import (
	"math/bits"
	"slices"

	"go.almanac.example/index/postings"
)

// The share of a query that an answer has, by rarity: the words that carry a question stand together where it is
// answered.
const (
	leastCoverage = 0.48 // of an answer
	leastCarried  = 0.2  // of the words that do not name the record, if they are several: these carry the question
	leastNamed    = 0.4  // of a record: of the free search, which knows the names alone, and of a library without questions
	textShare     = 0.8  // of a word that only the text of a passage has
	strayShare    = 0.5  // of such a word where no name and no question has any
	fullQuestion  = 8    // words: a longer query tells of its case too, so a share of it is a share of as many
)

// naming are the fields of a document as a whole.
const naming = 1<<postings.Title | 1<<postings.Labels | 1<<postings.Class | 1<<postings.People

// isAnswered reports whether one of the first documents covers enough of a query.
func (x *Index) isAnswered(s *scratch, list []found, pl *plan) bool {
	least := float32(leastCoverage)
	if len(x.asked.length) == 0 {
		least = leastNamed
	}
	return slices.ContainsFunc(list[:min(len(list), 3)], func(f found) bool { return x.coverage(s, f, pl) >= least })
}

// coverage returns the share of the query that one passage of a document has, with the names of the document and the
// question of the passage; all of one with an identifier of the passage. Without questions it is the share of the document.
func (x *Index) coverage(s *scratch, f found, pl *plan) float32 {
	if len(x.asked.length) == 0 {
		return pl.share(f.words, 0, pl.allWords)
	}
	named := wordSet(0)
	if slices.Contains(pl.pinned, f.doc) || slices.Contains(pl.called, f.doc) || pl.onlyExact {
		named = f.words
	}
	for i := range pl.clauses {
		if c := &pl.clauses[i]; c.fieldsOf(f.doc)&naming != 0 {
			named |= c.words
		}
	}
	best := float32(0)
	for passage := x.documents.first[f.doc]; passage < x.documents.first[f.doc+1]; passage++ {
		if x.isSilent(s, pl, f.doc, passage-x.documents.first[f.doc]) {
			continue
		}
		if pl.coded && pl.numbered == nil && slices.Contains(pl.exact, passage) {
			return 1
		}
		has, inText := named, s.has[passage]
		if pl.topics&x.documents.topics[passage] != 0 {
			inText |= pl.asking
		}
		for words := x.asked.words(&s.asking, passage); words != 0; words &= words - 1 {
			has |= pl.bits[bits.TrailingZeros64(words)]
		}
		others := pl.allWords &^ named
		if bits.OnesCount32(uint32(others)) < 2 || pl.share(has|inText, 0, others) >= leastCarried {
			best = max(best, pl.share(has, inText, pl.allWords))
		}
	}
	return best
}

// share returns the share of words of the query, or of as many as a full question has, by rarity, of those that a document
// has, and of those that only a text has. Without words it is all.
func (pl *plan) share(has, inText, of wordSet) float32 {
	sum, all, n := float32(0), float32(0), float32(0)
	for i, r := range pl.rarities {
		bit := wordSet(1) << i
		if of&bit == 0 {
			continue
		}
		all, n = all+r, n+1
		switch {
		case (has|inText)&bit == 0:
		case has == 0:
			sum += r * strayShare
		case has&bit == 0:
			sum += r * textShare
		default:
			sum += r
		}
	}
	if all == 0 {
		return 1
	}
	if n > fullQuestion {
		all *= fullQuestion / n
	}
	return sum / all
}

// missing returns the words of the query that the best of the documents found does not have. Where there is none for a
// name that no document has, these are that name and whatever else no document has.
func (pl *plan) missing(list []found) []string {
	has := wordSet(0)
	switch {
	case len(list) > 0:
		has = list[0].words
	case len(pl.strange) == 0: // all words
	case pl.names:
		return pl.strange
	default:
		for i := range pl.clauses {
			has |= pl.clauses[i].words
		}
	}
	var words []string
	for i, w := range pl.words {
		if has>>i&1 == 0 {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return pl.strange
	}
	return words
}
