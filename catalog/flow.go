package catalog

// A Flow is the messages of one payment with a protocol, in their order.
type Flow struct {
	ID    string     `json:"id"` // of the protocol
	Title string     `json:"title"`
	Steps []FlowStep `json:"steps"`
}

// A FlowStep is a message from one actor to another, or what one actor does by itself.
type FlowStep struct {
	From       string  `json:"from"` // one of FlowActors
	To         string  `json:"to"`
	Label      string  `json:"label"` // with header and member names as they are on the wire
	Note       *string `json:"note"`
	Source     string  `json:"source"`
	Quote      string  `json:"quote"`
	Read       string  `json:"read"`
	VerifiedAt Date    `json:"verified_at"`
}

// FlowActors are those who take part in a flow.
var FlowActors = []string{"agent", "chain", "facilitator", "merchant", "node", "payment provider", "relay", "server", "user", "wallet"}

// Actors returns the actors of the flow, each once, in the order in which they take part.
func (f *Flow) Actors() []string {
	var list []string
	seen := make(map[string]bool)
	for _, s := range f.Steps {
		for _, a := range []string{s.From, s.To} {
			if !seen[a] {
				seen[a] = true
				list = append(list, a)
			}
		}
	}
	return list
}

// Between returns who sends the message to whom.
func (s FlowStep) Between() string {
	if s.From == s.To {
		return s.From
	}
	return s.From + " to " + s.To
}

// VerifiedAt returns the newest date on which a step was verified.
func (f *Flow) VerifiedAt() (newest Date) {
	for _, s := range f.Steps {
		newest = max(newest, s.VerifiedAt)
	}
	return newest
}
