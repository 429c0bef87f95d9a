package catalog

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A DataVersion is the semantic version of the published data at the end of a day of the history.
type DataVersion struct {
	Version string
	Date    Date
	Change  string // one of VersionParts, the one that the day raised; "" on the first day
}

// VersionParts are the parts of a version, the most significant first.
var VersionParts = [3]string{"major", "minor", "patch"}

// DataVersions returns the version of each day of the history, oldest first. The first day has 1.0.0. A removed or
// retyped member raises the major version, a new record the minor one, any other change the patch; a day raises one
// part, once.
func (c *Catalog) DataVersions() []DataVersion {
	var versions []DataVersion
	parts := [3]int{1, 0, 0}
	for _, day := range slices.Backward(c.history.days) {
		change := ""
		if len(versions) > 0 {
			raised := raisedPart(c.HistoryEvents(day))
			parts[raised]++
			clear(parts[raised+1:])
			change = VersionParts[raised]
		}
		versions = append(versions, DataVersion{fmt.Sprintf("%d.%d.%d", parts[0], parts[1], parts[2]), day, change})
	}
	return versions
}

// raisedPart returns the index of the part of the version that the events of a day raise.
func raisedPart(events []HistoryEvent) int {
	part := 2
	for i := range events {
		if slices.ContainsFunc(events[i].Members, MemberChange.breaking) {
			return 0
		}
		if events[i].Change == "added" {
			part = 1
		}
	}
	return part
}

// breaking reports whether a program that reads the old member may fail on the new one. Items of lists, which have
// brackets in their names, come and go; digests stand for other documents.
func (m MemberChange) breaking() bool {
	var old, next any
	if json.Unmarshal(m.Old, &old) != nil || json.Unmarshal(m.New, &next) != nil || old == nil || DigestMember(m.Name) {
		return false
	}
	return retyped(old, next) && (next != nil || !strings.Contains(m.Name, "["))
}

// retyped reports whether a JSON value has another type, or lacks a member of the old one. Members of objects may
// become null and cease to be null.
func retyped(old, next any) bool {
	if fmt.Sprintf("%T", old) != fmt.Sprintf("%T", next) {
		return true
	}
	switch old := old.(type) {
	case map[string]any:
		for name, value := range old {
			member, ok := next.(map[string]any)[name]
			if !ok || value != nil && member != nil && retyped(value, member) {
				return true
			}
		}
	case []any:
		items := next.([]any)
		return len(old) > 0 && len(items) > 0 && fmt.Sprintf("%T", old[0]) != fmt.Sprintf("%T", items[0])
	}
	return false
}
