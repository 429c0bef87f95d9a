package cln_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestBooks lists paid invoices over several pages, and asks whether the node can be paid. A rune without the right is
// told which one it lacks.
func TestBooks(t *testing.T) {
	f := newFake(t)
	n := f.node()
	if _, err := n.Payments(t.Context(), f.now); err == nil || !strings.Contains(err.Error(), `method=listinvoices`) {
		t.Errorf("without the right: %v", err)
	}
	if _, err := n.Receive(t.Context(), 100); err == nil || !strings.Contains(err.Error(), "cannot receive 100 sat") {
		t.Errorf("without capacity: %v", err) // the fake warns
	}
	f.set(func() { f.answer = func(made map[string]any) { delete(made, "warning_capacity") } })
	if note, err := n.Receive(t.Context(), 100); err != nil || note != "its channels can receive 100 sat" {
		t.Errorf("%q, %v", note, err)
	}
	f.set(func() {
		f.override = func(w http.ResponseWriter, r *http.Request) {
			var params struct{ Start, Limit int }
			if err := json.NewDecoder(r.Body).Decode(&params); err != nil || r.URL.Path != "/v1/listinvoices" {
				t.Errorf("%s: %v", r.URL.Path, err)
			}
			invoices := []any{}
			for i := max(1, params.Start); i <= 100 && len(invoices) < params.Limit; i++ {
				inv := map[string]any{"status": "unpaid", "payment_hash": strings.Repeat("00", 31) + string("0123456789"[i/10%10]) + string("0123456789"[i%10]), "created_index": i}
				if i%2 == 0 {
					inv["status"], inv["paid_at"], inv["amount_received_msat"], inv["description"] = "paid", f.now.Unix()-int64(i), 7000, "almanac: x"
				}
				invoices = append(invoices, inv)
			}
			reply(w, http.StatusCreated, map[string]any{"invoices": invoices})
		}
	})
	list, err := n.Payments(t.Context(), f.now.Add(-90*time.Second))
	if err != nil || len(list) != 45 || list[0].MilliSats != 7000 || list[0].Memo != "almanac: x" || list[0].Hash[31] != 2 {
		t.Errorf("%d payments, %v", len(list), err)
	}
}
