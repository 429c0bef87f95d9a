package index

import (
	"encoding/json"
	"hash/fnv"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// held are questions that no rule was chosen by, each with the beginning of the passage that answers it.
var held = map[string]string{
	"EIP-712 name of USDC on eip155:84532":                                   "x402 on Base Sepolia (eip155:84532), asset USDC",
	"define nutzap":                                                          "A nutzap ",
	"what is the meaning of facilitator":                                     "A facilitator in x402 is ",
	"how deep can a sub-agent pass on its almanac credential":                "No library is needed.",
	"people behind the Croissant dataset format":                             "Omar Benjelloun of Google",
	"why does a budget kept in memory lose money when the process is killed": "An agent with a budget keeps two numbers",
	"which hints can an MCP tool give about itself":                          "The tool annotations of MCP are",
	"does AP2 support stablecoins?":                                          "Agent Payments Protocol (AP2), payment rail: ",
}

// firsts returns the questions of testdata and of held that a search answers first, or rightly not at all.
func firsts(t *testing.T, x *Index) map[string]bool {
	right := make(map[string]bool)
	var questions []question
	data, err := os.ReadFile("testdata/answers.json")
	if err != nil || json.Unmarshal(data, &questions) != nil {
		t.Fatal("testdata/answers.json cannot be read: ", err)
	}
	for _, q := range questions {
		r := ask(t, x, Query{Text: q.Question, Limit: 1})
		right[q.Question] = r.Total == 0 && len(q.Answers) == 0
		for _, a := range q.Answers {
			if r.Total > 0 && (a.Record == "" || a.Record == r.Entries[0].ID()) {
				p := r.Entries[0].Passages[0]
				right[q.Question] = right[q.Question] || regexp.MustCompile("(?i)"+a.Has).MatchString(p.Title+"\n"+p.Text)
			}
		}
	}
	for q, begins := range held {
		r := ask(t, x, Query{Text: q, Limit: 1})
		right[q] = r.Total > 0 && strings.HasPrefix(r.Entries[0].Passages[0].Text, begins)
	}
	for _, file := range []string{"testdata/queries.txt", "testdata/golden.txt"} {
		if data, err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if query, ids, ok := strings.Cut(line, "=>"); ok && line[0] != '#' {
				r := ask(t, x, Query{Text: strings.TrimSpace(query), Limit: 1})
				right[query] = r.Total > 0 && slices.Contains(strings.Fields(ids), r.Entries[0].ID())
			}
		}
	}
	return right
}

// TestRules prints what each rule of the ranker gains in two halves of the questions, and one that needs it. A rule that
// none needs is to be deleted.
func TestRules(t *testing.T) {
	if testing.Short() {
		t.Skip("asks all questions once for each rule")
	}
	x := realIndex(t)
	with, before := firsts(t, x), rules
	defer func() { rules = before }()
	for r := range rules {
		rules[r].weight = 0
		without := firsts(t, x)
		rules = before
		var gain, lost [2]int
		needs := ""
		for q, right := range with {
			h := fnv.New32a()
			h.Write([]byte(q))
			switch half := h.Sum32() / 7 % 2; {
			case right && !without[q]:
				gain[half]++
				needs = max(needs, q)
			case !right && without[q]:
				lost[half]++
			}
		}
		t.Logf("%-18s gains %2d and loses %2d, %2d and %2d: %s", rules[r].name, gain[0], lost[0], gain[1], lost[1], strings.TrimSpace(needs))
		if needs == "" {
			t.Errorf("no question needs the rule %q", rules[r].name)
		}
	}
}
