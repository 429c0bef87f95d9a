package load

import (
	"fmt"
	"path"

	"almanac/catalog"
)

// The bounds of the questions of a record.
const (
	maxQuestions = 20
	maxQuestion  = 120 // characters
)

func lintQuestions(l *faultList, records []located[*catalog.QuestionRecord], t *targets) {
	of := map[string]set{"library": t.entries, "protocol": t.protocols, "article": t.articles, "dataset": t.datasets}
	for _, q := range records {
		at, record := linter{l, q.path, ""}, q.record
		folder := path.Base(path.Dir(q.path))
		kind, id := record.Kind()
		switch {
		case kind != folder || id != fileID(q.path):
			at.add("record", "is %q and the file is questions/%s/%s.json; make them agree", record.Record, folder, fileID(q.path))
		case of[kind] == nil:
			at.add("record", "%q is not of a kind that answers questions; use a library entry, a protocol, an article or a dataset", record.Record)
		case !of[kind][id]:
			at.add("record", "there is no %s %q%s; correct it, or remove the file", kind, id, of[kind].didYouMean(id))
		}
		at.list("questions", record.Questions)
		switch n := len(record.Questions); {
		case n == 0:
			at.add("questions", "is empty; write one, or remove the file")
		case n > maxQuestions:
			at.add("questions", "has %d questions; keep the best %d", n, maxQuestions)
		}
		for i, question := range record.Questions {
			if n := len([]rune(question)); n > maxQuestion {
				at.add(fmt.Sprintf("questions[%d]", i), "has %d characters; shorten it to %d", n, maxQuestion)
			}
		}
	}
}
