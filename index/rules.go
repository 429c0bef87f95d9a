package index

// A rule is a part of a score beside that of the words. Answers with explain=1 name the rules that they owe their places
// to, and TestRules prints what each gains and asks the question that needs it.
type rule int

// The rules of records, of passages, and of passages among those of one record, which are shown together.
const (
	allWords rule = iota
	namedRecord
	namedProtocol
	severalNamed
	curatedQuestion
	bestPassage

	identifierWritten
	passageQuestion
	keywords
	definitionAsked
	subjectAsked

	summaryFound
	nameFound
	coverageFound
	ruleCount
)

// rules have the names of the rules, a sentence for each, and the weights, of which 0 takes a rule out.
var rules = [ruleCount]struct {
	name, says string
	weight     float32
}{
	allWords:        {"all words", "a record has all words of the query", 7},
	namedRecord:     {"named record", "words of the query are the id of a record, or a curated question of it", 3},
	namedProtocol:   {"named protocol", "a record is about a protocol that the query names", 5},
	severalNamed:    {"several named", "the query names several protocols and a subject, of which the record has the fact: in the order named", 400},
	curatedQuestion: {"curated question", "the query is like a curated question of the record", 7},
	bestPassage:     {"best passage", "a part of the score of a record's best passage; of its own score if it has one passage", 0.75},

	identifierWritten: {"identifier", "a passage has an identifier of the query as it is written", 10},
	passageQuestion:   {"question", "the query is like the question that the passage answers", 20},
	keywords:          {"keywords", "words that are no question look for a record: the part of its best passage is smaller", -0.45},
	definitionAsked:   {"definition", "the passage defines the word asked for", 30},
	subjectAsked:      {"subject", "the passage is about the subject asked for: a part of its words' score, more for none", 0.5},

	summaryFound:  {"summary", "a summary tells the record, and no detail: its words count less", -0.4},
	nameFound:     {"name", "words that name the record tell its passages apart less", -0.3},
	coverageFound: {"coverage", "the share of the query that the passage has", 12},
}

// subjectAlone is the score that a passage about the subject asked for has beside that of its words.
const subjectAlone = 8

// parts are the parts of a score by rule, for who asks; nil: nobody does.
type parts [ruleCount]float32

// add notes a part of a score, of so many times the weight of a rule, and returns it.
func (p *parts) add(r rule, times float32) float32 {
	v := rules[r].weight * times
	if p != nil {
		p[r] += v
	}
	return v
}
