package tools

import (
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/wirejson"
)

// The types of a change: the record was read for the first time, or read again. Those of the history that the feed has.
const (
	changeAdded     = "added"
	changeReadAgain = "read-again"
)

var changeTypes = []string{changeAdded, changeReadAgain}

// changePiece encodes a change of the feed, with its type.
func changePiece(ch catalog.Change, which string) *piece {
	type typed struct {
		catalog.Change
		Type string `json:"change"`
	}
	return &piece{encode(typed{ch, which}), changeLine(ch, which)}
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

// changeCounts count changes by what a summary says of them.
type changeCounts struct {
	Change   map[string]int `json:"change"`
	Kind     map[string]int `json:"kind"`
	Category map[string]int `json:"category"` // of library entries
}

func newChangeCounts() *changeCounts {
	return &changeCounts{map[string]int{changeAdded: 0, changeReadAgain: 0}, make(map[string]int), make(map[string]int)}
}

func (n *changeCounts) add(ch catalog.Change, which string) {
	n.Change[which]++
	n.Kind[ch.Kind]++
	if ch.Category != "" {
		n.Category[ch.Category]++
	}
}

// addAll adds what another has counted.
func (n *changeCounts) addAll(other *changeCounts) {
	for i, by := range []map[string]int{other.Change, other.Kind, other.Category} {
		to := []map[string]int{n.Change, n.Kind, n.Category}[i]
		for name, count := range by {
			to[name] += count
		}
	}
}

func (n *changeCounts) summary() changeSummary {
	var text []string
	for _, by := range []map[string]int{n.Change, n.Kind, n.Category} {
		if len(by) > 0 {
			text = append(text, joinCounts(by))
		}
	}
	return changeSummary{`"counts":` + string(encode(n)), strings.Join(text, "; ")}
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
