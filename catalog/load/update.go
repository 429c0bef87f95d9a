package load

import (
	"encoding/json"
	"strconv"
	"strings"

	"almanac/catalog"
)

// CheckUpdate checks the laws of publishing: published records stay (docs/contract.md, "Addresses"). It compares the
// files about to be published with those that are, and returns every breach at once, as Faults:
//
//   - no record disappears without a withdrawal, and no address of one changes;
//   - verified_at never goes back: a source that was read on a day stays read on that day.
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
