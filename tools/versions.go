package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
	"go.almanac.example/index/find"
)

// addVersions adds the earlier versions of a protocol.
func (ps *protocols) addVersions(c *catalog.Catalog, id string) {
	for _, v := range c.Versions(id) {
		title := c.VersionTitle(id, v.Version) + " (" + v.Span() + ")"
		old := protocol{id: id, name: title, version: v.Version, values: make(map[string]value)}
		for _, f := range v.StatedFacts() { // a version has what was read for it
			old.values[f.Name] = value{ProfileField: f}
		}
		old.addReadings(c.VersionEvidence(id, &v))
		ps.earlier = append(ps.earlier, old)
	}
}

// example returns arguments that select a protocol, in an earlier version if it has one, the oldest unless one is named.
func (ps *protocols) example(id, version string) string {
	if i := slices.IndexFunc(ps.earlier, func(p protocol) bool { return p.id == id }); i >= 0 {
		version = cmp.Or(version, ps.earlier[i].version)
	}
	return `{"protocols":[` + quoted(id) + "]" + textIf(version != "", `,"from":`+quoted(version)) + "}"
}

// inVersion returns the protocols among some, nil for all, that have a version, in that version; newest and latest are the
// newest one. It is an error if one that is named does not have it. The beginning of a name is that version of which alone
// it is the beginning.
func (ps *protocols) inVersion(version string, ids []string) (list []protocol, err error) {
	var known []string
	missing := false
	for i := range ps.list {
		newest := &ps.list[i]
		if ids != nil && !slices.Contains(ids, newest.id) {
			continue
		}
		var fits []protocol
		for _, p := range ps.versionsOf(newest) {
			if beginsVersion(version, p.version) || p.newest && slices.Contains([]string{"newest", "latest"}, strings.ToLower(version)) {
				fits = append(fits, p)
			}
		}
		if len(fits) > 1 {
			fits = slices.DeleteFunc(fits, func(p protocol) bool { return !strings.EqualFold(p.version, version) })
		}
		known = append(known, ps.versionNames(newest)...)
		list, missing = append(list, fits...), missing || len(fits) == 0 && ids != nil
	}
	if len(list) == 0 || missing {
		return nil, inputError(fmt.Sprintf("The facts of version %s are not here. Versions: %s.", quote(version), strings.Join(known, ", ")))
	}
	return list, nil
}

// versionsOf returns a protocol in its earlier versions, oldest first, and in its newest.
func (ps *protocols) versionsOf(newest *protocol) (list []protocol) {
	list = slices.DeleteFunc(slices.Clone(ps.earlier), func(p protocol) bool { return p.id != newest.id })
	return append(list, *newest)
}

// versionNames returns the names of the versions of a protocol, after its id.
func (ps *protocols) versionNames(newest *protocol) []string {
	return catalog.Convert(ps.versionsOf(newest), func(p protocol) string {
		return strings.TrimSpace(p.id+" "+p.version) + textIf(p.newest, " (newest)")
	})
}

// beginsVersion reports whether a name is that of a version, or its first numbers: 0.1 of v0.1.0.
func beginsVersion(name, version string) bool {
	plain := func(s string) string { return strings.TrimPrefix(strings.ToLower(s), "v") }
	rest, ok := strings.CutPrefix(plain(version), plain(name))
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '-')
}

// A versionAnswer is two versions of a protocol compared, field by field.
type versionAnswer struct {
	Protocol string        `json:"protocol"`
	From     string        `json:"from"`
	To       string        `json:"to"`
	Changed  []fieldChange `json:"changed"`
	Same     []string      `json:"same"`         // fields
	Open     int           `json:"not_compared"` // how many fields nobody read for both versions
	Sources  []footnote    `json:"sources"`
	Note     string        `json:"note"`
}

// A fieldChange is a field in two versions. Of lists it has the items that one version alone has.
type fieldChange struct {
	Field string       `json:"field"`
	Was   versionValue `json:"was"`
	Is    versionValue `json:"is"`
}

type versionValue struct {
	Value  json.RawMessage `json:"value"`
	Source int             `json:"source"`
	Quote  string          `json:"quote,omitempty"`
}

const maxListed = 8 // items of a list in a comparison of versions that names no fields

// compare answers with the differences between two versions of a protocol.
func (d *data) compare(in arguments) (*mcp.CallToolResult, error) {
	ps, ids, from, to := d.protocols, in.list("protocols"), in.text("from"), in.text("to")
	if len(ids) > 1 || from == "" {
		return nil, inputError("from compares two versions of one protocol. Example: " + ps.example(cmp.Or(ids[:min(1, len(ids))]...), ""))
	}
	old, err := ps.inVersion(from, ids)
	if err != nil {
		return nil, err
	}
	young, err := ps.inVersion(cmp.Or(to, "newest"), []string{old[0].id})
	if err != nil {
		return nil, err
	}
	before, after := &old[0], &young[0]
	if before.newest { // the newest is the later one, whichever is named first
		before, after = after, before
	}
	fields := in.list("fields")
	out := versionAnswer{Protocol: before.id, From: before.name, To: after.name + textIf(after.newest, " (newest)"),
		Changed: []fieldChange{}, Same: []string{},
		Note: "was: in the older version, is: in the newer; lists have what one version alone has. evidence adds quotes; fields, whole values."}
	var cited factAnswer
	shown := func(v value, raw json.RawMessage) versionValue {
		if text, ok := v.Value.(string); ok && fields == nil {
			raw = encode(find.Cut(text, maxMatched))
		} else if fields == nil {
			raw = fewItems(raw, maxListed)
		}
		return versionValue{raw, cited.cite(v.Evidence), textIf(in.set("evidence"), v.quoted())}
	}
	for _, name := range ps.fields {
		was, is := before.values[name], after.values[name]
		switch {
		case fields != nil && !slices.Contains(fields, name), was.Value == nil && is.Value == nil:
		case was.Value == nil || is.Value == nil:
			out.Open++
		case string(encode(was.Value)) == string(encode(is.Value)):
			out.Same = append(out.Same, name)
		default:
			a, b := onlyItems(encode(was.Value), encode(is.Value))
			out.Changed = append(out.Changed, fieldChange{name, shown(was, a), shown(is, b)})
		}
	}
	out.Sources = cited.Sources
	return newJSONAnswer(out), nil
}

// quoted returns the words of the source of a value.
func (v *value) quoted() string {
	for i := range v.readings {
		if r := &v.readings[i]; r.Holds && v.Quote == "" {
			return r.Quote
		}
	}
	return v.Quote
}
