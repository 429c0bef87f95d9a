package tools

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"go.almanac.example/l402"
)

// TestBudgetOfCredential: the balance of a credential with a budget names the budget and the account, as text and as members.
func TestBudgetOfCredential(t *testing.T) {
	until := time.Date(2026, 12, 21, 12, 0, 0, 0, time.UTC)
	paid := &Paid{Balance: func(_ context.Context, _ string) (l402.Balance, error) {
		return l402.Balance{Remaining: 4, ValidUntil: until, Account: 70, Branches: []l402.BranchBalance{{Path: "research"}, {Path: "research/summaries"}}}, nil
	}}
	result, err := paid.check(t.Context(), "m:p")
	if err != nil {
		t.Fatal(err)
	}
	a := newTestAnswer(result)
	var got struct {
		Credits struct {
			Left        int
			ValidUntil  time.Time `json:"valid_until"`
			Branch      string
			AccountLeft int `json:"account_left"`
		}
	}
	if err := json.Unmarshal(a.structured, &got); err != nil {
		t.Fatal(err)
	}
	if c := got.Credits; c.Left != 4 || c.Branch != "research/summaries" || c.AccountLeft != 70 || !c.ValidUntil.Equal(until) {
		t.Errorf("%+v", c)
	}
	text := string(a.encoded())
	for _, want := range []string{"4 credits are left of the budget of research/summaries, and 70 of the account", `account_left`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s has no %q", text, want)
		}
	}
}
