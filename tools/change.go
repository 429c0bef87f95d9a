package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/wirejson"
)

// A change is a record that was verified on a day.
type change struct {
	kind, category string
	change         string // one of changeTypes
	piece
}

// The types of a change: the record was read for the first time, or read again. Those of the history that the feed has.
const (
	changeAdded     = "added"
	changeReadAgain = "read-again"
)

var changeTypes = []string{changeAdded, changeReadAgain}

// newChange encodes a change of the feed, with its type.
func newChange(c *catalog.Catalog, ch catalog.Change) change {
	which := changeAdded
	if readBefore(c, ch) {
		which = changeReadAgain
	}
	type typed struct {
		catalog.Change
		Type string `json:"change"`
	}
	return change{ch.Kind, ch.Category, which, piece{encode(typed{ch, which}), changeLine(ch, which)}}
}

// readBefore reports whether the history has an earlier reading of a record.
func readBefore(c *catalog.Catalog, ch catalog.Change) bool {
	h, ok := c.RecordHistory(catalog.HistoryPathID(ch.ID))
	if !ok {
		return false
	}
	for _, event := range h.Events {
		for _, m := range event.Members {
			for _, value := range []json.RawMessage{m.Old, m.New} {
				var day catalog.Date
				if catalog.VerifiedMember(m.Name) && json.Unmarshal(value, &day) == nil && day != "" && day < ch.VerifiedAt {
					return true
				}
			}
		}
	}
	return false
}

// changeLine returns the members of a change as a line of a list.
func changeLine(ch catalog.Change, which string) []byte {
	parts := []string{
		"- id: " + ch.ID, "kind: " + ch.Kind, "**" + ch.Title + "**", ch.URL,
	}
	if ch.MDURL != "" {
		parts = append(parts, "md_url: "+ch.MDURL)
	}
	if ch.Category != "" {
		parts = append(parts, "category: "+ch.Category)
	}
	published := ""
	if ch.DatePublished != nil {
		published = string(*ch.DatePublished)
	}
	parts = append(parts, "date_published: "+orUnknown(published), "verified_at: "+string(ch.VerifiedAt))
	if ch.Note != "" {
		parts = append(parts, "note: "+ch.Note)
	}
	if which != "" {
		parts = append(parts, "change: "+which)
	}
	return wirejson.AppendEscaped(nil, strings.Join(parts, "; ")+"\n")
}

// A changeSummary is how many changes there are of each type, kind and category, as a member of an answer
// and as words.
type changeSummary struct{ json, text string }

func summarize(list []change) changeSummary {
	counts := struct {
		Change   map[string]int `json:"change"`
		Kind     map[string]int `json:"kind"`
		Category map[string]int `json:"category"` // of library entries
	}{map[string]int{changeAdded: 0, changeReadAgain: 0}, make(map[string]int), make(map[string]int)}
	for i := range list {
		counts.Change[list[i].change]++
		counts.Kind[list[i].kind]++
		if list[i].category != "" {
			counts.Category[list[i].category]++
		}
	}
	var text []string
	for _, by := range []map[string]int{counts.Change, counts.Kind, counts.Category} {
		if len(by) > 0 {
			text = append(text, joinCounts(by))
		}
	}
	return changeSummary{`"counts":` + string(encode(counts)), strings.Join(text, "; ")}
}

// joinCounts returns names with their numbers, the greatest first.
func joinCounts(counts map[string]int) string {
	names := sortedKeys(counts)
	slices.SortStableFunc(names, func(a, b string) int { return counts[b] - counts[a] })
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = fmt.Sprintf("%s %d", name, counts[name])
	}
	return strings.Join(parts, ", ")
}
