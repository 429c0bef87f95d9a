package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/peer"
	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"
	"go.almanac.example/tools"
)

// purse is a paid search that records what it is asked.
type purse struct {
	credits    int
	spent      []string // credentials
	searches   []l402.Request
	reasons    []error
	refunds    int
	challenges []netip.Addr
	spendErr   error
	challenge  error
}

func (p *purse) paid() *tools.Paid {
	return &tools.Paid{
		Terms: catalog.DefaultTerms,
		Spend: func(_ context.Context, search l402.Request) (tools.Charge, error) {
			p.searches = append(p.searches, search)
			if p.spendErr != nil {
				return nil, p.spendErr
			}
			p.spent = append(p.spent, search.Credential)
			p.credits--
			return &charge{left: left(p.credits), waive: func(context.Context) l402.Balance {
				p.refunds++
				p.credits++
				return left(p.credits)
			}}, nil
		},
		Balance: func(context.Context, string) (l402.Balance, error) { return left(p.credits), p.spendErr },
		Challenge: func(_ context.Context, source netip.Addr, reason error) (*l402.Challenge, error) {
			p.challenges = append(p.challenges, source)
			p.reasons = append(p.reasons, reason)
			hash, err := l402.ParseTokenID(strings.Repeat("ab", 32))
			if err != nil {
				return nil, err
			}
			return &l402.Challenge{Terms: l402.Terms{PriceSats: 100, Credits: 100, Validity: 30 * 24 * time.Hour}, Macaroon: "AgEEbWFj+/==", Invoice: "lnbcrt1u1test", PaymentHash: hash, ExpiresAt: now.Add(15 * time.Minute)}, p.challenge
		},
	}
}

const credential = "AgEEbWFj:0000000000000000000000000000000000000000000000000000000000000000"

func TestSearchWithoutCredential(t *testing.T) {
	p := &purse{credits: 100}
	endpoint := serverOver(t, Options{Paid: p.paid()})
	s := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		endpoint.ServeHTTP(w, r.WithContext(peer.NewContext(r.Context(), netip.MustParseAddr("203.0.113.7"))))
	})
	for _, modern := range []bool{false, true} {
		rep := send(s, request(modern, body(modern, "tools/call", toolCall("search_passages", `{"query":"macaroon & caveats"}`))))
		if rep.Status != 200 || rep.Header.Get("WWW-Authenticate") != "" {
			t.Errorf("answered %d: the model never sees HTTP's 402", rep.Status)
		}
		var r toolResult
		if err := json.Unmarshal(rep.Result, &r); err != nil {
			t.Fatal(err)
		}
		var got struct {
			Required map[string]any `json:"payment_required"`
		}
		if err := json.Unmarshal(r.Structured, &got); err != nil || !r.IsError {
			t.Fatalf("answered %s", rep.Body)
		}
		for name, want := range map[string]any{
			"scheme": "L402", "price_sats": 100.0, "credits": 100.0, "valid_days": 30.0, "invoice": "lnbcrt1u1test",
			"payment_hash": strings.Repeat("ab", 32), "macaroon": "AgEEbWFj+/==", "expires_at": "2026-11-22T12:15:00Z",
		} {
			if got.Required[name] != want {
				t.Errorf("%s is %v, want %v", name, got.Required[name], want)
			}
		}
		for _, words := range []string{"100 satoshis", "100 searches", "30 days", "lnbcrt1u1test", "AgEEbWFj+/==:<preimage>", "argument l402", "Keep it for 100 searches: do not pay for each. search_passages without query returns how many are left", "BOLT 11", "/v1/search?q=macaroon+%26+caveats", "Authorization: L402", "Free alternatives: search, fetch and list_entries"} {
			if !strings.Contains(r.Content[0].Text, words) {
				t.Errorf("the text does not say %q:\n%s", words, r.Content[0].Text)
			}
		}
	}
	if len(p.spent) != 0 || len(p.challenges) != 2 || p.challenges[0].String() != "203.0.113.7" {
		t.Errorf("spent %v, challenges for %v", p.spent, p.challenges)
	}
}

// TestSearchChecksBeforeItAsks holds that nobody is asked for money for a query that cannot be
// answered.
func TestSearchChecksBeforeItAsks(t *testing.T) {
	p := &purse{credits: 100}
	s := serverOver(t, Options{Paid: p.paid()})
	for _, arguments := range []string{
		`{}`, `{"query":""}`, `{"query":"   "}`, `{"query":"` + strings.Repeat("x", 12<<10) + `"}`,
		`{"query":true}`, `{"query":"x","limit":-1}`, `{"query":"x","category":"nope"}`, `{"query":"x","tag":"nope"}`, `{"query":"x","cursor":"garbage"}`,
		`{"query":"x","published_from":"2026-02-30"}`, `{"query":"x","extra":1}`, `{"query":"x","l402":5}`,
	} {
		r := callTool(t, s, false, "search_passages", arguments)
		if !r.IsError || r.Structured != nil || strings.Contains(r.Content[0].Text, "lnbcrt") {
			t.Errorf("%.60s answered %.300s", arguments, r.Content[0].Text)
		}
	}
	if len(p.spent)+len(p.challenges) != 0 {
		t.Errorf("%d credits spent, %d invoices made", len(p.spent), len(p.challenges))
	}
}

