package clienttest

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gopkg.in/macaroon.v2"
)

// A Payee makes invoices and knows which preimages prove that one was paid.
type Payee interface {
	Invoice(t testing.TB, terms Terms) (text string, hash [32]byte)
	Proves(preimage [32]byte) (hash [32]byte, err error)
}

// A Seller sells answers: by L402 a number of them for one payment, by Payment one, unless Counts says that it counts
// there too.
type Seller struct {
	T       testing.TB
	Payee   Payee
	Price   int64 // in satoshis
	Credits int   // for one L402
	Payment bool  // sells by Payment instead of L402
	Counts  bool  // reports the balance; a Payment credential is good for Credits

	// Edit, if any, changes the headers of a 402 before it is sent.
	Edit func(h http.Header)
	// Refuse, if any, asks for payment whatever is presented.
	Refuse func(r *http.Request) bool

	mu         sync.Mutex
	sold       map[[32]byte]sale // by the hash of the payment
	challenges int
	bodies     []string // of the requests that were served
}

// A sale is how many answers a payment is still good for, and how many it got.
type sale struct{ left, uses int }

// ServeHTTP implements http.Handler.
func (s *Seller) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	left, ok := s.spend(r)
	if !ok {
		s.challenge(w)
		return
	}
	s.mu.Lock()
	s.bodies = append(s.bodies, string(body))
	s.mu.Unlock()
	if s.Counts {
		w.Header().Set("X-Credit-Balance", fmt.Sprint(left))
		w.Header().Set("RateLimit", fmt.Sprintf(`"credits";r=%d;t=3600`, left))
		w.Header().Set("RateLimit-Policy", fmt.Sprintf(`"credits";q=%d;w=3600`, s.Credits))
	}
	fmt.Fprintf(w, "served %s", r.URL.Path)
}

func (s *Seller) spend(r *http.Request) (left int, ok bool) {
	if s.Refuse != nil && s.Refuse(r) {
		return 0, false
	}
	hash, err := s.proof(cmp.Or(r.Header.Get("Payment-Authorization"), r.Header.Get("Authorization")))
	if err != nil {
		return 0, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.sold[hash]
	if one.left == 0 {
		return 0, false
	}
	s.sold[hash] = sale{one.left - 1, one.uses + 1}
	return one.left - 1, true
}

// proof returns the payment that a credential proves.
func (s *Seller) proof(credential string) (hash [32]byte, err error) {
	scheme, rest, _ := strings.Cut(credential, " ")
	proof := ""
	if scheme == "Payment" {
		var c struct {
			Payload struct{ Preimage string }
		}
		b, err := base64.RawURLEncoding.DecodeString(rest)
		if err != nil || json.Unmarshal(b, &c) != nil {
			return hash, fmt.Errorf("unreadable credential")
		}
		proof = c.Payload.Preimage
	} else {
		_, proof, _ = strings.Cut(rest, ":")
	}
	var preimage [32]byte
	if n, err := hex.Decode(preimage[:], []byte(proof)); err != nil || n != 32 {
		return hash, fmt.Errorf("unreadable preimage")
	}
	return s.Payee.Proves(preimage)
}

func (s *Seller) challenge(w http.ResponseWriter) {
	invoice, hash := s.Payee.Invoice(s.T, Terms{MilliSats: s.Price * 1000, Memo: "answers"})
	s.mu.Lock()
	if s.sold == nil {
		s.sold = map[[32]byte]sale{}
	}
	s.sold[hash] = sale{left: s.Credits}
	if s.Payment && !s.Counts {
		s.sold[hash] = sale{left: 1}
	}
	s.challenges++
	s.mu.Unlock()
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	if s.Payment {
		h.Set("WWW-Authenticate", PaymentHeader(s.Price, invoice, hash))
	} else {
		h.Set("WWW-Authenticate", L402Header(Macaroon(s.T, hash), invoice))
	}
	if s.Edit != nil {
		s.Edit(h)
	}
	w.WriteHeader(http.StatusPaymentRequired)
	fmt.Fprint(w, "pay first")
}

// Counted returns how many answers were given, and how many challenges.
func (s *Seller) Counted() (served, challenges int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.bodies), s.challenges
}

// Uses returns how often the payment with a hash was presented and served.
func (s *Seller) Uses(hash [32]byte) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sold[hash].uses
}

// Bodies returns the bodies of the requests that were served.
func (s *Seller) Bodies() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.bodies)
}

// Macaroon makes a macaroon for a payment, in base64.
func Macaroon(t testing.TB, hash [32]byte, caveats ...string) string {
	t.Helper()
	id := append([]byte{0, 0}, hash[:]...)
	id = append(id, make([]byte, 32)...)
	mac, err := macaroon.New([]byte("a key"), id, "test", macaroon.LatestVersion)
	if err != nil {
		t.Errorf("make a macaroon: %v", err)
		return ""
	}
	for _, c := range caveats {
		if err := mac.AddFirstPartyCaveat([]byte(c)); err != nil {
			t.Errorf("make a macaroon: %v", err)
		}
	}
	b, err := mac.MarshalBinary()
	if err != nil {
		t.Errorf("make a macaroon: %v", err)
	}
	return base64.StdEncoding.EncodeToString(b)
}

// L402Header writes a challenge of L402.
func L402Header(macaroonBase64, invoice string) string {
	return `L402 macaroon="` + macaroonBase64 + `", invoice="` + invoice + `", version="0", token="` + macaroonBase64 + `"`
}

// PaymentHeader writes a challenge of Payment.
func PaymentHeader(sats int64, invoice string, hash [32]byte) string {
	request := fmt.Sprintf(`{"amount":"%d","currency":"sat","methodDetails":{"invoice":%q,"paymentHash":"%x"}}`,
		sats, invoice, hash)
	return fmt.Sprintf(`Payment id="%x", realm="test", method="lightning", intent="charge", request="%s", expires="%s"`,
		hash[:16], base64.RawURLEncoding.EncodeToString([]byte(request)),
		time.Now().Add(10*time.Minute).UTC().Format(time.RFC3339))
}
