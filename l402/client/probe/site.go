package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"almanac/l402/client"
	"almanac/l402/client/challenge"
)

// A Probe looks at addresses.
type Probe struct {
	HTTP    *http.Client     // nil means one that waits 15 seconds
	Now     func() time.Time // nil means time.Now
	Agent   string           // User-Agent
	Method  string           // empty means GET
	Headers []string         // "Name: value", of every request
	MCP     string           // address of an MCP server to look at as well
}

// maxBody bounds the bytes read of an answer: an OpenAPI document of a large service is longer than any search.
const maxBody = 4 << 20

// An answer is a response with its body.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// ErrFaults is the error of a report with faults.
var ErrFaults = errors.New("the address has faults")

// A site is an address while it is probed.
type site struct {
	*Probe
	url    *url.URL
	report *Report

	found  []challenge.Challenge // of the first answer, those that can be read
	hashes map[string]bool       // payment hashes seen
	price  int64                 // in millisatoshis, of the first invoice
}

func (s *site) clock() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

func (s *site) client() *http.Client {
	if s.HTTP != nil {
		return s.HTTP
	}
	return &http.Client{Timeout: 15 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// ask sends a request with a credential, if any.
func (s *site) ask(ctx context.Context, address string, cred *challenge.Credential) (*answer, error) {
	method := s.Method
	if method == "" {
		method = http.MethodGet
	}
	req, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", address, err)
	}
	for _, h := range s.Headers {
		name, value, _ := strings.Cut(h, ":")
		req.Header.Set(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	if cred != nil {
		req.Header.Set(cred.Header, cred.Value)
	}
	return s.do(req)
}

func (s *site) do(req *http.Request) (*answer, error) {
	req.Header.Set("User-Agent", s.Agent)
	resp, err := s.client().Do(req)
	if err != nil {
		return nil, fmt.Errorf("probe: %w", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		return nil, fmt.Errorf("probe: read the answer: %w", err)
	}
	if len(body) > maxBody {
		return nil, fmt.Errorf("probe: the answer of %s is longer than %d bytes", req.URL.Path, maxBody)
	}
	return &answer{resp.StatusCode, resp.Header, body}, nil
}

// Bought adds the answer to a paid request; which names the request.
func (r *Report) Bought(which string, status int, h http.Header, err error) {
	switch {
	case err != nil:
		r.add(Fault, "paid", "", "the %s paid request: %v", which, err)
		return
	case status/100 != 2:
		r.add(Note, "paid", "", "the %s paid request is answered with status %d", which, status)
		return
	}
	r.add(OK, "paid", "", "the %s paid request is answered with status %d", which, status)
	cache := strings.ToLower(h.Get("Cache-Control"))
	r.expect(strings.Contains(cache, "private") || strings.Contains(cache, "no-store"), Warn, "paid.cache", refCaching, "what was paid for is not stored by shared caches",
		"what was paid for has Cache-Control %q, so that shared caches may give it away", cache)
	left := client.LeftOf(h)
	r.expect(left.Known, Note, "paid.left", "", "the answer says how many requests are left", "the answer does not say how many requests are left")
}

// Payments adds how often it had to be paid for two requests.
func (r *Report) Payments(n int) {
	r.add(Note, "paid.count", "", "payments for two requests: %d", n)
}
