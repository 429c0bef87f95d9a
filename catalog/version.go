package catalog

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// A VersionRecord has the facts of the earlier versions of a protocol. Those of its newest version are in Protocol.
type VersionRecord struct {
	Protocol string            `json:"protocol"`
	Versions []ProtocolVersion `json:"versions" form:"filled"` // oldest first
}

// A ProtocolVersion is an earlier version of a protocol. A null fact is one that nobody read for this version. The
// evidence of the protocol has its readings, under the names that Fields returns.
type ProtocolVersion struct {
	Version string  `json:"version" form:"version"` // as it is named in requests: "v1", "2025-09-29"
	Since   *Date   `json:"since"`                  // day of its publication; nil if not stated
	Until   *Date   `json:"until"`                  // day on which another version replaced it; nil if not stated
	Facts   FactSet `json:"facts"`
}

// versionMark separates the name of a fact from the version for which it held.
const versionMark = "@"

// Fields returns the facts that are stated for the version, its first and its last day, each under its name in the
// evidence: "http_headers@v1".
func (v *ProtocolVersion) Fields() []ProfileField {
	fields := v.StatedFacts()
	for _, d := range []struct {
		name, label string
		day         *Date
	}{{"since", "Since", v.Since}, {"until", "Until", v.Until}} {
		if d.day != nil && v.Facts.SpecURL != nil {
			fields = append(fields, ProfileField{FieldName: FieldName{Name: d.name, Label: d.label}, Value: *d.day, Evidence: Evidence{Source: v.Facts.SpecURL.Source}})
		}
	}
	for i := range fields {
		fields[i].Name += versionMark + v.Version
	}
	return fields
}

// StatedFacts returns the facts that are stated for the version.
func (v *ProtocolVersion) StatedFacts() []ProfileField {
	return slices.DeleteFunc(v.Facts.Facts(), func(f ProfileField) bool { return f.Value == nil })
}

// Span returns the days between which the version was the newest, as a phrase: "2025-02-21 to 2025-12-09".
func (v *ProtocolVersion) Span() string {
	return v.SpanOf(func(d Date) string { return string(d) })
}

// SpanOf is Span with days as write writes them.
func (v *ProtocolVersion) SpanOf(write func(Date) string) string {
	switch {
	case v.Since != nil && v.Until != nil:
		return write(*v.Since) + " to " + write(*v.Until)
	case v.Since != nil:
		return "since " + write(*v.Since)
	case v.Until != nil:
		return "until " + write(*v.Until)
	}
	return "days not stated"
}

// VersionedIDs returns the protocols with facts of earlier versions, sorted.
func (c *Catalog) VersionedIDs() []string { return slices.Sorted(maps.Keys(c.versions)) }

// Versions returns the earlier versions of a protocol, oldest first.
func (c *Catalog) Versions(protocol string) []ProtocolVersion { return c.versions[protocol] }

// VersionTitle returns the name of a version of a protocol: "x402 v1".
func (c *Catalog) VersionTitle(protocol, version string) string {
	return c.ProtocolName(protocol) + " " + version
}

// A VersionDocument is the earlier versions of a protocol, with the addresses of its newest version.
type VersionDocument struct {
	Head
	Protocol    string             `json:"protocol"`
	Name        string             `json:"name"`
	Description string             `json:"description"`
	HTMLURL     string             `json:"html_url"`
	NewestURL   string             `json:"newest_url"` // document with the facts of the newest version
	Count       int                `json:"count"`
	Versions    []PublishedVersion `json:"versions"` // oldest first
}

// A PublishedVersion is an earlier version with the evidence for its facts.
type PublishedVersion struct {
	ProtocolVersion
	URL      string                  `json:"url"` // on the page of the protocol
	Title    string                  `json:"title"`
	Evidence []ClassedMemberEvidence `json:"evidence"`
}

const versionsDescription = "Facts that held for earlier versions of a protocol, each read at the source it names on the day it names. " +
	"The facts of the newest version are in the document of the protocol. A fact that is null has not been read for the version."

// VersionDocument returns the document of the earlier versions of a protocol; ok is false when it has none.
func (c *Catalog) VersionDocument(protocol string) (doc *VersionDocument, ok bool) {
	if _, ok := c.versions[protocol]; !ok {
		return nil, false
	}
	doc = &VersionDocument{
		Head:     c.head("versions", c.ProtocolPageDay(protocol)),
		Protocol: protocol, Name: c.ProtocolName(protocol), Description: versionsDescription,
		HTMLURL: c.Site().URL(ProtocolPath(protocol)), NewestURL: c.Site().URL(ProtocolJSONPath(protocol)),
	}
	for _, v := range c.Versions(protocol) {
		doc.Versions = append(doc.Versions, PublishedVersion{v, c.Site().URL(VersionPath(protocol, v.Version)),
			c.VersionTitle(protocol, v.Version), c.VersionEvidence(protocol, &v)})
	}
	doc.Count = len(doc.Versions)
	return doc, true
}