func TestSearchTakesCredentialAnywhere(t *testing.T) {
	arguments := `{"query":"macaroon"}`
	for name, make := range map[string]func() (string, string){ // params and header
		"argument": func() (string, string) {
			return toolCall("search_passages", `{"query":"macaroon","l402":"`+credential+`"}`), ""
		},
		"_meta": func() (string, string) {
			return toolCall("search_passages", arguments) + `,"_meta":{"almanac/l402":"` + credential + `"}`, ""
		},
		"header": func() (string, string) { return toolCall("search_passages", arguments), "L402 " + credential },
		"LSAT":   func() (string, string) { return toolCall("search_passages", arguments), "lsat " + credential },
		"_meta before the argument": func() (string, string) {
			return toolCall("search_passages", `{"query":"macaroon","l402":"other"}`) + `,"_meta":{"almanac/l402":"` + credential + `"}`, "L402 other"
		},
		"argument before the header": func() (string, string) {
			return toolCall("search_passages", `{"query":"macaroon","l402":"`+credential+`"}`), "L402 other"
		},
	} {
		p := &purse{credits: 100}
		s := serverOver(t, Options{Paid: p.paid()})
		params, header := make()
		r := request(false, body(false, "tools/call", params))
		if header != "" {
			r.Header.Set("Authorization", header)
		}
		rep := send(s, r)
		var got toolResult
		var hits struct {
			Total, Count int
			Hits         []struct {
				ID string
			}
			Credits struct{ Left int }
		}
		if json.Unmarshal(rep.Result, &got) != nil || got.IsError || json.Unmarshal([]byte(got.Content[0].Text), &hits) != nil {
			t.Fatalf("%s: %s", name, rep.Body)
		}
		if len(p.spent) != 1 || !strings.Contains(p.spent[0], credential) {
			t.Errorf("%s: spent %v", name, p.spent)
		}
		if hits.Count == 0 || hits.Hits[0].ID == "" || hits.Credits.Left != 99 {
			t.Errorf("%s: %s", name, got.Content[0].Text)
		}
		if !strings.Contains(got.Content[0].Text, `"credits":{"left":99,"valid_until":"2026-12-22`) ||
			!strings.Contains(string(got.Meta), `"almanac/l402-receipt":{"credits_left":99,"valid_until":"2026-12-22T12:00:00Z"}`) {
			t.Errorf("%s does not tell what is left: %s %s", name, got.Content[0].Text, got.Meta)
		}
		if strings.Contains(string(rep.Body), credential) {
			t.Errorf("%s: the answer repeats the credential", name)
		}
	}
	p := &purse{}
	s := serverOver(t, Options{Paid: p.paid()})
	r := request(false, body(false, "tools/call", toolCall("search_passages", arguments)))
	r.Header.Set("Authorization", "Bearer of-a-gateway")
	if send(s, r); len(p.spent) != 0 || len(p.challenges) != 1 {
		t.Error("a bearer token was taken for a credential")
	}
}

// TestSearchIsPaged holds that the pages of a search add up, those too that are cut because fifty
// hits are more than an answer may hold.
func TestSearchIsPaged(t *testing.T) {
	s := serverOver(t, Options{Paid: (&purse{credits: 100}).paid()})
	const limit = 50
	seen, total, cursor, cut := make(map[string]bool), 0, "", false
	for {
		r := callTool(t, s, false, "search_passages", fmt.Sprintf(`{"query":"regulation security standards specification","limit":%d,"cursor":%q,"l402":%q}`, limit, cursor, credential))
		var page struct {
			Total, Count int
			Hits         []struct{ ID string }
			Next         string `json:"next_cursor"`
			Truncated    bool
		}
		if err := json.Unmarshal(r.Structured, &page); err != nil || r.IsError || page.Count != len(page.Hits) {
			t.Fatalf("answered %s", r.Content[0].Text)
		}
		for _, h := range page.Hits {
			if seen[h.ID] {
				t.Errorf("%s is on two pages", h.ID)
			}
			seen[h.ID] = true
		}
		if page.Truncated && page.Count >= limit {
			t.Errorf("truncated %v: %.200s", page.Truncated, r.Content[0].Text)
		}
		total, cursor, cut = page.Total, page.Next, cut || page.Truncated
		if cursor == "" {
			break
		}
	}
	if len(seen) != total || !cut {
		t.Errorf("%d hits of %d; a page was cut: %v", len(seen), total, cut)
	}
}

