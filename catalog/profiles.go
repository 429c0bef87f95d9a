package catalog

import "slices"

// Profiles returns the profiles of the protocols: those of the facts document in their order, then the others by id.
func (c *Catalog) Profiles() []*Profile { return c.profiles }

// Profile returns the profile of a protocol.
func (c *Catalog) Profile(id string) (*Profile, bool) {
	return find(c.profiles, func(p *Profile) bool { return p.ID == id })
}

// Flow returns the flow of a protocol.
func (c *Catalog) Flow(id string) (*Flow, bool) {
	f, ok := c.flows[id]
	return f, ok
}

// FlowIDs returns the protocols that have a flow, in the order of their pages.
func (c *Catalog) FlowIDs() []string {
	return slices.DeleteFunc(c.ProtocolPageIDs(), func(id string) bool { return c.flows[id] == nil })
}

// ProtocolPageIDs returns the protocols that have a page: those of the facts document, then those that only have a profile or a
// flow.
func (c *Catalog) ProtocolPageIDs() []string {
	var ids []string
	for _, p := range c.protocols {
		ids = append(ids, p.ID)
	}
	for _, p := range c.profiles {
		if !slices.Contains(ids, p.ID) {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// ProtocolName returns the name of a protocol that has a page.
func (c *Catalog) ProtocolName(id string) string {
	if p, ok := c.Protocol(id); ok {
		return p.Name
	}
	if p, ok := c.Profile(id); ok {
		return p.Name
	}
	return id
}

// Disagreements returns what the sources about a protocol contradict each other in.
func (c *Catalog) Disagreements(id string) []Disagreement {
	var list []Disagreement
	for _, p := range c.profiles {
		for _, d := range p.Disagreements {
			if slices.Contains(d.Protocols, id) {
				list = append(list, d)
			}
		}
	}
	return list
}
