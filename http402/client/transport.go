package client

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/http402/netaddr"
)

// A Transport is an http.RoundTripper that pays when an answer is 402, at most once per request, and repeats the
// request with the proof. A credential that is answered with 401 is given up if the answer without it is 402, unless the 401
// asks for a login of another scheme.
//
// It does not pay, and returns a *Refusal, when the answer came over cleartext from another machine, after a redirect
// to another origin, for a body that cannot be sent again, or when anything about the challenge is wrong. A request
// with an Authorization of its own keeps it: it is paid for only where the challenge names another header.
type Transport struct {
	Client *Client
	Base   http.RoundTripper // nil means http.DefaultTransport

	// Exact presents only credentials that were bought for this resource or have opened it, and none bought for another
	// resource of its origin, unless the answer asks to pay.
	Exact bool
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL == nil {
		return t.base().RoundTrip(req)
	}
	taken := func(header string) bool { return len(req.Header[header]) > 0 } // by a credential of the caller
	origin, resource, secure := Origin(req.URL), req.URL.EscapedPath(), Secure(req.URL)
	var tried []*Credential
	var cred *Credential
	defer func() {
		for _, cred := range append(tried, cred) {
			cred.land()
		}
	}()
	if secure && elsewhere(req, origin) == "" {
		cred = t.Client.Take(req.Context(), origin, resource)
		if cred != nil && (t.Exact && !cred.Opens(resource) || taken(cred.rec.Header)) {
			cred.land()
			cred = nil
		}
	}
	paid := false
	for round := 0; ; round++ {
		resp, err := t.attempt(req, cred, resource, round)
		if err != nil || resp.StatusCode != http.StatusPaymentRequired {
			return resp, err
		}
		if cred != nil {
			tried = append(tried, cred)
		}
		need := needOf(req, resp, origin, resource)
		need.Challenges = slices.DeleteFunc(need.Challenges, func(ch challenge.Challenge) bool { return taken(ch.Header()) })
		if len(need.Challenges) == 0 && (len(need.Unusable) == 0 || taken("Authorization")) {
			return resp, nil // another way to pay, which is the caller's business
		}
		resp.Body.Close()
		if refusal := payable(req, secure, origin); refusal != nil {
			return nil, refusal
		}
		if paid {
			return nil, refuse(NotAccepted, "%s took the payment %s and asks for another, which is not paid; the next call presents the first again", need.Host, cred.ID())
		}
		for cred, paid, err = t.Client.Buy(req.Context(), need, tried...); err == nil && taken(cred.rec.Header); {
			tried = append(tried, cred)
			cred, paid, err = t.Client.Buy(req.Context(), need, tried...)
		}
		if err != nil {
			return nil, err
		}
	}
}

func (t *Transport) base() http.RoundTripper { return cmp.Or(t.Base, http.DefaultTransport) }

