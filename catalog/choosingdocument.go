package catalog

const chooserDescription = "Which payment protocols fit what somebody needs: for each answer to each question how every protocol stands to it, with the value it is judged by and its source. " +
	"Unknown means that the sources do not say; it is never a no."

// A ChooserDocument is the questions of the chooser with how every protocol stands to every answer.
type ChooserDocument struct {
	Envelope
	Schema      string             `json:"$schema"`
	Description string             `json:"description"`
	Count       int                `json:"count"`
	Questions   []AnsweredQuestion `json:"questions"`
}

// An AnsweredQuestion is a question of the chooser with its answers.
type AnsweredQuestion struct {
	ID      string         `json:"id"`
	Text    string         `json:"text"`
	Field   string         `json:"field"` // of the profiles, by which the answers are judged
	Answers []JudgedAnswer `json:"answers"`
}

// A JudgedAnswer is an answer with how every protocol stands to it.
type JudgedAnswer struct {
	ID        string           `json:"id"`
	Text      string           `json:"text"`
	Protocols []JudgedProtocol `json:"protocols"`
}

// A JudgedProtocol is how a protocol stands to an answer, and why. Reason, source and day are null when the sources do not say.
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
	doc := &ChooserDocument{Envelope: c.envelope(c.ProfilesDay()), Schema: c.Site().URL(SchemaPath("protocol-chooser")), Description: chooserDescription, Count: len(ChoiceQuestions)}
	for _, q := range ChoiceQuestions {
		answered := AnsweredQuestion{ID: q.ID, Text: q.Text, Field: q.Field}
		fields := make([]ProfileField, len(c.profiles))
		for i, p := range c.profiles {
			fields[i] = p.Field(q.Field)
		}
		for _, a := range q.Answers {
			judged := JudgedAnswer{ID: a.ID, Text: a.Text, Protocols: []JudgedProtocol{}}
			for i, p := range c.profiles {
				judged.Protocols = append(judged.Protocols, judge(p, fields[i], a))
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
