package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.almanac.example/index/find"
)

// digest returns the first changes of each kind in a line, and the numbers of the others; of records added the number.
func digest(chosen []change) (lines []string) {
	most := map[string]int{changeFact: maxEdits, changeCorrection: maxEdits, changeAdded: 0}
	count := 0
	for i := range chosen {
		ch := &chosen[i]
		shown, isEdit := most[ch.Change]
		if !isEdit {
			shown = maxDigest
		}
		if count++; count <= shown {
			lines = append(lines, ch.line())
		}
		if next := i + 1; next == len(chosen) || chosen[next].Change != ch.Change {
			if count > shown {
				lines = append(lines, fmt.Sprintf("%s: %d more", ch.Change, count-shown))
			}
			count = 0
		}
	}
	return lines
}

// line returns a change in a line.
func (ch *change) line() string {
	const most = 80 // characters of a value
	value := func(raw json.RawMessage) string { return find.Cut(plainText(raw), most) }
	head := string(ch.Date) + textIf(ch.DateIs != dayHappened, " ("+ch.DateIs+")") + " " + ch.Change
	if ch.Record != ch.Change && ch.Change != changePublished {
		head += " " + ch.Record
	}
	text := ch.Title
	switch {
	case ch.items != "":
		text = strings.TrimSuffix(ch.Member, ".value") + ": " + ch.items
	case ch.Member != "":
		text = strings.TrimSuffix(ch.Member, ".value") + ": " + value(ch.Was) + " → " + value(ch.Is)
	case ch.Change == changeRelease:
		text += ": " + find.Cut(plainText(ch.Is), 2*most)
	}
	return strings.TrimSpace(head + ": " + text + " " + ch.Source)
}

// difference returns two values as short as shows how they differ: of lists the items that only one has, of texts the
// part from shortly before the first difference.
func difference(was, is json.RawMessage) (json.RawMessage, json.RawMessage) {
	was, is = onlyItems(was, is)
	before, after := plainText(was), plainText(is)
	if len(before) <= maxChanged && len(after) <= maxChanged {
		return was, is
	}
	common := 0
	for common < min(len(before), len(after)) && before[common] == after[common] {
		common++
	}
	from := max(0, min(common, len(before), len(after))-maxChanged/4)
	part := func(s string) json.RawMessage {
		if s == "null" {
			return json.RawMessage(s)
		}
		text := find.Cut(strings.ToValidUTF8(s[min(from, len(s)):], ""), maxChanged)
		if from > 0 {
			text = "… " + text
		}
		return encode(text)
	}
	return part(before), part(after)
}

// onlyItems returns of two lists the items that only one has, and other values as they are.
func onlyItems(was, is json.RawMessage) (json.RawMessage, json.RawMessage) {
	var a, b []json.RawMessage
	if json.Unmarshal(was, &a) != nil || json.Unmarshal(is, &b) != nil || a == nil || b == nil {
		return was, is
	}
	only := func(list, other []json.RawMessage) json.RawMessage {
		return encode(slices.DeleteFunc(slices.Clone(list), func(item json.RawMessage) bool {
			return slices.ContainsFunc(other, func(o json.RawMessage) bool { return bytes.Equal(o, item) })
		}))
	}
	return only(a, b), only(b, a)
}

// plainText returns a JSON string without its quotes, and any other value as it is.
func plainText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil && string(raw) != "null" {
		return s
	}
	return string(raw)
}
