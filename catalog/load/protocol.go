package load

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.almanac.example/catalog"
)

// lintProtocols judges the protocols, which must be those that site.json compares; nil where that file cannot be read.
func lintProtocols(src *source, t *targets) {
	compared := src.Identity.Protocols
	for _, p := range src.Protocols {
		at := src.lintRecord(p, "id", p.ID)
		if compared != nil && !slices.Contains(compared, p.ID) {
			at.add("id", "%q is not a protocol of the facts document; %s names %s", p.ID, siteFile, strings.Join(compared, ", "))
		}
		at.facts(&p.FactSet)
	}
	for _, id := range compared {
		if !t.records["protocol"][id] {
			src.faults.add("protocols/"+id+".json", "is missing; the facts document has %d protocols", len(compared))
		}
	}
}

// facts checks the facts of which the forms of their members do not say everything.
func (at linter) facts(p *catalog.FactSet) {
	for _, f := range p.Facts() {
		if list := reflect.ValueOf(f.Value); list.Kind() == reflect.Slice && list.Len() == 0 {
			at.add(f.Name+".value", "is empty; leave the whole fact out if the source does not state it")
		}
	}
}

// maxDecimals is above the decimals of any token.
const maxDecimals = 30

// lintAssets judges the assets of networks: each is of a network that the facts of its protocol name, with
// the contract that they name.
func lintAssets(src *source, _ *targets) {
	for _, r := range src.Assets {
		at := src.lintRecord(r, "protocol", r.Protocol)
		networks := networksOf(r.Protocol, src.Protocols)
		for i, a := range r.Assets {
			at.prefix = fmt.Sprintf("assets[%d].", i)
			at.asset(a, networks)
		}
		at.prefix = ""
		at.unique("assets[%d].contract", catalog.Convert(r.Assets, func(a catalog.Asset) string { return a.CAIP2 + " " + a.Contract }))
	}
}

func (at linter) asset(a catalog.Asset, networks []catalog.Network) {
	if (a.EIP712Name == nil) != (a.EIP712Version == nil) {
		at.add("eip712_version", "is null without eip712_name, or the other way round; a payer signs both or neither")
	}
	if a.Decimals < 0 || a.Decimals > maxDecimals {
		at.add("decimals", "%d is not from 0 to %d; correct it", a.Decimals, maxDecimals)
	}
	is := func(n catalog.Network) bool {
		return n.CAIP2 != nil && *n.CAIP2 == a.CAIP2 && n.Contract != nil && *n.Contract == a.Contract
	}
	switch i := slices.IndexFunc(networks, is); {
	case i < 0:
		at.add("caip2", "the facts of the protocol name no network %s with the contract %s; correct one of the two", a.CAIP2, a.Contract)
	case networks[i].Asset == nil || *networks[i].Asset != a.Symbol:
		at.add("symbol", "is %q and the facts of the protocol name the asset differently; make them agree", a.Symbol)
	}
}

// networksOf returns the networks that the facts of a protocol name.
func networksOf(protocol string, protocols []*catalog.Protocol) []catalog.Network {
	for _, p := range protocols {
		if p.ID == protocol && p.Networks != nil {
			return p.Networks.Value
		}
	}
	return nil
}

// pageNames are the pages among the addresses of protocols that are no protocols.
var pageNames = []string{"compare", "choose", "flows"}

func lintProfiles(src *source, t *targets) {
	for _, p := range src.Profiles {
		at := src.lintRecord(p, "id", p.ID)
		if slices.Contains(pageNames, p.ID) {
			at.add("id", "%q is the address of another page; choose another id", p.ID)
		}
		for _, f := range p.Fields() {
			if at.prefix = f.Name + "."; f.Value != nil && f.Text() == "" {
				at.add("value", "is empty; leave the whole field out if the sources do not say")
			}
			at.classes(f)
		}
		at.events(p.Events)
		at.disagreements(p, t.records["profile"])
	}
}

// classes checks that a value of a field which has classes names at least one of them, and that no other field does.
func (at linter) classes(f catalog.ProfileField) {
	known, has := f.Words, len(f.Words) > 0
	switch {
	case !has && len(f.Classes) > 0:
		at.add("classes", "this field has no classes; remove them")
	case has && f.Value != nil && len(f.Classes) == 0:
		at.add("classes", "is empty; name one or more of %v", known)
	}
	for i, c := range f.Classes {
		if has {
			at.oneOf(fmt.Sprintf("classes[%d]", i), c, known)
		}
	}
	at.unique("classes[%d]", f.Classes)
}

func (at linter) events(events []catalog.ProtocolEvent) {
	versions := catalog.Convert(events, func(e catalog.ProtocolEvent) string { return e.Version })
	at.prefix = ""
	at.unique("events[%d].version", versions)
	for i, e := range events {
		at.prefix = fmt.Sprintf("events[%d].", i)
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
		at.subject("id", "protocol", f.ID, t.pages)
	}
}
