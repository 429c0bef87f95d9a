package l402

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.almanac.example/internal/peer"
	"go.almanac.example/internal/problem"
)

// Protect sells the answers of next, one credit each: a 200 costs one, unless next waives it, and any other answer
// costs none. check examines the request after the credential was verified and before the credit is taken,
// so that a bad query is never charged and a request without a credential still learns the price; its error goes to
// Config.Fail.
//
// next is called for GET only, sees neither the credential nor conditional or range headers, and finds the [Balance] in
// its context. HEAD is answered as GET, without next and without a charge: directories of sellers ask so. OPTIONS answers a
// browser's preflight request. Who asks, and the name that a proxy of ours gave the request, is in its context (package peer).
func (p *Paywall) Protect(next http.Handler, check func(*http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !p.prepare(w, r) {
			return
		}
		t, err := p.authenticate(r.Header["Authorization"], nil)
		if err != nil {
			p.challenge(w, r, err)
			return
		}
		if err := check(r); err != nil {
			p.cfg.Fail(w, r, err)
			return
		}
		if r.Method == http.MethodHead {
			p.answerHead(w, r, t)
			return
		}
		charge, err := p.charge(r.Context(), t, nameOf(r))
		if err != nil {
			p.challenge(w, r, err)
			return
		}
		p.serve(w, r, next, charge)
	})
}

// prepare sets the headers of every answer. It answers methods other than GET and HEAD itself, and then reports false.
func (p *Paywall) prepare(w http.ResponseWriter, r *http.Request) bool {
	h := w.Header()
	h["Cache-Control"] = privateNoStore
	h["Access-Control-Allow-Origin"] = anyOrigin
	h["Access-Control-Expose-Headers"] = exposed
	h["Vary"] = append(h["Vary"], "Authorization")
	return Allow(w, r, p.fail, http.MethodGet, http.MethodHead)
}

// Allow reports whether a request has one of the methods. It answers a browser's preflight request for them, and has
// fail answer any other.
func Allow(w http.ResponseWriter, r *http.Request, fail func(http.ResponseWriter, *http.Request, error), methods ...string) bool {
	if slices.Contains(methods, r.Method) {
		return true
	}
	all := strings.Join(methods, ", ") + ", OPTIONS"
	if r.Method != http.MethodOptions {
		w.Header().Set("Allow", all)
		fail(w, r, problem.New(problem.MethodNotAllowed))
		return false
	}
	problem.AllowPages(w.Header(), all)
	w.WriteHeader(http.StatusNoContent)
	return false
}

// The values of headers that every answer has, which nothing changes in place.
var (
	privateNoStore = []string{"private, no-store"}
	anyOrigin      = []string{"*"}
	exposed        = []string{"WWW-Authenticate, RateLimit, RateLimit-Policy, X-Credit-Balance, Payment-Receipt, Retry-After"}
)

// challenge answers a request that was refused because of err, with a new challenge if paying helps.
func (p *Paywall) challenge(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, errNoCredential) && slices.ContainsFunc(otherHeaders, func(name string) bool { return r.Header[name] != nil }) {
		err = errOtherHeader
	}
	refusal := problemOf(err)
	if payable(refusal) {
		c, failed := p.Challenge(r.Context(), peer.FromContext(r.Context()), err)
		if failed != nil {
			p.fail(w, r, failed)
			return
		}
		w.Header()["Www-Authenticate"] = c.headers(speaksPayment(r.Header["Authorization"], r.Header["Accept-Payment"]))
		refusal.Extensions = c.Members()
	}
	p.fail(w, r, refusal)
}

// failUnpriced refuses a request that gets no challenge, and says where there is one.
func (p *Paywall) failUnpriced(w http.ResponseWriter, r *http.Request, err error) {
	refusal := *problemOf(err)
	if p.cfg.SaleURL != "" && refusal.Status() == http.StatusPaymentRequired {
		refusal.Link = "<" + p.cfg.SaleURL + `>; rel="payment"`
		refusal.Detail = fmt.Sprintf("%s There is no challenge here: GET %s returns one.", refusal.Sentence(), p.cfg.SaleURL)
	}
	p.fail(w, r, &refusal)
}

// fail answers a request with an error.
func (p *Paywall) fail(w http.ResponseWriter, r *http.Request, err error) {
	refusal := warnPayer(problemOf(err))
	if p.OffersPayment() && speaksPayment(r.Header["Authorization"], r.Header["Accept-Payment"]) {
		refusal = refusal.ForPayment()
	}
	w.Header().Set("Cache-Control", "no-store")
	p.cfg.Log.Debug("refused", slog.String("code", string(refusal.Code)))
	p.cfg.Fail(w, r, refusal)
}

