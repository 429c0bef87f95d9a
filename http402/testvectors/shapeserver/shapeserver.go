// Package shapeserver serves the shapes of package testvectors until they are paid.
package shapeserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"gopkg.in/macaroon.v2"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/challenge"
	"go.almanac.example/http402/testvectors"
)

// An Event is a request to a [Server], or an invoice that its wallet was asked to pay.
type Event struct {
	Shape   string      `json:"shape"`
	Kind    string      `json:"kind"` // challenged, served, refused or paid, unpaid
	Method  string      `json:"method,omitempty"`
	Headers [][2]string `json:"headers,omitempty"` // that carry a payment
	Body    string      `json:"body,omitempty"`
	Detail  string      `json:"detail,omitempty"`
}

// A Server answers with shapes until they are paid, and has a wallet that pays their invoices offline:
//
//	/http/ID       an answer over HTTP
//	/mcp/ID        an MCP server whose tool get_article costs something
//	/a2a/ID        an A2A agent whose answer costs something
//	/demo/pay      the wallet: {"invoice": "…"} is answered with {"preimage": "…"}
//	/log, /log/ID  what happened
//
// The wallet is on mainnet: it refuses invoices of other networks, expired ones, and those without an amount.
type Server struct {
	shapes map[string]*testvectors.Shape
	mux    *http.ServeMux

	mu     sync.Mutex
	events []Event
	paid   map[[32]byte]int // how often, by the hash
}

// New returns a server of shapes.
func New(shapes []testvectors.Shape) *Server {
	s := &Server{shapes: map[string]*testvectors.Shape{}, mux: http.NewServeMux(), paid: map[[32]byte]int{}}
	for i := range shapes {
		s.shapes[shapes[i].ID] = &shapes[i]
	}
	s.mux.HandleFunc("/http/{id}", s.http)
	s.mux.HandleFunc("POST /mcp/{id}", s.rpc)
	s.mux.HandleFunc("POST /a2a/{id}", s.rpc)
	s.mux.HandleFunc("POST /demo/pay", s.pay)
	s.mux.HandleFunc("GET /log", s.log)
	s.mux.HandleFunc("GET /log/{id}", s.log)
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Events returns what happened with a shape; of all with "".
func (s *Server) Events(id string) []Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.events), func(e Event) bool { return id != "" && e.Shape != id })
}

func (s *Server) add(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, e)
}

// note records a request, with err as the reason for refusing it, and reports whether it is served.
func (s *Server) note(e Event, err error) (served bool) {
	if err == nil {
		e.Kind = "served"
	} else if e.Kind == "refused" {
		e.Detail = err.Error()
	}
	s.add(e)
	return err == nil
}

func (s *Server) log(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, 200, s.Events(r.PathValue("id")))
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}

// carriers are the request headers that carry a payment.
var carriers = []string{"Authorization", "Payment-Authorization", "X-Payment", "Payment-Signature", "X-Cashu", "Macaroon",
	"Grpc-Metadata-Macaroon"}

func (s *Server) http(w http.ResponseWriter, r *http.Request) {
	shape := s.shapes[r.PathValue("id")]
	if shape == nil || shape.Transport != "http" {
		http.NotFound(w, r)
		return
	}
	e := Event{Shape: shape.ID, Method: r.Method, Kind: "challenged"}
	err := fmt.Errorf("no credential")
	for _, name := range carriers {
		for _, v := range r.Header[name] {
			e.Headers, e.Kind = append(e.Headers, [2]string{name, v}), "refused"
			if err != nil {
				err = s.check(shape, name, v)
			}
		}
	}
	if s.note(e, err) {
		writeJSON(w, 200, map[string]string{"article": shape.ID})
		return
	}
	for _, h := range shape.Headers {
		w.Header().Add(h[0], h[1])
	}
	w.WriteHeader(shape.Status)
	io.WriteString(w, shape.Body)
}

// check reports why a header does not pay for a shape.
func (s *Server) check(shape *testvectors.Shape, name, value string) error {
	scheme, rest, _ := strings.Cut(value, " ")
	switch name {
	case "Macaroon", "Grpc-Metadata-Macaroon":
		bin, err := hex.DecodeString(value)
		if err != nil {
			return fmt.Errorf("the macaroon is not hexadecimal: %w", err)
		}
		var m macaroon.Macaroon
		if err := m.UnmarshalBinary(bin); err != nil {
			return fmt.Errorf("no macaroon: %w", err)
		}
		for _, c := range m.Caveats() {
			if preimage, ok := strings.CutPrefix(string(c.Id), "preimage="); ok {
				return s.opens(shape, &m, preimage)
			}
		}
		return fmt.Errorf("the macaroon has no preimage")
	case "Authorization", "Payment-Authorization":
		if strings.EqualFold(scheme, "Payment") {
			if wanted := strings.Contains(text(shape), `header="Payment-Authorization"`); wanted != (name != "Authorization") {
				return fmt.Errorf("the challenge does not ask for its credential in %s", name)
			}
			return s.payment(shape, rest)
		}
		token, preimage, _ := strings.Cut(rest, ":")
		bin, err := challenge.DecodeLoose(token)
		switch known := strings.EqualFold(scheme, "L402") || strings.EqualFold(scheme, "LSAT"); {
		case known && preimage == shape.Preimage && strings.Contains(text(shape), `token="`+token+`"`):
			return nil // whatever the token is
		case err != nil || !known:
			return fmt.Errorf("no credential of L402")
		}
		var m macaroon.Macaroon
		if err := m.UnmarshalBinary(bin); err != nil {
			return fmt.Errorf("no macaroon: %w", err)
		}
		return s.opens(shape, &m, preimage)
	case "X-Payment", "Payment-Signature":
		bin, err := challenge.DecodeLoose(value)
		if err != nil {
			return err
		}
		return s.x402(shape, bin)
	}
	if shape.Family != "cashu" && !strings.Contains(shape.ID, "cashu") || !strings.HasPrefix(value, "cashu") {
		return fmt.Errorf("no token of Cashu")
	}
	return nil
}