// attempt sends the request with cred, if any, and records the balance that the answer reports.
func (t *Transport) attempt(req *http.Request, cred *Credential, resource string, round int) (*http.Response, error) {
	out, err := repeat(req, cred, round)
	switch {
	case err != nil:
		return nil, err
	case cred == nil:
		return t.base().RoundTrip(out)
	}
	first, err := t.Client.Present(req.Context(), cred)
	if err != nil {
		if out.Body != nil {
			out.Body.Close() // as a RoundTripper must, also when it fails
		}
		return nil, refuse(JournalFault, "the credential is not presented, because the journal cannot be written: %w", err)
	}
	resp, err := t.base().RoundTrip(out)
	// L402 has servers say 401 to a credential that is not valid; others ask for something else by it.
	if err == nil && isAboutPayment(resp) && (req.Body == nil || req.Body == http.NoBody || req.GetBody != nil) {
		resp.Body.Close()
		if out, err = repeat(req, nil, round+1); err == nil {
			resp, err = t.base().RoundTrip(out)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case resp.StatusCode == http.StatusPaymentRequired:
		t.Client.Rejected(cred, resource, first)
	default:
		t.Client.Accepted(req.Context(), cred, resource, resp.StatusCode/100 == 2, LeftOf(resp.Header))
	}
	return resp, nil
}

// isAboutPayment reports whether an answer is 401 and asks for no login of another scheme.
func isAboutPayment(resp *http.Response) bool {
	schemes := challenge.Split(resp.Header["Www-Authenticate"])
	return resp.StatusCode == http.StatusUnauthorized && (len(schemes) == 0 ||
		slices.ContainsFunc(schemes, func(asked challenge.Raw) bool { return asked.Known() != "" }))
}

// repeat returns the request of a round.
func repeat(req *http.Request, cred *Credential, round int) (*http.Request, error) {
	out := req.WithContext(req.Context()) // a shallow copy
	if round > 0 && req.Body != nil && req.Body != http.NoBody {
		body, err := req.GetBody()
		if err != nil {
			return nil, refuse(Unrepeatable, "the request's body cannot be sent again: %w", err)
		}
		out.Body = body
	}
	if cred == nil {
		return out, nil
	}
	out.Header = http.Header{}
	maps.Copy(out.Header, req.Header)
	out.Header[cred.rec.Header] = []string{cred.rec.Value}
	if (req.Method == "" || req.Method == http.MethodGet) && req.Header["Idempotency-Key"] == nil {
		// net/http itself repeats a GET on a connection that turns out to be dead; the name makes that one request to
		// the seller.
		out.Header["Idempotency-Key"] = []string{rand.Text()}
	}
	return out, nil
}

// payable refuses requests that are never paid for.
func payable(req *http.Request, secure bool, origin string) *Refusal {
	switch {
	case !secure:
		return refuse(Cleartext, "not paid: %s is not encrypted, and what is bought there could be read on the way; use https", origin)
	case elsewhere(req, origin) != "":
		return refuse(Redirected, "not paid: %s was asked, which redirected to %s; ask that itself to pay there", elsewhere(req, origin), origin)
	case req.Body != nil && req.Body != http.NoBody && req.GetBody == nil:
		return refuse(Unrepeatable, "not paid: the request has a body that cannot be sent again; set GetBody")
	}
	return nil
}

// elsewhere returns the first other origin that led to the request by a redirect, if any. http.Client sets Response to
// the redirect.
func elsewhere(req *http.Request, origin string) (first string) {
	for resp := req.Response; resp != nil && resp.Request != nil; resp = resp.Request.Response {
		if from := Origin(resp.Request.URL); from != origin {
			first = from
		}
	}
	return first
}

// Origin returns the origin of an address: scheme, host in lower case, and port when it is not the scheme's own.
func Origin(u *url.URL) string {
	return u.Scheme + "://" + strings.TrimSuffix(strings.ToLower(u.Host), map[string]string{"https": ":443", "http": ":80"}[u.Scheme])
}

// needOf reads a 402. It leaves the body readable.
func needOf(req *http.Request, resp *http.Response, origin, resource string) Need {
	n := Need{Origin: origin, Host: strings.ToLower(req.URL.Hostname()), Method: cmp.Or(req.Method, http.MethodGet),
		Resource: resource}
	n.Challenges, n.Unusable = challenge.Parse(resp.Header["Www-Authenticate"])
	head, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // which may state the price
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(head), resp.Body), resp.Body}
	if err == nil && strings.Contains(resp.Header.Get("Content-Type"), "json") {
		n.StatedPrice, n.StatedHash = StatedTerms(head)
	}
	return n
}

// StatedTerms returns the price in satoshis, as it is written, and the payment hash that many sellers repeat in the
// body of a 402; "" if they do not.
func StatedTerms(body []byte) (price, hash string) {
	var stated struct {
		PriceSats   json.Number `json:"price_sats"`
		AmountSats  json.Number `json:"amount_sats"`
		PaymentHash string      `json:"payment_hash"`
	}
	if json.Unmarshal(body, &stated) != nil {
		return "", ""
	}
	if len(stated.PaymentHash) == 64 {
		hash = stated.PaymentHash
	}
	return cmp.Or(stated.AmountSats, stated.PriceSats).String(), hash
}

// ParseAddress reads an address as people type it on a command line. One without a scheme gets https, or http if its
// host is this machine: "localhost:8402/x" is a host with a port, as in curl.
func ParseAddress(text string) (*url.URL, error) {
	address := text
	if scheme, _, ok := strings.Cut(text, "://"); !ok || strings.ContainsAny(scheme, "/?#") {
		address = "https://" + text
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is not an address like https://example.com/path", text)
	}
	if address != text && netaddr.IsLoopback(u.Hostname()) {
		u.Scheme = "http"
	}
	return u, nil
}

// Secure reports whether nobody between here and the address can read along: it is https, or this machine.
func Secure(u *url.URL) bool {
	return u.Scheme == "https" || netaddr.IsLoopback(u.Hostname())
}
