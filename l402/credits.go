package l402

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Balance returns the balance of a credential, free of charge. The credential is that of a [Request]. Its error is
// always a *problem.Problem.
func (p *Paywall) Balance(ctx context.Context, credential string) (Balance, error) {
	t, _, err := p.authenticateText(credential)
	if err != nil {
		return Balance{}, problemOf(err)
	}
	b, err := p.balanceOf(ctx, t)
	if err != nil {
		return Balance{}, problemOf(err)
	}
	return b, nil
}

// creditsDocument is the response of CreditsHandler.
type creditsDocument struct {
	SchemaVersion string `json:"schema_version"`
	GeneratedAt   string `json:"generated_at"`
	PaymentHash   string `json:"payment_hash"`
	Credits       int    `json:"credits"`
	Remaining     int    `json:"remaining"`
	ValidUntil    string `json:"valid_until"`
	// AccountRemaining and Branches are those of a credential with a budget.
	AccountRemaining *int            `json:"account_remaining,omitempty"`
	Branches         []BranchBalance `json:"branches,omitempty"`
}

// CreditsHandler returns a handler that answers the holder of a credential with its balance, free of charge. It never
// asks the node: without a good credential it answers 402 and no challenge, because it sells nothing, and names the
// address that does.
func (p *Paywall) CreditsHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !p.prepare(w, r) {
			return
		}
		t, err := p.authenticate(r.Header["Authorization"], nil)
		if err != nil {
			p.failUnpriced(w, r, err)
			return
		}
		balance, err := p.balanceOf(r.Context(), t)
		if err != nil {
			p.fail(w, r, err)
			return
		}
		document := creditsDocument{
			SchemaVersion: "1",
			GeneratedAt:   p.cfg.Now().UTC().Format(time.RFC3339),
			PaymentHash:   t.hash.String(),
			Credits:       balance.Credits,
			Remaining:     balance.Remaining,
			ValidUntil:    balance.ValidUntil.Format(time.RFC3339),
			Branches:      balance.Branches,
		}
		if len(balance.Branches) > 0 {
			document.AccountRemaining = &balance.Account
		}
		body, _ := json.Marshal(document) // which has an encoding
		p.setBalance(w.Header(), balance)
		w.Header().Set("Content-Type", "application/json")
		w.Write(body)
	})
}
