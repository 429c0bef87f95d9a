package catalog

// A ProtocolDocument is the document of one protocol.
type ProtocolDocument struct {
	Envelope
	Schema   string    `json:"$schema"`
	Protocol *Protocol `json:"protocol"`
}

// ProtocolDocument returns the document of one protocol.
func (c *Catalog) ProtocolDocument(p *Protocol) *ProtocolDocument {
	return &ProtocolDocument{c.envelope(), c.Site().URL(SchemaPath("protocol")), p}
}

// An ArticleDocument is the document of one article with its text.
type ArticleDocument struct {
	Envelope
	Schema  string      `json:"$schema"`
	Article ArticleItem `json:"article"`
	Body    string      `json:"body"` // Markdown with absolute links
}

// ArticleDocument returns the document of one article, whose text is body.
func (c *Catalog) ArticleDocument(a *Article, body string) *ArticleDocument {
	item := ArticleItem{a, c.Site().URL(ArticlePath(a.ID)), c.Site().URL(ArticleMarkdownPath(a.ID))}
	return &ArticleDocument{c.envelope(), c.Site().URL(SchemaPath("article")), item, body}
}

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
		Envelope: c.envelope(), Schema: c.Site().URL(SchemaPath("bot")),
		UserAgent: b.UserAgent(c.Site()), LinksURL: c.Site().URL(LinksJSONPath), Bot: b,
	}
	for _, e := range c.entries {
		if e.HTTPStatus != 0 {
			doc.Checked++
		}
	}
	return doc
}