func TestSearchThatFailsCostsNothing(t *testing.T) {
	search := func(s *Server, query string) toolResult {
		return callTool(t, s, false, "search_passages", `{"query":`+quoted(query)+`,"l402":"`+credential+`"}`)
	}
	t.Run("nothing found", func(t *testing.T) {
		p := &purse{credits: 100}
		r := search(serverOver(t, Options{Paid: p.paid()}), "zqxjkvbwpt")
		if r.IsError || p.credits != 100 || p.refunds != 1 || !strings.Contains(r.Content[0].Text, `"missing":["zqxjkvbwpt"]`) || !strings.Contains(r.Content[0].Text, "and no credit was taken") || !strings.Contains(r.Content[0].Text, `"left":100`) {
			t.Errorf("%d credits, %d refunds: %s", p.credits, p.refunds, r.Content[0].Text)
		}
	})
	t.Run("a long query", func(t *testing.T) { // is answered, and the answer says that it was cut
		r := search(serverOver(t, Options{Paid: (&purse{credits: 100}).paid()}), "macaroon "+strings.Repeat("payment ", 100))
		if r.IsError || !strings.Contains(r.Content[0].Text, "only its beginning was searched for") {
			t.Errorf("%.300s", r.Content[0].Text)
		}
	})
	t.Run("search fails", func(t *testing.T) {
		back := make(chan error, 1)
		p := (&purse{}).paid()
		p.Spend = func(ctx context.Context, _ l402.Request) (tools.Charge, error) {
			<-ctx.Done() // no time is left for the search
			return &charge{left: left(99), waive: func(ctx context.Context) l402.Balance {
				back <- ctx.Err()
				return left(100)
			}}, nil
		}
		r := search(serverOver(t, Options{Paid: p, Deadline: 10 * time.Millisecond, Log: quiet()}), "macaroon")
		if !r.IsError || !strings.Contains(r.Content[0].Text, "timed out") {
			t.Errorf("answered %s", r.Content[0].Text)
		}
		if err := <-back; err != nil {
			t.Errorf("the refund was cancelled with the call: %v", err)
		}
	})
	t.Run("the same again", func(t *testing.T) {
		p := &purse{credits: 100}
		s := serverOver(t, Options{Paid: p.paid()})
		search(s, "macaroon")
		search(s, "macaroon")
		search(s, "lightning")
		callTool(t, s, false, "search_passages", `{"l402":"`+credential+`","limit":5,"query":"macaroon"}`) // 5 is the default
		send(s, request(false, body(false, "tools/call", toolCall("search_passages", `{"query":"macaroon","l402":"`+credential+`"}`)+`,"_meta":{"almanac/idempotency-key":"k"}`)))
		if len(p.searches) != 5 {
			t.Fatalf("%d searches were charged, want 5", len(p.searches))
		}
		if diff := cmp.Diff(p.searches[0], p.searches[1]); diff != "" {
			t.Errorf("a repeated search is another one:\n%s", diff)
		}
		if diff := cmp.Diff(p.searches[0], p.searches[3]); diff != "" {
			t.Errorf("the same search in other words of JSON is another one:\n%s", diff)
		}
		if string(p.searches[2].Content) == string(p.searches[0].Content) {
			t.Error("two searches are the same")
		}
		keyed := p.searches[0]
		keyed.Key = "k"
		if diff := cmp.Diff(keyed, p.searches[4]); diff != "" {
			t.Errorf("the key in _meta is not that of the search:\n%s", diff)
		}
	})
	t.Run("the reason", func(t *testing.T) {
		p := &purse{spendErr: problem.New(problem.CreditsExhausted)}
		s := serverOver(t, Options{Paid: p.paid()})
		search(s, "macaroon")
		callTool(t, s, false, "search_passages", `{"query":"macaroon"}`)
		if len(p.reasons) != 2 || !errors.Is(p.reasons[0], p.spendErr) || p.reasons[1] != nil {
			t.Errorf("challenges because of %v, want the refusal and nil", p.reasons)
		}
	})
}