// opens checks the proof of a macaroon.
func (s *Server) opens(shape *testvectors.Shape, m *macaroon.Macaroon, preimage string) error {
	b, err := hex.DecodeString(preimage)
	hash := sha256.Sum256(b)
	switch id := m.Id(); {
	case err != nil || len(b) != 32 || len(id) != 66 && len(id) != 32 || !bytes.Contains(id, hash[:]):
		return fmt.Errorf("the preimage is not the macaroon's")
	case preimage != shape.Preimage:
		return fmt.Errorf("the macaroon is of another shape")
	}
	return nil
}

func (s *Server) payment(shape *testvectors.Shape, credential string) error {
	bin, err := challenge.DecodeLoose(credential)
	if err != nil {
		return err
	}
	var c struct {
		Challenge struct{ ID, Method string }
		Payload   map[string]any
	}
	if err := json.Unmarshal(bin, &c); err != nil {
		return fmt.Errorf("the credential is not JSON: %w", err)
	}
	switch lightning := c.Challenge.Method == "lightning"; {
	case !strings.Contains(text(shape), c.Challenge.ID) || len(c.Challenge.ID) != 43:
		return fmt.Errorf("the credential is for another challenge")
	case !lightning && len(c.Payload) == 0:
		return fmt.Errorf("the credential has no payload")
	case lightning && c.Payload["preimage"] != shape.Preimage:
		return fmt.Errorf("the preimage is not the invoice's")
	}
	return nil
}

func (s *Server) x402(shape *testvectors.Shape, bin []byte) error {
	var p struct {
		X402Version int
		Payload     struct {
			Signature, Invoice, Preimage string
			Authorization                struct{ To, Value string }
		}
	}
	if err := json.Unmarshal(bin, &p); err != nil {
		return fmt.Errorf("the payment is not JSON: %w", err)
	}
	switch {
	case p.Payload.Invoice != "":
		inv, err := bolt11.Decode(p.Payload.Invoice)
		s.mu.Lock()
		defer s.mu.Unlock()
		if err != nil || s.paid[inv.Hash] == 0 {
			return fmt.Errorf("the invoice is not paid")
		}
		return nil
	case p.Payload.Preimage != "" && p.Payload.Preimage == shape.Preimage:
		return nil
	case !strings.EqualFold(p.Payload.Authorization.To, "0x00000000000000000000000000000000000402aa"),
		!asks(shape, p.Payload.Authorization.Value), len(p.Payload.Signature) != 132:
		return fmt.Errorf("the payment is not a signed transfer of the amount to the payee")
	}
	return nil
}

// asks reports whether an offer of a shape is for an amount.
func asks(s *testvectors.Shape, amount string) bool {
	h := http.Header{}
	for _, line := range s.Headers {
		h.Add(line[0], line[1])
	}
	return slices.ContainsFunc(append(challenge.ReadHTTP(h, []byte(s.Body)), challenge.ReadMessage(s.Message)...),
		func(o challenge.Offer) bool { return o.Amount == amount })
}

// text returns everything that a shape says.
func text(s *testvectors.Shape) string {
	all := s.Body + "\n" + string(s.Message)
	for _, h := range s.Headers {
		all += "\n" + h[1]
	}
	return all
}

// maxPayments is how often the wallet pays for one shape.
const maxPayments = 5

// pay is the wallet.
func (s *Server) pay(w http.ResponseWriter, r *http.Request) {
	var q struct{ Invoice string }
	json.NewDecoder(r.Body).Decode(&q)
	inv, err := bolt11.Decode(q.Invoice)
	fault := ""
	var shape *testvectors.Shape
	for _, candidate := range s.shapes {
		if b, _ := hex.DecodeString(candidate.Preimage); len(b) == 32 && sha256.Sum256(b) == inv.Hash {
			shape = candidate
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil:
		fault = "no invoice: " + err.Error()
	case shape == nil:
		fault = "no route"
	case inv.Network != bolt11.Mainnet:
		fault = "the invoice is of " + inv.Network
	case time.Now().After(inv.ExpiresAt):
		fault = "the invoice expired"
	case inv.MilliSats == 0:
		fault = "the invoice has no amount"
	case s.paid[inv.Hash] == maxPayments:
		fault = "the budget is spent"
	}
	e := Event{Kind: "paid", Detail: fmt.Sprintf("%d msat", inv.MilliSats)}
	if shape != nil {
		e.Shape = shape.ID
	}
	if fault != "" {
		e.Kind, e.Detail = "unpaid", fault
		writeJSON(w, 400, map[string]string{"title": fault})
	} else {
		s.paid[inv.Hash]++
		writeJSON(w, 200, map[string]string{"preimage": shape.Preimage})
	}
	s.events = append(s.events, e)
}