// idempotencyKey is the header, and the gRPC metadata, in which a buyer identifies a request
// (https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/): a request that had no answer is
// repeated with the same key, and paid for once.
const idempotencyKey = "Idempotency-Key"

// nameOf returns the name of a request, which the buyer gives it, or else one of our own proxies.
func nameOf(r *http.Request) requestName {
	key := cmp.Or(r.Header.Get(idempotencyKey), peer.NameFrom(r.Context()))
	if key == "" {
		return requestName{}
	}
	return nameRequest(key, http.MethodGet, []byte(r.URL.Path+"?"+r.URL.Query().Encode()))
}

// answerHead answers HEAD as GET would be answered, except that nothing is charged.
func (p *Paywall) answerHead(w http.ResponseWriter, r *http.Request, t token) {
	balance, err := p.balanceOf(r.Context(), t)
	if err == nil {
		err = balance.spent()
	}
	if err != nil {
		p.challenge(w, r, err)
		return
	}
	p.setBalance(w.Header(), balance)
	w.WriteHeader(http.StatusOK)
}

// balanceHeaders state the balance, over HTTP and gRPC
// (https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/; the client 402-mcp reads X-Credit-Balance).
var balanceHeaders = [...]string{"Ratelimit-Policy", "Ratelimit", "X-Credit-Balance"}

// balanceValues returns the values of balanceHeaders. A budget comes before the credits that it is a part of, because
// programs that know one quota read the first.
func (p *Paywall) balanceValues(b Balance) [len(balanceHeaders)]string {
	ends := max(0, int64(b.ValidUntil.Sub(p.cfg.Now())/time.Second))
	policy := fmt.Sprintf(`"credits";q=%d;w=%d`, b.Credits, int64(p.cfg.Terms.Validity/time.Second))
	limit := fmt.Sprintf(`"credits";r=%d;t=%d`, b.Account, ends)
	if n := len(b.Branches); n > 0 {
		left := b.Branches[0].Remaining
		for _, branch := range b.Branches[1:] {
			left = min(left, branch.Remaining)
		}
		policy = fmt.Sprintf(`"budget";q=%d, %s`, b.Branches[n-1].Credits, policy)
		limit = fmt.Sprintf(`"budget";r=%d;t=%d, %s`, left, ends, limit)
	}
	return [...]string{policy, limit, strconv.Itoa(b.Remaining)}
}

func (p *Paywall) setBalance(h http.Header, b Balance) {
	values := p.balanceValues(b)
	for i, name := range balanceHeaders {
		h[name] = []string{values[i]}
	}
}

// strippedHeaders are the request headers that a protected handler does not see: the credential, and those that could
// turn a paid 200 into an answer that costs nothing and still has content.
var strippedHeaders = []string{"Authorization", "Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since",
	"If-Unmodified-Since"}

// serve runs next for a request that was charged, and refunds it unless next answers with a 200. A panic of next goes on.
func (p *Paywall) serve(w http.ResponseWriter, r *http.Request, next http.Handler, charge *Charge) {
	paid := r.WithContext(withCharge(r.Context(), charge))
	paid.Header = maps.Clone(r.Header)
	for _, name := range strippedHeaders {
		delete(paid.Header, name)
	}
	pw := &paidWriter{ResponseWriter: w, ctx: r.Context(), charge: charge}
	answered := false
	defer func() {
		if !answered {
			charge.Refund(r.Context())
		}
	}()
	next.ServeHTTP(pw, paid)
	answered = true
	if !pw.wrote {
		pw.WriteHeader(http.StatusOK) // as the server would, but with the balance
	}
}

// A paidWriter watches the status of an answer that was paid for.
type paidWriter struct {
	http.ResponseWriter
	ctx    context.Context
	charge *Charge
	wrote  bool
}

// WriteHeader adds the balance to a 200. It refunds the credit before any other answer is sent, so that a client that
// checks its balance after the answer finds it.
func (w *paidWriter) WriteHeader(status int) {
	if w.wrote || status < 200 { // the server reports superfluous calls, and sends informational answers
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.wrote = true
	if status == http.StatusOK {
		w.charge.paywall.setBalance(w.Header(), w.charge.Balance())
		if receipt := w.charge.encodedReceipt(); receipt != "" {
			w.Header().Set(paymentReceipt, receipt)
		}
	} else {
		w.charge.Refund(w.ctx)
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements io.Writer.
func (w *paidWriter) Write(b []byte) (int, error) {
	if !w.wrote {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(b)
}
