package l402

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"
	"time"
)

// creditsDocument answers how much a credential has left.
type creditsDocument struct {
	SchemaVersion string `json:"schema_version"`
	GeneratedAt   string `json:"generated_at"`
	PaymentHash   string `json:"payment_hash"`
	Credits       int    `json:"credits"`
	Remaining     int    `json:"remaining"`
	ExpiresAt     string `json:"expires_at"`
}

// CreditsHandler tells the holder of a credential what is left of it, free of charge. It asks the node for nothing: without
// a good credential it answers 402 with no challenge, since there is nothing to sell here.
func (p *Paywall) CreditsHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !p.begin(w, r) {
			return
		}
		t, err := p.authenticate(r.Header["Authorization"], nil)
		if err != nil {
			p.refuse(w, r, refusalFor(err))
			return
		}
		balance, err := p.look(r.Context(), t)
		if err != nil {
			p.refuse(w, r, refusalFor(err))
			return
		}
		body, err := json.Marshal(creditsDocument{
			SchemaVersion: "1",
			GeneratedAt:   p.cfg.Now().UTC().Format(time.RFC3339),
			PaymentHash:   t.hash.String(),
			Credits:       balance.Credits,
			Remaining:     balance.Remaining,
			ExpiresAt:     balance.ExpiresAt.Format(time.RFC3339),
		})
		if err != nil {
			p.log.Error("encode credits", slog.Any("error", err))
			p.refuse(w, r, refuse(CodeInternal))
			return
		}
		h := w.Header()
		p.setBalance(h, balance)
		h.Set("Content-Type", "application/json")
		h.Set("Content-Length", strconv.Itoa(len(body)))
		w.Write(body)
	})
}
