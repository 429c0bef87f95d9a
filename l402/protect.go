package l402

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"almanac/peer"
)

// Protect sells the answers of next, one credit each: exactly a 200 costs one, anything else costs none. check, if any, reads
// the request before the credit is taken and after the credential was found good, so that a bad question is never charged
// and a bare probe still learns the price; its error goes to Config.Refuse.
//
// next is called for GET only, sees neither the credential nor conditional or range headers, and finds the
// [Balance] in its context. HEAD is answered without it and without a charge. OPTIONS answers a browser's preflight.
func (p *Paywall) Protect(next http.Handler, check func(*http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !p.begin(w, r) {
			return
		}
		t, err := p.authenticate(r.Header["Authorization"], nil)
		if err != nil {
			p.challenge(w, r, err)
			return
		}
		if check != nil {
			if err := check(r); err != nil {
				p.cfg.Refuse(w, r, err)
				return
			}
		}
		if r.Method == http.MethodHead {
			p.answerHead(w, r, t)
			return
		}
		receipt, balance, err := p.spend(r.Context(), t, p.requestName(r))
		if err != nil {
			p.challenge(w, r, err)
			return
		}
		p.serve(w, r, next, receipt, balance)
	})
}

// begin sets what every answer has, and answers what is not GET or HEAD.
func (p *Paywall) begin(w http.ResponseWriter, r *http.Request) bool {
	h := w.Header()
	h["Cache-Control"] = privateNoStore
	h["Access-Control-Allow-Origin"] = anyOrigin
	h["Access-Control-Expose-Headers"] = exposed
	h["Vary"] = append(h["Vary"], "Authorization")
	const methods = "GET, HEAD, OPTIONS"
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		return true
	case http.MethodOptions:
		h.Set("Access-Control-Allow-Methods", methods)
		h.Set("Access-Control-Allow-Headers", "Authorization, Accept, Accept-Authenticate, Idempotency-Key")
		h.Set("Access-Control-Max-Age", "86400")
		w.WriteHeader(http.StatusNoContent)
	default:
		h.Set("Allow", methods)
		p.cfg.Refuse(w, r, refuse(CodeMethodNotAllowed))
	}
	return false
}

// The values of headers that every answer has. Nobody changes them in place.
var (
	privateNoStore = []string{"private, no-store"}
	anyOrigin      = []string{"*"}
	exposed        = []string{"WWW-Authenticate, RateLimit, RateLimit-Policy, X-Credit-Balance, Retry-After"}
)

// challenge refuses a request because of err, with a fresh challenge when paying would help.
func (p *Paywall) challenge(w http.ResponseWriter, r *http.Request, err error) {
	refusal := refusalFor(err)
	if refusal.Status == http.StatusPaymentRequired && !errors.Is(err, errOversize) {
		addr := peer.FromRequest(r, p.cfg.TrustedProxies)
		c, err := p.Challenge(r.Context(), addr)
		if err != nil {
			refusal = refusalFor(err)
		} else {
			w.Header().Set("WWW-Authenticate", c.Header())
			refusal.Extensions = c.Members()
		}
	}
	p.refuse(w, r, refusal)
}

// refuse writes a refusal with the headers that belong to it.
func (p *Paywall) refuse(w http.ResponseWriter, r *http.Request, refusal *Refusal) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	if refusal.RetryAfter > 0 {
		h.Set("Retry-After", retryAfterSeconds(refusal.RetryAfter))
	}
	p.log.Debug("refused", slog.String("code", refusal.Code))
	p.cfg.Refuse(w, r, refusal)
}

// idempotencyKey is the header in which a buyer can name a request (https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/):
// whoever had no answer repeats it with the same key, and pays once.
const idempotencyKey = "Idempotency-Key"

// requestName is the name of a request: the buyer's own, or else the one that our own proxy gave it. What is asked for belongs to the name, so a
// name that is used again for something else is another one; all that can be had twice for one credit is the same answer, for a minute.
func (p *Paywall) requestName(r *http.Request) (name [16]byte) {
	given := r.Header.Get(idempotencyKey)
	if given == "" && p.cfg.RequestHeader != "" && peer.FromProxy(r, p.cfg.TrustedProxies) {
		given = r.Header.Get(p.cfg.RequestHeader)
	}
	if given == "" {
		return name
	}
	sum := sha256.Sum256([]byte(given + "\x00" + r.URL.RequestURI()))
	copy(name[:], sum[:])
	return name
}