// VersionEvidence returns the evidence for the facts and days of a version, under their plain names.
func (c *Catalog) VersionEvidence(protocol string, v *ProtocolVersion) []ClassedMemberEvidence {
	list := []ClassedMemberEvidence{}
	record, ok := c.Evidence(HistoryPathID(kindProtocol + ":" + protocol))
	if !ok {
		return list
	}
	source := c.sourceAddresses(record.Record)
	for _, m := range record.Members {
		if name, is := strings.CutSuffix(m.Member, versionMark+v.Version); is {
			list = append(list, ClassedMemberEvidence{name, c.classed(source(m.Member), m.Readings)})
		}
	}
	return list
}

// An Upgrade is the step from a version of a protocol to the next, fact by fact.
type Upgrade struct {
	ID, Protocol, Name string
	From, To           string // versions
	Since              *Date  // day of the newer; nil if not stated
	Changes            []VersionChange
	Same               []ProfileField // facts that are equal in both
}

// A VersionChange is a fact in two versions, with what was read for each.
type VersionChange struct{ Was, Is VersionFact }

// A VersionFact is a fact of a version with its evidence. Its value is nil if nobody read it for the version.
type VersionFact struct {
	ProfileField
	Readings []ClassedReading
}

// UpgradeIDs returns the id of every step between neighbouring versions of a protocol: x402/v1-to-v2.
func (c *Catalog) UpgradeIDs() (ids []string) {
	for _, protocol := range c.ProtocolPageIDs() {
		ids = append(ids, Convert(c.steps(protocol), func(u Upgrade) string { return u.ID })...)
	}
	return ids
}

// Upgrade returns the step with an id.
func (c *Catalog) Upgrade(id string) (Upgrade, bool) {
	protocol, _, _ := strings.Cut(id, "/")
	return find(c.Upgrades(protocol), func(u Upgrade) bool { return u.ID == id })
}

// Upgrades returns the steps between the versions of a protocol, oldest first.
func (c *Catalog) Upgrades(protocol string) []Upgrade {
	list, versions := c.steps(protocol), c.Versions(protocol)
	for i := range list {
		is, evidence := FactSet{}, []ClassedMemberEvidence(nil)
		if i+1 < len(versions) {
			is, evidence = versions[i+1].Facts, c.VersionEvidence(protocol, &versions[i+1])
		} else {
			p, _ := c.Protocol(protocol) // which has steps
			is = p.FactSet
			if record, ok := c.Evidence(HistoryPathID(kindProtocol + ":" + protocol)); ok {
				evidence = c.ClassedEvidence(record)
			}
		}
		list[i].compare(versions[i].Facts.Facts(), is.Facts(), c.VersionEvidence(protocol, &versions[i]), evidence)
	}
	return list
}

// steps returns the steps between the versions of a protocol, oldest first, without their changes, which take milliseconds.
func (c *Catalog) steps(protocol string) (list []Upgrade) {
	if _, ok := c.Protocol(protocol); !ok {
		return nil
	}
	versions := c.Versions(protocol)
	for i, v := range versions {
		to, since := c.newestVersion(protocol, v.Version), v.Until
		if i+1 < len(versions) {
			to, since = versions[i+1].Version, versions[i+1].Since
		}
		id := protocol + "/" + versionSlug(v.Version) + "-to-" + versionSlug(to)
		list = append(list, Upgrade{ID: id, Protocol: protocol, Name: c.ProtocolName(protocol), From: v.Version, To: to, Since: since})
	}
	return list
}

// compare adds the facts of two versions with the evidence for each.
func (u *Upgrade) compare(was, is []ProfileField, before, after []ClassedMemberEvidence) {
	readings := func(list []ClassedMemberEvidence, name string) []ClassedReading {
		m, _ := find(list, func(m ClassedMemberEvidence) bool { return m.Member == name })
		return m.Readings
	}
	for _, f := range was {
		now, _ := find(is, func(g ProfileField) bool { return g.Name == f.Name })
		switch {
		case f.Value == nil:
		case reflect.DeepEqual(f.Value, now.Value):
			u.Same = append(u.Same, now)
		default:
			now.Name, now.Label = f.Name, f.Label
			u.Changes = append(u.Changes, VersionChange{VersionFact{f, readings(before, f.Name)}, VersionFact{now, readings(after, f.Name)}})
		}
	}
}

// newestVersion returns the name of the newest version of a protocol, written as an earlier one is: v2 after v1.
func (c *Catalog) newestVersion(protocol, earlier string) string {
	name := c.ProtocolName(protocol)
	if p, ok := c.Profile(protocol); ok && p.Version != nil {
		name = p.Version.Short
	}
	if strings.HasPrefix(earlier, "v") && !strings.HasPrefix(name, "v") {
		name = "v" + name
	}
	return name
}

// versionSlug returns a version as addresses have it.
func versionSlug(version string) string {
	return strings.TrimPrefix(VersionAnchor(version), VersionAnchor(""))
}
