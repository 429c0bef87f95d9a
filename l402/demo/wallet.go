package demo

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"

	"almanac/l402"
)

// The codes of the wallet's refusals.
const (
	CodeBadPayRequest  = "bad_pay_request" // 400: not {"invoice": "lnbcrt…"}
	CodeInvoiceForeign = "invoice_foreign" // 404: not made by this node
	CodeInvoiceExpired = "invoice_expired" // 410
)

// maxPayRequest bounds the body of a request to the wallet. An invoice of ours has about 350 characters.
const maxPayRequest = 8 << 10

// Refusals are the wallet's refusals, by code.
func Refusals() []l402.Refusal {
	return []l402.Refusal{
		{Code: CodeBadPayRequest, Status: http.StatusBadRequest, Title: "No invoice to pay",
			Detail: `Send {"invoice": "lnbcrt…"} with the invoice of a challenge of this service.`},
		{Code: CodeInvoiceForeign, Status: http.StatusNotFound, Title: "Not an invoice of this demo",
			Detail: "This invoice was not made by this demo node, or its key was made anew. Ask for a fresh one."},
		{Code: CodeInvoiceExpired, Status: http.StatusGone, Title: "Invoice expired",
			Detail: "This invoice has expired. Ask for a fresh one."},
	}
}

// PayHandler plays the wallet: POST {"invoice": "lnbcrt…"} answers {"preimage": "…"}. No money moves. refuse writes errors, which
// are always *l402.Refusal.
func (n *Node) PayHandler(refuse func(w http.ResponseWriter, r *http.Request, err error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Access-Control-Allow-Origin", "*")
		switch r.Method {
		case http.MethodPost:
		case http.MethodOptions:
			h.Set("Access-Control-Allow-Methods", "POST, OPTIONS")
			h.Set("Access-Control-Allow-Headers", "Content-Type")
			w.WriteHeader(http.StatusNoContent)
			return
		default:
			h.Set("Allow", "POST, OPTIONS")
			refuse(w, r, &l402.Refusal{Code: l402.CodeMethodNotAllowed, Status: http.StatusMethodNotAllowed, Title: "Method not allowed", Detail: "Use POST."})
			return
		}
		body, err := n.pay(http.MaxBytesReader(w, r.Body, maxPayRequest))
		if err != nil {
			refuse(w, r, refusal(err))
			return
		}
		h.Set("Content-Type", "application/json")
		h.Set("Content-Length", strconv.Itoa(len(body)))
		w.Write(body)
	})
}

// pay reads a request, pays, and encodes the answer.
func (n *Node) pay(body io.Reader) ([]byte, error) {
	var req struct {
		Invoice string `json:"invoice"`
	}
	dec := json.NewDecoder(body)
	if err := dec.Decode(&req); err != nil {
		return nil, ErrNotInvoice
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, ErrNotInvoice
	}
	preimage, err := n.Pay(req.Invoice)
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]string{"preimage": preimage.String()})
}

func refusal(err error) *l402.Refusal {
	all := Refusals()
	switch {
	case errors.Is(err, ErrForeign):
		return &all[1]
	case errors.Is(err, ErrExpired):
		return &all[2]
	default:
		return &all[0]
	}
}
