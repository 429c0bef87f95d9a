package catalog

import "slices"

// A ChoiceQuestion asks for a need of a payment protocol. Its answers are judged by one field of the profiles.
type ChoiceQuestion struct {
	ID      string         `json:"id"`
	Text    string         `json:"text"`
	Field   string         `json:"field"` // of the profiles
	Answers []ChoiceAnswer `json:"answers"`
}

// A ChoiceAnswer says which classes of the field fit, and of which it depends on more than the field.
type ChoiceAnswer struct {
	ID       string   `json:"id"`
	Text     string   `json:"text"`
	Question string   `json:"question"` // of one protocol, to which "yes" means that it fits
	Brief    string   `json:"brief"`    // the question as a column of the comparison; "": it has none
	Want     string   `json:"want"`     // the need, after "if", where there is a column
	Fits     []string `json:"fits"`
	Depends  []string `json:"depends"`
}

// A Verdict says whether a protocol fits an answer.
type Verdict string

// The verdicts. Unknown means that the sources are silent; it is never a no.
const (
	Fits       Verdict = "fits"
	Depends    Verdict = "depends"
	DoesNotFit Verdict = "does-not-fit"
	Unknown    Verdict = "unknown"
)

// Verdicts are the verdicts from the best to the one that says nothing.
var Verdicts = []Verdict{Fits, Depends, DoesNotFit, Unknown}

// ChoiceQuestions are the questions of the chooser, with all its rules.
var ChoiceQuestions = written[[]ChoiceQuestion]("choices.json")

// Judge returns the verdict on a protocol by the field that the question is about.
func (a ChoiceAnswer) Judge(f ProfileField) Verdict {
	has := func(classes []string) bool {
		return slices.ContainsFunc(f.Classes, func(c string) bool { return slices.Contains(classes, c) })
	}
	switch {
	case f.Value == nil:
		return Unknown
	case has(a.Fits):
		return Fits
	case has(a.Depends):
		return Depends
	}
	return DoesNotFit
}

const chooserDescription = "Which payment protocols match your needs: for each answer to each question the verdict on every protocol, with the value it rests on and its source. " +
	"Unknown means that the sources are silent. It does not mean no."

// A ChooserDocument is the questions of the chooser with the verdict on every protocol for every answer.
type ChooserDocument struct {
	Head
	Description string             `json:"description"`
	Count       int                `json:"count"`
	Questions   []AnsweredQuestion `json:"questions"`
}

// An AnsweredQuestion is a question of the chooser with its answers.
type AnsweredQuestion struct {
	ChoiceQuestion
	Answers []JudgedAnswer `json:"answers"`
}

// A JudgedAnswer is an answer with the verdict on every protocol.
type JudgedAnswer struct {
	ChoiceAnswer `json:"-"`
	ID           string           `json:"id"`
	Text         string           `json:"text"`
	Protocols    []JudgedProtocol `json:"protocols"`
}

// A JudgedProtocol is the verdict on a protocol with its reason. Reason, source and day are null when the sources do
// not say.
type JudgedProtocol struct {
	ID         string  `json:"id"`
	Name       string  `json:"name"`
	Verdict    Verdict `json:"verdict"`
	Reason     *string `json:"reason"`
	Source     *string `json:"source"`
	VerifiedAt *Date   `json:"verified_at"`
}

// Chooser returns the document of the chooser.
func (c *Catalog) Chooser() *ChooserDocument {
	doc := &ChooserDocument{Head: c.head("protocol-chooser", c.ProfilesDay()), Description: chooserDescription, Count: len(ChoiceQuestions)}
	for _, q := range ChoiceQuestions {
		answered := AnsweredQuestion{ChoiceQuestion: q}
		for _, a := range q.Answers {
			judged := JudgedAnswer{ChoiceAnswer: a, ID: a.ID, Text: a.Text, Protocols: []JudgedProtocol{}}
			for _, p := range c.records.Profiles {
				judged.Protocols = append(judged.Protocols, judge(p, p.Field(q.Field), a))
			}
			answered.Answers = append(answered.Answers, judged)
		}
		doc.Questions = append(doc.Questions, answered)
	}
	return doc
}

func judge(p *Profile, f ProfileField, a ChoiceAnswer) JudgedProtocol {
	j := JudgedProtocol{ID: p.ID, Name: p.Name, Verdict: a.Judge(f)}
	if f.Value != nil {
		text := f.Text()
		j.Reason, j.Source, j.VerifiedAt = &text, &f.Source, &f.VerifiedAt
	}
	return j
}
