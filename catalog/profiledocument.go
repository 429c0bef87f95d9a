package catalog

const choicesDescription = "What one needs to know about a payment protocol to choose it, each value with its source, a quote and the day on which it was read. " +
	"A value that is null is one on which the sources do not say anything, and never a no."

// A ChoiceDocument is the document of all profiles.
type ChoiceDocument struct {
	Envelope
	Schema      string     `json:"$schema"`
	Description string     `json:"description"`
	Count       int        `json:"count"`
	Protocols   []*Profile `json:"protocols"`
}

// Choices returns the document of all profiles.
func (c *Catalog) Choices() *ChoiceDocument {
	list := c.profiles
	if list == nil {
		list = []*Profile{}
	}
	return &ChoiceDocument{c.envelope(c.ProfilesDay()), c.Site().URL(SchemaPath("protocol-choices")), choicesDescription, len(list), list}
}
