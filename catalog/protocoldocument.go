package catalog

const protocolsDescription = "Facts about payment protocols that machines use, each read at the source it names on the day it names. " +
	"A fact that is null is not stated by the cited pages."

// A ProtocolList is the protocol facts document.
type ProtocolList struct {
	Envelope
	Description string      `json:"description"`
	MarkdownURL string      `json:"markdown_url"`
	Count       int         `json:"count"`
	Protocols   []*Protocol `json:"protocols"`
}

// Protocols returns the protocol facts document.
func (c *Catalog) Protocols() *ProtocolList {
	return &ProtocolList{
		Envelope: c.envelope(c.ProtocolsDay()), Description: protocolsDescription, MarkdownURL: c.Site().URL(ProtocolsMarkdownPath),
		Count: len(c.protocols), Protocols: c.protocols,
	}
}

// A ProtocolDocument is the document of one protocol. What there is not of it is null: only the nine of the facts document have
// facts.
type ProtocolDocument struct {
	Envelope
	Schema   string    `json:"$schema"`
	Protocol *Protocol `json:"protocol"`
	Profile  *Profile  `json:"profile"`
	Flow     *Flow     `json:"flow"`
}

// ProtocolDocument returns the document of one protocol.
func (c *Catalog) ProtocolDocument(id string) *ProtocolDocument {
	doc := &ProtocolDocument{Envelope: c.envelope(c.ProtocolPageDay(id)), Schema: c.Site().URL(SchemaPath("protocol"))}
	doc.Protocol, _ = c.Protocol(id)
	doc.Profile, _ = c.Profile(id)
	doc.Flow, _ = c.Flow(id)
	return doc
}
