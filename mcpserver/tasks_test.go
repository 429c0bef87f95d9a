package mcpserver

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A task is a question of a model's, with the calls that answer it.
type task struct {
	Question string
	Answer   string // a regular expression for the answer
	After    []toolUse
}

type toolUse struct {
	Tool      string
	Arguments json.RawMessage
}

// tasks are typical questions, written before any answer was seen.
func tasks(t *testing.T) (list []task) {
	t.Helper()
	b, err := os.ReadFile("testdata/tasks.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// A taskCost is what a task took.
type taskCost struct {
	calls, tokens int
	answered      bool
}

// cost runs the calls of a task, until one answers. A token is counted as four bytes of the text that a model reads.
func (k *task) cost(uses []toolUse, call func(tool, arguments string) toolResult) (c taskCost) {
	answer := regexp.MustCompile(k.Answer)
	for _, u := range uses {
		r := call(u.Tool, string(u.Arguments))
		c.calls++
		c.tokens += (len(r.Content[0].Text) + 3) / 4
		if !r.IsError && answer.MatchString(r.Content[0].Text) {
			c.answered = true
			break
		}
	}
	return c
}

// taskFile has the published costs of the tasks.
const taskFile = "testdata/tasks.md"

// TestTaskCosts: the tasks take the calls of the golden file, two at most, and at most a quarter more tokens, since the
// data grow.
func TestTaskCosts(t *testing.T) {
	s := serverOver(t, Options{Paid: paid()})
	call := func(tool, arguments string) toolResult { return callTool(t, s, false, tool, arguments) }
	golden, err := os.ReadFile(taskFile)
	if err != nil {
		t.Fatal(err)
	}
	updated := string(golden)
	for _, k := range tasks(t) {
		c := k.cost(k.After, call)
		row := regexp.MustCompile(`(?m)^(\| ` + regexp.QuoteMeta(k.Question) + `) \| (\d+) \| ([\d,]+) \| (yes|no) \|$`).FindStringSubmatch(updated)
		if row == nil {
			t.Errorf("%s has no row of %q, which takes %d calls and %d tokens", taskFile, k.Question, c.calls, c.tokens)
			continue
		}
		updated = strings.Replace(updated, row[0], row[1]+c.columns(), 1)
		calls, _ := strconv.Atoi(row[2])
		published, _ := strconv.Atoi(strings.ReplaceAll(row[3], ",", ""))
		dearer := c.answered != (row[4] == "yes") || c.calls != calls || c.tokens > published+published/4
		if c.calls > 2 || dearer && !*update {
			t.Errorf("%s takes%s published are%s", k.Question, c.columns(), strings.TrimPrefix(row[0], row[1]))
		}
	}
	if *update {
		if err := os.WriteFile(taskFile, []byte(updated), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// columns returns the columns of a cost in the golden file.
func (c taskCost) columns() string {
	word := "no"
	if c.answered {
		word = "yes"
	}
	return fmt.Sprintf(" | %d | %s | %s |", c.calls, thousands(c.tokens), word)
}

func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}
