package load

import (
	"fmt"
	"slices"

	"almanac/catalog"
)

// pageNames are the pages among the addresses of protocols that are no protocols.
var pageNames = []string{"compare", "choose", "flows"}

func lintProfiles(src *source, t *targets) {
	for _, p := range src.Profiles {
		at := src.lintRecord(p, "id", p.ID)
		if slices.Contains(pageNames, p.ID) {
			at.add("id", "%q is the address of another page; choose another id", p.ID)
		}
		at.oneOf("kind", p.Kind, catalog.ProfileKinds)
		for _, f := range p.Fields() {
			at.reading(f)
		}
		at.events(p.Events)
		at.disagreements(p, t.records["profile"])
	}
}

// reading checks a field of a profile.
func (at linter) reading(f catalog.ProfileField) {
	if f.Value == nil {
		return
	}
	at.prefix = f.Name + "."
	if f.Text() == "" {
		at.add("value", "is empty; make the whole field null if the sources do not say")
	}
	at.classes(f)
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

func (at linter) events(events []catalog.ProtocolEvent) {
	var versions []string
	for _, e := range events {
		versions = append(versions, e.Version)
	}
	for i, e := range events {
		at.prefix = fmt.Sprintf("events[%d].", i)
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

func (at linter) disagreements(p *catalog.Profile, profiles set) {
	for i, d := range p.Disagreements {
		at.prefix = fmt.Sprintf("disagreements[%d].", i)
		at.refer("protocols", d.Protocols, profiles, "profile")
		if len(d.Protocols) == 0 || d.Protocols[0] != p.ID {
			at.add("protocols", "does not begin with %q; a disagreement stands in the file of the first protocol that it is about", p.ID)
		}
		if len(d.Evidence) < 2 {
			at.add("evidence", "has %d sources; a disagreement has two or more", len(d.Evidence))
		}
	}
}

func lintFlows(src *source, t *targets) {
	for _, f := range src.Flows {
		at := src.lintRecord(f, "id", f.ID)
		if profiles := t.records["profile"]; !t.records["protocol"][f.ID] && !profiles[f.ID] {
			at.add("id", "there is no protocol %q%s; correct it, or remove the file", f.ID, profiles.didYouMean(f.ID))
		}
		for i, s := range f.Steps {
			at.oneOf(fmt.Sprintf("steps[%d].from", i), s.From, catalog.FlowActors)
			at.oneOf(fmt.Sprintf("steps[%d].to", i), s.To, catalog.FlowActors)
		}
	}
}
