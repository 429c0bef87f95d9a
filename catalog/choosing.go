package catalog

import "slices"

// A ChoiceQuestion asks for a need of a payment protocol. Its answers are judged by one field of the profiles.
type ChoiceQuestion struct {
	ID      string         `json:"id"`
	Text    string         `json:"text"`
	Field   string         `json:"field"` // of the profiles
	Answers []ChoiceAnswer `json:"-"`
}

// A ChoiceAnswer says which classes of the field fit, and of which it depends on more than the field.
type ChoiceAnswer struct {
	ID       string   `json:"id"`
	Text     string   `json:"text"`
	Question string   `json:"-"` // of one protocol, to which "yes" means that it fits
	Brief    string   `json:"-"` // the question as a column of the comparison; "": it has none
	Fits     []string `json:"-"`
	Depends  []string `json:"-"`
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
var ChoiceQuestions = []ChoiceQuestion{
	{"pay-with", "What can the agent pay with?", "rail", []ChoiceAnswer{
		{"lightning", "A Lightning wallet", "Can it be paid over Lightning?", "Lightning",
			[]string{"lightning"}, []string{"several"}},
		{"bitcoin", "Bitcoin on chain", "Can it be paid on the Bitcoin chain?", "",
			[]string{"bitcoin"}, []string{"several"}},
		{"token", "A wallet for tokens on a blockchain", "Can it be paid in tokens such as stablecoins?", "Tokens",
			[]string{"token"}, []string{"several"}},
		{"card", "A card or a payment provider", "Can it be paid by card?", "Cards",
			[]string{"card"}, []string{"several", "billing"}},
		{"ecash", "Ecash", "Can it be paid in ecash?", "",
			[]string{"ecash"}, []string{"several"}},
		{"account", "A bank or wallet account", "Can it be paid from a bank or wallet account?", "",
			[]string{"account"}, []string{"several", "billing"}},
	}},
	{"asked", "When is the agent asked for money?", "quote_where", []ChoiceAnswer{
		{"request", "In the answer to each request", "Does each request name its price?", "Per request",
			[]string{"response"}, nil},
		{"checkout", "At a checkout, for a cart", "Does a checkout name the price?", "Checkout",
			[]string{"checkout"}, nil},
		{"beforehand", "By a link, a code or an invoice", "Does a link, code or invoice name the price?", "",
			[]string{"request"}, nil},
		{"message", "In messages between agents", "Do messages between agents name the price?", "",
			[]string{"message"}, nil},
	}},
	{"account", "Is an account acceptable?", "account_needed", []ChoiceAnswer{
		{"no", "No account", "Does it work without an account?", "No account",
			[]string{"no"}, []string{"depends"}},
	}},
	{"person", "Can a human step be required?", "human_in_loop", []ChoiceAnswer{
		{"never", "Never", "Does it work without a person?", "No person",
			[]string{"none"}, []string{"depends", "once"}},
		{"once", "Once, beforehand", "Is a person needed once at most?", "",
			[]string{"none", "once"}, []string{"depends"}},
	}},
	{"use", "What should one payment buy?", "credential_reuse", []ChoiceAnswer{
		{"many", "Several requests", "Does one payment cover several requests?", "Reusable",
			[]string{"many"}, []string{"permission"}},
		{"once", "One request or purchase", "Does one payment buy one request or purchase?", "",
			[]string{"once"}, nil},
	}},
	{"transport", "Which transport?", "transports", []ChoiceAnswer{
		{"http", "HTTP", "Does it run over HTTP?", "",
			[]string{"http"}, nil},
		{"grpc", "gRPC", "Does it run over gRPC?", "",
			[]string{"grpc"}, nil},
		{"mcp", "MCP", "Does it run over MCP?", "Over MCP",
			[]string{"mcp"}, nil},
		{"a2a", "A2A", "Does it run over A2A?", "",
			[]string{"a2a"}, nil},
		{"code", "A link or QR code", "Does it run by a link or QR code?", "",
			[]string{"uri", "qr-code"}, nil},
		{"nostr", "Nostr", "Does it run over Nostr?", "",
			[]string{"nostr"}, nil},
	}},
	{"repeat", "Do you need idempotent retries?", "idempotency", []ChoiceAnswer{
		{"yes", "Yes, by the protocol", "Is a retry safe from a second charge?", "Safe retry",
			[]string{"defined"}, []string{"optional"}},
	}},
	{"refund", "Do you need refunds?", "refund", []ChoiceAnswer{
		{"yes", "Yes, in the protocol", "Can it be refunded?", "Refund",
			[]string{"defined"}, []string{"partly"}},
	}},
	{"text", "How mature must the specification be?", "status", []ChoiceAnswer{
		{"published", "Published, neither draft nor beta", "Is the specification published, not a draft or beta?", "",
			[]string{"published"}, []string{"unstated"}},
	}},
}

// Choice returns the question and the answer with some ids.
func Choice(question, answer string) (ChoiceQuestion, ChoiceAnswer) {
	q, _ := find(ChoiceQuestions, func(q ChoiceQuestion) bool { return q.ID == question })
	a, _ := find(q.Answers, func(a ChoiceAnswer) bool { return a.ID == answer })
	return q, a
}

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
	ChoiceAnswer
	Protocols []JudgedProtocol `json:"protocols"`
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
			judged := JudgedAnswer{ChoiceAnswer: a, Protocols: []JudgedProtocol{}}
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
