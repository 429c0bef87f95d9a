package tools

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.almanac.example/catalog"
)

// addVersions adds the earlier versions of a protocol.
func (ps *protocols) addVersions(c *catalog.Catalog, id string) {
	for _, v := range c.Versions(id) {
		title := c.VersionTitle(id, v.Version) + " (" + v.Span() + ")"
		old := protocol{id: id, name: title, version: v.Version, values: make(map[string]value)}
		old.addFacts(&v.Facts)
		old.addReadings(c.VersionEvidence(id, &v))
		ps.earlier = append(ps.earlier, old)
	}
}

// example returns arguments that select a protocol, in an earlier version if it has one.
func (ps *protocols) example(id string) string {
	only := `{"protocols":[` + quoted(id) + "]"
	if i := slices.IndexFunc(ps.earlier, func(p protocol) bool { return p.id == id }); i >= 0 {
		only += `,"version":` + quoted(ps.earlier[i].version)
	}
	return only + "}"
}

// inVersion returns the protocols among some, nil for all, that have an earlier version, in that version. It is an error
// if one that is named does not have it.
func (ps *protocols) inVersion(version string, ids []string) (list []protocol, err error) {
	var known []string
	found := make(map[string]bool)
	for _, p := range ps.earlier {
		if ids != nil && !slices.Contains(ids, p.id) {
			continue
		}
		known = append(known, p.id+" "+p.version)
		if strings.EqualFold(p.version, version) {
			list, found[p.id] = append(list, p), true
		}
	}
	if len(list) == 0 || slices.ContainsFunc(ids, func(id string) bool { return !found[id] }) {
		return nil, inputError(fmt.Sprintf("There is no earlier version %s here. Earlier versions: %s. Leave out version for the newest.",
			quote(version), cmp.Or(strings.Join(known, ", "), "none")))
	}
	return list, nil
}
