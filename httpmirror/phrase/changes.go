package phrase

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.almanac.example/catalog"
)

// shortValue is the length in characters up to which a sentence shows a value, and namedItems the number of items up to
// which it names them.
const (
	shortValue = 90
	namedItems = 4
)

// EvidenceUpdated is the sentence for an event that changed no value.
const EvidenceUpdated = "Evidence updated"

// fieldLabels are the labels of the fields of protocols and profiles by name.
var fieldLabels = func() map[string]string {
	labels := map[string]string{"body": "Text", "readme": "README", "checks": "Checks", "steps": "Steps",
		"events": "Releases", "url": "Address"}
	for _, f := range new(catalog.Profile).Fields() {
		labels[f.Name] = f.Label
	}
	for _, f := range new(catalog.Protocol).Facts() {
		labels[f.Name] = f.Label
	}
	return labels
}()

// Sentences returns what an event of the history changed, one short sentence for each field, such as "Networks: NEAR
// added". Edits of sources and quotes are one sentence together, at the end.
func Sentences(change string, members []catalog.MemberChange) []string {
	if change != "edited" {
		return []string{Sentence(strings.ReplaceAll(change, "-", " ")) + verifiedFields(members)}
	}
	var sentences []string
	items := make(map[string]*itemChanges)
	versions, evidence := make(map[string]bool), false
	var fields []string // of items, in their order
	for _, m := range members {
		field, item, isItem := strings.Cut(strings.TrimSuffix(m.Name, "]"), "[")
		field, part, _ := strings.Cut(field, ".")
		_, version, isVersion := strings.Cut(m.Name, "@")
		switch {
		case m.Name == "id" && m.Text(m.Old) == "":
			return []string{"Added"}
		case catalog.DigestMember(m.Name):
			evidence = true
		case catalog.VerifiedMember(m.Name):
		case isVersion:
			if i := strings.LastIndexByte(version, '.'); i > 0 && version[i+1] >= 'a' { // a member of the fact
				version = version[:i]
			}
			versions[strings.TrimSuffix(version, "]")] = true
		case isItem:
			if items[field] == nil {
				items[field] = new(itemChanges)
				fields = append(fields, field)
			}
			items[field].add(item, m)
		case part == "" || part == "value":
			sentences = append(sentences, label(field)+": "+valueChange(m))
		default:
			evidence = true
		}
	}
	for _, field := range fields {
		sentences = append(sentences, label(field)+": "+items[field].String())
	}
	if len(versions) > 0 {
		sentences = append(sentences, "Facts of earlier versions: "+strings.Join(slices.Sorted(maps.Keys(versions)), ", "))
	}
	if evidence && len(sentences) == 0 {
		return []string{EvidenceUpdated}
	}
	return sentences
}

// verifiedFields returns the labels of the fields that were read, after a colon; "" if the record was read as one.
func verifiedFields(members []catalog.MemberChange) string {
	var labels []string
	for _, m := range members {
		if field, ok := strings.CutSuffix(m.Name, ".verified_at"); ok {
			labels = append(labels, label(field))
		}
	}
	if len(labels) == 0 {
		return ""
	}
	return ": " + strings.Join(labels, ", ")
}

// label returns the label of a field as a sentence begins with it.
func label(field string) string {
	if l, ok := fieldLabels[field]; ok {
		return l
	}
	return Sentence(strings.ReplaceAll(field, "_", " "))
}

// MemberLabel returns the name of a member of a record for people, such as "HTTP headers in v1" or "Refund, value".
func MemberLabel(member string) string {
	name, version, isOld := strings.Cut(member, "@")
	name, part, isPart := strings.Cut(name, ".")
	text := label(name)
	if isOld {
		text += " in " + version
	}
	if isPart && part != "value" {
		text += ", " + memberParts[part]
	}
	return text
}

// memberParts are the parts of facts for people.
var memberParts = map[string]string{"verified_at": "read", "source": "source", "short": "in short", "quote": "quote", "read": "copy", "classes": "classes"}

// valueChange returns the change of a value: the items of a list by name, a short text with both values.
func valueChange(m catalog.MemberChange) string {
	was, is := m.Text(m.Old), m.Text(m.New)
	if list, ok := ListChange(m); ok {
		return list
	}
	switch short := len([]rune(was)) <= shortValue && len([]rune(is)) <= shortValue; {
	case is == "":
		return "no longer stated"
	case strings.HasPrefix(is, "[") || strings.HasPrefix(is, "{"):
		return "edited"
	case was == "" && short:
		return is
	case was == "":
		return "stated"
	case short:
		return fmt.Sprintf("“%s” is now “%s”", was, is)
	}
	return "reworded"
}

// ListChange returns the items that a list gained and lost.
func ListChange(m catalog.MemberChange) (text string, ok bool) {
	was, isOld := itemNames(m.Old)
	is, isNew := itemNames(m.New)
	if !isOld || !isNew {
		return "", false
	}
	c := itemChanges{added: Difference(is, was), removed: Difference(was, is)}
	if len(c.added)+len(c.removed) == 0 {
		return "reworded", true
	}
	return c.String(), true
}

// Difference returns the items of a list that another one does not have.
func Difference(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(item string) bool { return slices.Contains(other, item) })
}

// itemNames returns the names of the items of a list; ok is false for another value, and for items without short names.
func itemNames(value json.RawMessage) (names []string, ok bool) {
	var list []any
	if json.Unmarshal(value, &list) != nil {
		return nil, false
	}
	for _, v := range list {
		if object, isObject := v.(map[string]any); isObject {
			v = object["name"]
		}
		name, isText := v.(string)
		if !isText || len(name) > shortValue {
			return nil, false
		}
		names = append(names, name)
	}
	return names, true
}

// An itemChanges is the changed items of a list.
type itemChanges struct{ added, removed, edited []string }

func (c *itemChanges) add(item string, m catalog.MemberChange) {
	switch null := func(v json.RawMessage) bool { return len(v) == 0 || string(v) == "null" }; {
	case null(m.Old):
		c.added = append(c.added, item)
	case null(m.New):
		c.removed = append(c.removed, item)
	default:
		c.edited = append(c.edited, item)
	}
}

// String returns the changes in words; of many items, the number.
func (c *itemChanges) String() string {
	var parts []string
	for _, part := range []struct {
		items []string
		verb  string
	}{{c.added, "added"}, {c.removed, "removed"}, {c.edited, "edited"}} {
		switch n := len(part.items); {
		case n > namedItems:
			parts = append(parts, fmt.Sprintf("%d %s", n, part.verb))
		case n > 0:
			parts = append(parts, strings.Join(part.items, ", ")+" "+part.verb)
		}
	}
	return strings.Join(parts, "; ")
}
