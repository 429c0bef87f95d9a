package load

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"almanac/catalog"
)

// versionPattern is the form of the name of a version, which is part of addresses.
var versionPattern = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]{0,30}[A-Za-z0-9])?$`)

// lintVersions judges the earlier versions of protocols: oldest first, each over before the next begins, none of them
// the newest.
func lintVersions(src *source) {
	for _, record := range src.Versions {
		at := src.lintRecord(record, "protocol", record.Protocol)
		protocols := idsOf(src.Protocols, func(p *catalog.Protocol) string { return p.ID })
		if !protocols[record.Protocol] && !src.broken[ProtocolFile(record.Protocol)] {
			at.add("protocol", "there is no protocol %q%s; correct it, or remove the file", record.Protocol, protocols.didYouMean(record.Protocol))
		}
		newest := newestVersion(src.Profiles, record.Protocol)
		for i, v := range record.Versions {
			at.prefix = fmt.Sprintf("versions[%d].", i)
			if !versionPattern.MatchString(v.Version) {
				at.add("version", "%q is not a name of a version; write letters, digits, dots and hyphens, at most 32", v.Version)
			}
			if newest != "" && plainVersion(v.Version) == plainVersion(newest) {
				at.add("version", "%q is the newest version; %s has its facts", v.Version, ProtocolFile(record.Protocol))
			}
			if slices.ContainsFunc(record.Versions[:i], func(o catalog.ProtocolVersion) bool { return plainVersion(o.Version) == plainVersion(v.Version) }) {
				at.add("version", "%q occurs twice; put the facts together", v.Version)
			}
			at.span(v, record.Versions[:i])
			at.prefix += "facts."
			if v.Facts.SpecURL == nil {
				at.add("spec_url", "is missing; write the address of the text of this version")
			}
			at.facts(&v.Facts)
		}
	}
}

// span checks the days of a version beside those of the versions before it.
func (at linter) span(v catalog.ProtocolVersion, before []catalog.ProtocolVersion) {
	if v.Since != nil && v.Until != nil && *v.Until <= *v.Since {
		at.add("until", "%s is not after %s, the first day; correct one of the two", *v.Until, *v.Since)
	}
	if len(before) == 0 {
		return
	}
	switch last := before[len(before)-1]; {
	case v.Since == nil:
		at.add("since", "is missing; only the oldest version may begin on an unknown day")
	case last.Since != nil && *v.Since <= *last.Since:
		at.add("since", "%s is not after %s of the version above; put the oldest version first", *v.Since, *last.Since)
	case last.Until == nil || *v.Since < *last.Until:
		at.add("since", "%s is before the end of the version above; correct one of the two", *v.Since)
	}
}

// newestVersion returns the version of a protocol as its profile states it, or "".
func newestVersion(profiles []*catalog.Profile, protocol string) string {
	for _, p := range profiles {
		if p.ID == protocol && p.Version != nil {
			return p.Version.Value
		}
	}
	return ""
}

// plainVersion returns the form in which two names of one version are equal: "v2.0" is "2".
func plainVersion(s string) string {
	return strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(s), "v"), ".0")
}

// versionsOf returns the earlier versions of a protocol.
func versionsOf(src *source, protocol string) []catalog.ProtocolVersion {
	for _, r := range src.Versions {
		if r.Protocol == protocol {
			return r.Versions
		}
	}
	return nil
}
