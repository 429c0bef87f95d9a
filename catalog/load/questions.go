package load

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"go.almanac.example/catalog"
)

// The bounds of the questions of a record.
const (
	maxQuestions = 20
	maxQuestion  = 120 // characters
)

// questionKinds are the kinds of records that answer questions.
var questionKinds = []string{"library", "protocol", "article", "dataset"}

func lintQuestions(src *source, t *targets) {
	for _, record := range src.Questions {
		at := src.lintFile(src.paths[record], record)
		folder, name := path.Base(path.Dir(at.path)), fileID(at.path)
		kind, id := catalog.HistoryRecord(record.Record)
		known := t.records[kind]
		if kind == "protocol" {
			known = t.pages
		}
		switch {
		case kind != folder || id != name:
			at.add("record", "is %q and the file is questions/%s/%s.json; make them agree", record.Record, folder, name)
		case !slices.Contains(questionKinds, kind):
			at.add("record", "%q is not of a kind that answers questions; use a library entry, a protocol, an article or a dataset", record.Record)
		default:
			at.subject("record", kind, id, known)
		}
		switch n := len(record.Questions); {
		case n == 0 && len(record.Passages) == 0:
			at.add("questions", "is empty; write one, or remove the file")
		case n > maxQuestions:
			at.add("questions", "has %d questions; keep the best %d", n, maxQuestions)
		}
		for i, question := range record.Questions {
			if n := len([]rune(question)); n > maxQuestion {
				at.add(fmt.Sprintf("questions[%d]", i), "has %d characters; shorten it to %d", n, maxQuestion)
			}
		}
		keys := make(map[string]string) // by question
		for _, key := range sortedKeys(record.Passages) {
			question, member := record.Passages[key], "passages["+key+"]"
			at.text(member, question, maxQuestion)
			if other, ok := keys[question]; ok {
				at.add(member, "is also the question of %s; ask for what this passage alone says", other)
			}
			keys[question] = key
		}
	}
}

// CheckQuestions checks that each question of a passage belongs to a text that its record has: one whose passage was
// edited is for nobody until somebody reads both. passages returns the texts of a record. The result is the number of
// passages and of those without a question; the error is of type Faults.
func CheckQuestions(c *catalog.Catalog, passages func(record string) []string) (all, open int, err error) {
	var faults Faults
	for _, record := range c.AnsweringRecords() {
		asked, lost := c.QuestionRecord(record.ID).Passages, make(set)
		for key := range asked {
			lost[key] = true
		}
		var free []string // the passages without a question
		for _, text := range passages(record.ID) {
			key := c.PassageKey(text)
			if all++; asked[key] == "" {
				free = append(free, fmt.Sprintf("%s %.60q", key, text))
			}
			delete(lost, key)
		}
		open += len(free)
		_, id := catalog.HistoryRecord(record.ID)
		at := linter{&faults, "questions/" + record.Kind + "/" + id + ".json", ""}
		for _, key := range sortedKeys(lost) {
			at.add("passages["+key+"]", "no passage has this key, because its text changed; give %q the key of the passage that answers it, or remove it. Without a question: %s",
				asked[key], strings.Join(free, ", "))
		}
	}
	return all, open, faults.err()
}
