package catalog

// A BotDocument is the document of a program of this service that visits other sites.
type BotDocument struct {
	Envelope
	Schema    string `json:"$schema"`
	UserAgent string `json:"user_agent"`
	Checked   int    `json:"checked"` // entries whose link it has observed
	LinksURL  string `json:"links_url"`
	Bot       *Bot   `json:"bot"`
}

// BotDocument returns the document of the link checker.
func (c *Catalog) BotDocument() *BotDocument {
	b := c.LinkChecker()
	doc := &BotDocument{
		Envelope: c.envelope(c.BotDay()), Schema: c.Site().URL(SchemaPath("bot")),
		UserAgent: b.UserAgent(c.Site()), LinksURL: c.Site().URL(LinksJSONPath), Bot: b,
	}
	for _, e := range c.entries {
		if e.HTTPStatus != 0 {
			doc.Checked++
		}
	}
	return doc
}
