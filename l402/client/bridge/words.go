package bridge

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/l402/client"
	"almanac/l402/client/journal"
)

// Approve asks the user about a payment above Config.AskAbove. A host that cannot ask gets none.
func (b *Bridge) Approve(ctx context.Context, o client.Quote) error {
	if b.cfg.AskAbove < 0 || o.AmountMilliSats <= b.cfg.AskAbove*1000 {
		return nil
	}
	session, ok := ctx.Value(sessionKey{}).(*mcp.ServerSession)
	if !ok {
		return fmt.Errorf("the price of %s is above %d sat, and there is nobody to ask", sats(o.AmountMilliSats), b.cfg.AskAbove)
	}
	what := ""
	if o.Credits > 0 {
		what = fmt.Sprintf(" for %d requests", o.Credits)
	}
	answer, err := session.Elicit(ctx, &mcp.ElicitParams{
		Message:         fmt.Sprintf("Pay %s to %s%s? At most %s more for routing.", sats(o.AmountMilliSats), strings.TrimPrefix(strings.TrimPrefix(o.Origin, "https://"), "http://"), what, sats(o.FeeLimitMilliSats)),
		RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}},
	})
	if err != nil {
		return fmt.Errorf("the price of %s is above %d sat, and the user cannot be asked: %w", sats(o.AmountMilliSats), b.cfg.AskAbove, err)
	}
	if answer.Action != "accept" {
		return fmt.Errorf("the user does not want to pay %s", sats(o.AmountMilliSats))
	}
	return nil
}

// purchases are the payments of one call.
type purchases struct {
	mu  sync.Mutex
	all []journal.Purchase
}

func (s *purchases) add(p journal.Purchase) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, p)
}

// msat returns the sum, with fees.
func (s *purchases) msat() (sum int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.all {
		sum += p.AmountMilliSats + p.FeeMilliSats
	}
	return sum
}

// refused is the result of a call that was not paid for.
func (b *Bridge) refused(ctx context.Context, r *client.Refusal) *mcp.CallToolResult {
	text := "This costs money. It was " + r.Message + "."
	if !strings.HasPrefix(r.Message, "not paid") {
		text = "This costs money, and " + r.Message + "."
	}
	if budget := b.budget(ctx); budget != "" {
		text += " " + budget
	}
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}, Meta: mcp.Meta{"almanac/refusal": string(r.Reason)}}
}

// report adds the amount spent and the balance to a result.
func (b *Bridge) report(ctx context.Context, result *mcp.CallToolResult, spent *purchases) {
	left := balanceOf(result)
	var parts []string
	if msat := spent.msat(); msat > 0 {
		parts = append(parts, fmt.Sprintf("%s were paid for this.", sats(msat)))
	}
	if left.Known {
		parts = append(parts, fmt.Sprintf("%d requests are left of what was paid for.", left.Remaining))
	}
	if len(parts) == 0 {
		return
	}
	if budget := b.budget(ctx); budget != "" {
		parts = append(parts, budget)
	}
	result.Content = append(result.Content, &mcp.TextContent{Text: strings.Join(parts, " ")})
	if result.Meta == nil {
		result.Meta = mcp.Meta{}
	}
	result.Meta["almanac/spent_msat"] = spent.msat()
}

// budget returns the state of the budget in words.
func (b *Bridge) budget(ctx context.Context) string {
	s, err := b.client.Spending(context.WithoutCancel(ctx))
	if err != nil {
		return ""
	}
	text := fmt.Sprintf("Spent today: %s", sats(s.Today))
	if s.TodayLimit > 0 {
		text += " of " + sats(s.TodayLimit)
	}
	if s.AllLimit > 0 {
		text += fmt.Sprintf("; in all %s of %s", sats(s.All), sats(s.AllLimit))
	}
	return text + "."
}

func sats(msat int64) string {
	if msat%1000 == 0 {
		return fmt.Sprintf("%d sat", msat/1000)
	}
	return fmt.Sprintf("%d.%03d sat", msat/1000, msat%1000)
}
