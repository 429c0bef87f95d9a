package load

import (
	"fmt"
	"slices"

	"almanac/catalog"
)

// The longest texts of a profile, in characters.
const (
	maxShort = 64
	maxQuote = 300
)

// pageNames are the pages among the addresses of protocols that are no protocols.
var pageNames = []string{"compare", "choose", "flows"}

func lintProfiles(l *faultList, profiles []located[*catalog.Profile]) {
	for _, p := range profiles {
		at, record := linter{l, p.path, ""}, p.record
		at.id(record.ID, fileID(p.path))
		if slices.Contains(pageNames, record.ID) {
			at.add("id", "%q is the address of another page; choose another id", record.ID)
		}
		at.text("name", record.Name, maxTitle)
		at.text("summary", record.Summary, maxSummary)
		at.oneOf("kind", record.Kind, catalog.ProfileKinds)
		for _, f := range record.Fields() {
			at.reading(f)
		}
		if r := record.ReferenceImplementations; r != nil {
			for i, link := range r.Value {
				at.text(fmt.Sprintf("reference_implementations.value[%d].name", i), link.Name, maxTitle)
				at.url(fmt.Sprintf("reference_implementations.value[%d].url", i), link.URL)
			}
		}
		at.events(record.Events)
		at.disagreements(record, profiles)
	}
}

// reading checks a field of a profile.
func (at linter) reading(f catalog.ProfileField) {
	if f.Value == nil {
		return
	}
	at.prefix = f.Name + "."
	switch v := f.Value.(type) {
	case string:
		at.text("value", v, maxSummary)
	case []string:
		at.list("value", v)
	case []int:
		for i, s := range v {
			if s < 100 || s > 599 {
				at.add(fmt.Sprintf("value[%d]", i), "%d is not an HTTP status; correct it", s)
			}
		}
	}
	if f.Text() == "" {
		at.add("value", "is empty; make the whole field null if the sources do not say")
	}
	at.text("short", f.Short, maxShort)
	at.classes(f)
	at.evidence(catalog.Evidence{Source: f.Source, Quote: f.Quote, Read: f.Read, VerifiedAt: f.VerifiedAt})
}

// classes checks that a field which has classes names at least one of them, and that no other field does.
func (at linter) classes(f catalog.ProfileField) {
	known, has := catalog.ReadingClasses[f.Name]
	switch {
	case !has && len(f.Classes) > 0:
		at.add("classes", "this field has no classes; remove them")
	case has && len(f.Classes) == 0:
		at.add("classes", "is empty; name one or more of %v", known)
	}
	for i, c := range f.Classes {
		if has {
			at.oneOf(fmt.Sprintf("classes[%d]", i), c, known)
		}
		if slices.Contains(f.Classes[:i], c) {
			at.add(fmt.Sprintf("classes[%d]", i), "%q occurs twice; remove one", c)
		}
	}
}

// evidence checks where and when something was read.
func (at linter) evidence(e catalog.Evidence) {
	at.url("source", e.Source)
	at.text("quote", e.Quote, maxQuote)
	at.text("read", e.Read, maxTitle)
	at.date("verified_at", e.VerifiedAt)
}

func (at linter) events(events []catalog.ProtocolEvent) {
	if events == nil {
		at.add("events", "is missing; write [] for none")
	}
	var versions []string
	for _, e := range events {
		versions = append(versions, e.Version)
	}
	for i, e := range events {
		at.prefix = fmt.Sprintf("events[%d].", i)
		at.text("version", e.Version, maxShort)
		at.text("text", e.Text, maxTitle)
		at.date("date", e.Date)
		at.evidence(catalog.Evidence{Source: e.Source, Quote: e.Quote, Read: e.Read, VerifiedAt: e.VerifiedAt})
		if slices.Contains(versions[:i], e.Version) {
			at.add("version", "%q occurs twice; remove one", e.Version)
		}
		if i > 0 && e.Date < events[i-1].Date {
			at.add("date", "%s is before %s above it; put the oldest first", e.Date, events[i-1].Date)
		}
		if by := e.SupersededBy; by != nil && !slices.Contains(versions[i+1:], *by) {
			at.add("superseded_by", "%q is not the version of a later event; correct it", *by)
		}
	}
}

func (at linter) disagreements(p *catalog.Profile, profiles []located[*catalog.Profile]) {
	if p.Disagreements == nil {
		at.add("disagreements", "is missing; write [] for none")
	}
	known := idsOf(profiles, func(p located[*catalog.Profile]) string { return p.record.ID })
	for i, d := range p.Disagreements {
		at.prefix = fmt.Sprintf("disagreements[%d].", i)
		at.text("text", d.Text, maxSummary)
		at.refer("protocols", d.Protocols, known, "profile")
		if len(d.Protocols) == 0 || d.Protocols[0] != p.ID {
			at.add("protocols", "does not begin with %q; a disagreement stands in the file of the first protocol that it is about", p.ID)
		}
		if len(d.Evidence) < 2 {
			at.add("evidence", "has %d sources; a disagreement has two or more", len(d.Evidence))
		}
		for j, e := range d.Evidence {
			at.prefix = fmt.Sprintf("disagreements[%d].evidence[%d].", i, j)
			at.evidence(e)
		}
	}
}

// maxLabel is the length of the label of an arrow of a flow, in characters.
const maxLabel = 80

func lintFlows(l *faultList, flows []located[*catalog.Flow], t *targets) {
	for _, f := range flows {
		at := linter{l, f.path, ""}
		at.id(f.record.ID, fileID(f.path))
		if !t.protocols[f.record.ID] && !t.profiles[f.record.ID] {
			at.add("id", "there is no protocol %q%s; correct it, or remove the file",
				f.record.ID, t.profiles.didYouMean(f.record.ID))
		}
		at.text("title", f.record.Title, maxTitle)
		if len(f.record.Steps) == 0 {
			at.add("steps", "is empty; write one, or remove the file")
		}
		for i, s := range f.record.Steps {
			at.prefix = fmt.Sprintf("steps[%d].", i)
			at.oneOf("from", s.From, catalog.FlowActors)
			at.oneOf("to", s.To, catalog.FlowActors)
			at.text("label", s.Label, maxLabel)
			at.optionalText("note", s.Note)
			at.evidence(catalog.Evidence{Source: s.Source, Quote: s.Quote, Read: s.Read, VerifiedAt: s.VerifiedAt})
		}
	}
}
