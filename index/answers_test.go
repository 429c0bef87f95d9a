package index

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"testing"
)

// A question is one that people ask, with the passages that answer it: any of them. Without answers, the catalogue has
// none, and an answer must be empty.
type question struct {
	Question string `json:"question"`
	Answers  []struct {
		Record string `json:"record"` // "": any
		Has    string `json:"has"`    // a regular expression for the passage's title and text, without regard to case
	} `json:"answers"`
}

// answersFile names a second file of questions, such as one that the ranking was not tuned on.
const answersFile = "ALMANAC_ANSWERS"

// rawRow matches the columns of a data set written out.
var rawRow = regexp.MustCompile(`\w+: [^;]+; \w+: [^;]+; \w+: |read: git snapshot`)

// TestAnswers: most questions are answered by the first passage, nearly all by the first three hits; what the catalogue
// does not know gets no hits.
func TestAnswers(t *testing.T) {
	judgeAnswers(t, "testdata/answers.json", 77, 93, 90)
}

// TestOtherAnswers judges the questions of a file outside of the project.
func TestOtherAnswers(t *testing.T) {
	file := os.Getenv(answersFile)
	if file == "" {
		t.Skip(answersFile + " names no file of questions")
	}
	judgeAnswers(t, file, 0, 0, 0)
}

// judgeAnswers asks the questions of a file, and reports shares below the floors, in percent.
func judgeAnswers(t *testing.T, file string, first, three, nothing int) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var questions []question
	if err := json.Unmarshal(data, &questions); err != nil {
		t.Fatal(err)
	}
	x := realIndex(t)
	var asked, byFirst, byThree, none, empty, raw int
	for _, q := range questions {
		r, err := x.Search(t.Context(), Query{Text: q.Question})
		if err != nil {
			t.Errorf("%q: %v", q.Question, err)
			continue
		}
		if len(q.Answers) == 0 {
			none++
			if r.Total == 0 {
				empty++
			} else {
				t.Logf("%q finds %s, without %q", q.Question, r.Entries[0].ID(), r.Entries[0].Missing)
			}
			continue
		}
		asked++
		at := -1
		for i := range r.Entries[:min(3, len(r.Entries))] {
			h := &r.Entries[i]
			for j, p := range h.Passages {
				if rawRow.MatchString(p.Text) {
					raw++
				}
				answers := slices.ContainsFunc(q.Answers, func(a struct {
					Record string `json:"record"` // "": any
					Has    string `json:"has"`
				}) bool {
					return (a.Record == "" || a.Record == h.ID()) && regexp.MustCompile("(?i)"+a.Has).MatchString(p.Title+"\n"+p.Text)
				})
				if answers && at < 0 {
					at = i*10 + j
				}
			}
		}
		switch {
		case at == 0:
			byFirst++
			byThree++
		case at > 0:
			byThree++
			t.Logf("%q: hit %d, passage %d; the first is %s: %.100q", q.Question, at/10+1, at%10+1, r.Entries[0].ID(), r.Entries[0].Passages[0].Title+": "+r.Entries[0].Passages[0].Text)
		default:
			var ids []string
			for _, h := range r.Entries[:min(3, len(r.Entries))] {
				ids = append(ids, h.ID()+"#"+h.Passages[0].Title)
			}
			t.Logf("%q: no answer in %q", q.Question, ids)
		}
	}
	share := func(n, of int) int { return 100 * n / max(1, of) }
	t.Logf("%d questions: %d %% answered by the first passage, %d %% by the first three hits, %d raw rows; %d without an answer: %d %% empty",
		asked, share(byFirst, asked), share(byThree, asked), raw, none, share(empty, none))
	if share(byFirst, asked) < first || share(byThree, asked) < three || share(empty, none) < nothing || raw > 0 {
		t.Errorf("want %d %% by the first passage, %d %% by three hits, %d %% empty, no raw rows", first, three, nothing)
	}
}