func TestSearchWhenMoneyFails(t *testing.T) {
	for _, c := range []struct {
		name      string
		purse     purse
		challenge bool // a new invoice is offered
		want      string
	}{
		{"used up", purse{spendErr: problem.New("credits_exhausted")}, true, "The credential was not accepted. Credits used up."},
		{"malformed", purse{spendErr: problem.Errorf("credential_malformed", "Send it otherwise.")}, false, "The credential was not accepted. Send it otherwise. You seem to have paid already: do not pay again"},
		{"unproven", purse{spendErr: problem.New(problem.PaymentUnproven)}, false, "do not pay again"},
		{"revoked", purse{spendErr: problem.New(problem.CredentialRevoked)}, true, "The credential was not accepted."},
		{"ledger down", purse{spendErr: &problem.Problem{Code: problem.LedgerUnavailable, RetryAfter: 5 * time.Second}}, false, "Try again in 5 seconds."},
		{"node down", purse{spendErr: problem.New("credential_expired"), challenge: problem.New(problem.NodeUnavailable)}, false, "No credit was taken"},
		{"too many invoices", purse{spendErr: problem.New("credential_expired"), challenge: &problem.Problem{Code: problem.RateLimited, RetryAfter: time.Minute}}, false, "Try again in 60 seconds"},
	} {
		s := serverOver(t, Options{Paid: c.purse.paid()})
		r := callTool(t, s, false, "search_passages", `{"query":"macaroon","l402":"`+credential+`"}`)
		if !r.IsError || !strings.Contains(r.Content[0].Text, c.want) || strings.Contains(r.Content[0].Text, "lnbcrt") != c.challenge {
			t.Errorf("%s: %s", c.name, r.Content[0].Text)
		}
	}
	p := &purse{spendErr: errors.New("sql: secret of the ledger")}
	s := serverOver(t, Options{Paid: p.paid(), Log: quiet()})
	rep := send(s, request(false, body(false, "tools/call", toolCall("search_passages", `{"query":"macaroon","l402":"`+credential+`"}`))))
	if rep.Error == nil || rep.Error.Code != -32603 || strings.Contains(string(rep.Body), "secret") {
		t.Errorf("a fault of ours answered %s", rep.Body)
	}
}

// TestSearchIsLiteral holds that users' text is never query syntax, whatever it looks like.
func TestSearchIsLiteral(t *testing.T) {
	p := &purse{credits: 1000}
	s := serverOver(t, Options{Paid: p.paid()})
	for _, q := range []string{"*", "~", "/re.*/", "+-", "the of and", "a*b?c", `"`, `tag:`, "\u202e", "😀", strings.Repeat("a ", 100), "title:macaroon^5", "macaroon~2"} {
		r := callTool(t, s, true, "search_passages", `{"query":`+quoted(q)+`,"l402":"`+credential+`"}`)
		if r.Content[0].Text == "" {
			t.Errorf("%q answered nothing", q)
		}
	}
}

func TestUnpaidServerHasNoSearch(t *testing.T) {
	s := serverOver(t, Options{})
	rep := send(s, request(false, body(false, "tools/list", "")))
	if strings.Contains(string(rep.Body), "search_passages") || strings.Contains(s.o.Paid.Instructions(real().Catalog.Identity()), "search_passages") {
		t.Error("search_passages is offered without payments")
	}
	if rep := send(s, request(false, body(false, "tools/call", toolCall("search_passages", "{}")))); rep.Error == nil || rep.Error.Code != -32602 {
		t.Errorf("calling it answered %s", rep.Body)
	}
}

// TestCheckCredits: the balance is free, from wherever the credential is taken, and a credential that
// cannot be used is refused without an invoice.
func TestCheckCredits(t *testing.T) {
	p := &purse{credits: 42}
	s := serverOver(t, Options{Paid: p.paid()})
	for _, arguments := range []string{`{"l402":"` + credential + `"}`, `{}`} {
		r := request(false, body(false, "tools/call", toolCall("search_passages", arguments)))
		r.Header.Set("Authorization", "L402 "+credential)
		var got toolResult
		if err := json.Unmarshal(send(s, r).Result, &got); err != nil || got.IsError || string(got.Structured) != `{"credits":{"left":42,"valid_until":"2026-12-22T12:00:00Z"}}` ||
			!strings.Contains(got.Content[0].Text, "42 credits are left") {
			t.Errorf("%s: %+v", arguments, got)
		}
	}
	if r := callTool(t, s, true, "search_passages", `{}`); !r.IsError || !strings.Contains(r.Content[0].Text, "needs a query, or a credential") {
		t.Errorf("without a credential: %s", r.Content[0].Text)
	}
	p.spendErr = problem.New(problem.CreditsExhausted)
	if r := callTool(t, s, true, "search_passages", `{"l402":"`+credential+`"}`); !r.IsError || !strings.Contains(r.Content[0].Text, "Credits used up") {
		t.Errorf("used up: %s", r.Content[0].Text)
	}
	if len(p.spent) > 0 || len(p.challenges) > 0 {
		t.Errorf("%d credits and %d invoices", len(p.spent), len(p.challenges))
	}
}
