package demo

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"

	"almanac/problem"
)

// maxPayRequest bounds the body of a request to the wallet. An invoice of ours has about 350 characters.
const maxPayRequest = 8 << 10

// PayHandler returns the wallet as a handler: POST {"invoice": "lnbcrt…"} is answered with {"preimage": "…"}. No money
// moves. fail answers a request with an error, which is always a *problem.Problem.
func (n *Node) PayHandler(fail func(w http.ResponseWriter, r *http.Request, err error)) http.Handler {
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
			fail(w, r, problem.New(problem.MethodNotAllowed))
			return
		}
		body, err := n.pay(http.MaxBytesReader(w, r.Body, maxPayRequest))
		if err != nil {
			fail(w, r, problemOf(err))
			return
		}
		h.Set("Content-Type", "application/json")
		h.Set("Content-Length", strconv.Itoa(len(body)))
		w.Write(body)
	})
}

// pay reads a request, pays the invoice, and encodes the answer.
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

func problemOf(err error) *problem.Problem {
	switch {
	case errors.Is(err, ErrForeign):
		return problem.New(problem.InvoiceForeign)
	case errors.Is(err, ErrExpired):
		return problem.New(problem.InvoiceExpired)
	case errors.Is(err, ErrNotInvoice):
		return problem.New(problem.BadPayRequest)
	default:
		return problem.From(err)
	}
}