// answerHead says what GET would have said, but for the credit that GET takes.
func (p *Paywall) answerHead(w http.ResponseWriter, r *http.Request, t token) {
	balance, err := p.look(r.Context(), t)
	if err == nil && balance.Remaining == 0 {
		err = ErrExhausted
	}
	if err != nil {
		p.challenge(w, r, err)
		return
	}
	p.setBalance(w.Header(), balance)
	w.WriteHeader(http.StatusOK)
}

// balanceHeaders say what is left, over HTTP and gRPC
// (https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/; X-Credit-Balance is what 402-mcp reads).
var balanceHeaders = [...]string{"Ratelimit-Policy", "Ratelimit", "X-Credit-Balance"}

// balanceValues are the values of balanceHeaders. Every paid answer has them, so they are parts of one text.
func (p *Paywall) balanceValues(b Balance) *[len(balanceHeaders)]string {
	var room [96]byte
	t := append(room[:0], `"credits";q=`...)
	t = strconv.AppendInt(t, int64(b.Credits), 10)
	t = append(t, ";w="...)
	t = strconv.AppendInt(t, int64(p.cfg.Terms.Validity/time.Second), 10)
	limit := len(t)
	t = append(t, `"credits";r=`...)
	from := len(t)
	t = strconv.AppendInt(t, int64(b.Remaining), 10)
	to := len(t)
	t = append(t, ";t="...)
	t = strconv.AppendInt(t, max(0, int64(b.ExpiresAt.Sub(p.cfg.Now())/time.Second)), 10)
	s := string(t)
	return &[...]string{s[:limit], s[limit:], s[from:to]}
}

func (p *Paywall) setBalance(h http.Header, b Balance) {
	values := p.balanceValues(b)
	for i, name := range balanceHeaders {
		h[name] = values[i : i+1 : i+1]
	}
}

// hidden are the request headers that next does not see: the credential, and what could turn a paid 200 into an answer
// that costs nothing and still carries content.
var hidden = []string{"Authorization", "Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"}

// serve runs next for a request that was paid for, and gives the credit back unless it answers 200.
func (p *Paywall) serve(w http.ResponseWriter, r *http.Request, next http.Handler, receipt Receipt, balance Balance) {
	paid := r.WithContext(withBalance(r.Context(), balance))
	paid.Header = maps.Clone(r.Header)
	for _, name := range hidden {
		delete(paid.Header, name)
	}
	pw := &paidWriter{ResponseWriter: w, paywall: p, ctx: r.Context(), receipt: receipt, balance: balance}
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		pw.giveBack()
		if v == http.ErrAbortHandler || pw.wrote {
			panic(http.ErrAbortHandler) // the client must see a broken answer, not a whole one
		}
		p.log.Error("paid request panicked", slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
		p.refuse(w, r, refuse(CodeInternal))
	}()
	next.ServeHTTP(pw, paid)
	if !pw.wrote {
		pw.WriteHeader(http.StatusOK) // as the server would, but with the balance
	}
}

// A paidWriter watches the status of an answer that was paid for.
type paidWriter struct {
	http.ResponseWriter
	paywall  *Paywall
	ctx      context.Context
	receipt  Receipt
	balance  Balance
	wrote    bool
	returned bool
}

// WriteHeader adds the balance to a 200, and gives the credit back before any other answer leaves, so that a
// client that looks finds it there.
func (w *paidWriter) WriteHeader(status int) {
	if w.wrote || status < 200 { // the server reports what is superfluous and sends what is informational
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.wrote = true
	if status == http.StatusOK {
		w.paywall.setBalance(w.Header(), w.balance)
	} else {
		w.giveBack()
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

func (w *paidWriter) giveBack() {
	if !w.returned {
		w.returned = true
		w.paywall.giveBack(w.ctx, w.receipt)
	}
}
