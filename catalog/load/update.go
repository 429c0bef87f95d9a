package load

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.almanac.example/catalog"
)

// CheckUpdate returns the breaches of the laws of publishing between two versions, as Faults: no record disappears without
// a withdrawal or changes its address, and no day of a reading goes back (docs/contract.md, "Addresses").
func CheckUpdate(old, new *Version) error {
	var faults Faults
	for _, id := range sortedKeys(old.records) {
		was := old.records[id]
		now, ok := new.records[id]
		switch {
		case !ok && was.path == withdrawnFile:
			faults.add(withdrawnFile, "%s is missing; keep it, because its addresses state the reason", id)
		case !ok:
			faults.add(was.path, "is published but missing in the new data; keep it, or say in %s why it is withdrawn", withdrawnFile)
		case was.path == withdrawnFile || now.path != withdrawnFile:
			for _, m := range was.members {
				faults.checkMember(m, was, now)
			}
			faults.checkDay(was.path, "verified_at", was.stepsDay(), now.stepsDay())
			faults.checkDay(was.path, "last_checked", string(old.checked[id]), string(new.checked[id]))
		}
	}
	for _, tag := range sortedKeys(old.tags) {
		if !new.tags[tag] {
			faults.add(tagsFile, "the tag %q is published but no entry carries it now; keep it on one, because its list would disappear", tag)
		}
	}
	return faults.err()
}

// checkMember checks that a member of a published record keeps its addresses and its day.
func (fs *Faults) checkMember(m member, was, now flatRecord) {
	is := now.value(m.name)
	version, isVersion := strings.CutPrefix(m.name, "spec_url@")
	switch {
	case m.name == "category" && is != m.value:
		fs.add(was.path, "category: was %s and is %s; keep it, because lists that are promised would lose the entry", m.value, is)
	case m.name == "categories":
		var categories []catalog.CategoryRecord
		_ = json.Unmarshal([]byte(m.value), &categories) // it was encoded from them
		for _, k := range categories {
			if !strings.Contains(is, `{"id":`+strconv.Quote(k.ID)+`,`) {
				fs.add(categoriesFile, "the category %q is published but missing in the new data; keep it", k.ID)
			}
		}
	case m.name == withdrawnMember && is != "null":
		var before, after catalog.Withdrawal
		_, _ = json.Unmarshal([]byte(m.value), &before), json.Unmarshal([]byte(is), &after)
		fs.checkDay(withdrawnFile, before.Record+".day", string(before.Day), string(after.Day))
	case isVersion && is == "null" && strings.HasSuffix(version, ".value"):
		fs.add(m.path, "the version %s is published but missing in the new data; keep it", strings.TrimSuffix(version, ".value"))
	case is != "null" && catalog.VerifiedMember(m.name) && !strings.Contains(m.name, "["):
		// a fact may become null: its source may have stopped stating it
		fs.checkDay(was.file(m.name), m.name, strings.Trim(m.value, `"`), strings.Trim(is, `"`))
	}
}

// stepsDay returns the newest day on which a step of a flow was read; steps come and go.
func (r flatRecord) stepsDay() (newest string) {
	for _, m := range r.members {
		if strings.HasPrefix(m.name, "steps[") && catalog.VerifiedMember(m.name) {
			newest = max(newest, strings.Trim(m.value, `"`))
		}
	}
	return newest
}

func (fs *Faults) checkDay(path, member, before, after string) {
	if after < before {
		fs.add(path, "%s: goes back from %s to %s; such dates only go forward", member, before, after)
	}
}

// ChangedFacts returns the members of protocols, profiles and flows that differ between two versions, by the protocol.
func ChangedFacts(old, new *Version) map[string][]string {
	changed := make(map[string][]string)
	for id, record := range new.records {
		kind, protocol := catalog.HistoryRecord(id)
		for _, c := range record.changes(old.records[id]) {
			name, part, _ := strings.Cut(c.Name, ".")
			if isFact := kind == "protocol" || kind == "profile" || kind == "flow"; isFact && part != "source" &&
				!catalog.VerifiedMember(c.Name) && !slices.Contains(changed[protocol], name) {
				changed[protocol] = append(changed[protocol], name)
			}
		}
	}
	return changed
}

// lintVersions judges the earlier versions of protocols: oldest first, each over before the next begins, none of them
// the newest.
func lintVersions(src *source, t *targets) {
	for _, record := range src.Versions {
		at := src.lintRecord(record, "protocol", record.Protocol)
		at.subject("protocol", "protocol", record.Protocol, t.records["protocol"])
		at.unique("versions[%d].version", catalog.Convert(record.Versions, func(v catalog.ProtocolVersion) string { return plainVersion(v.Version) }))
		newest := newestVersion(src.Profiles, record.Protocol)
		for i, v := range record.Versions {
			at.prefix = fmt.Sprintf("versions[%d].", i)
			if newest != "" && plainVersion(v.Version) == plainVersion(newest) {
				at.add("version", "%q is the newest version; %s has its facts", v.Version, ProtocolFile(record.Protocol))
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
