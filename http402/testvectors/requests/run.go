package requests

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Runner sends requests to one paid resource.
type Runner struct {
	URL    string
	Client *http.Client
	// Pay pays an invoice and returns the preimage in hexadecimal.
	Pay func(ctx context.Context, invoice string) (preimage string, err error)
	// Wait lets the time pass until a challenge has expired; nil if nobody can wait for that.
	Wait func(until time.Time)
}

// The verdicts.
const (
	Passes        = "passes"
	Deviates      = "deviates"
	NotApplicable = "not applicable" // the seller's challenge lacks what the request is made of
	NotRun        = "not run"
)

// A Result is the verdict on the answers to one request, with the reason.
type Result struct {
	Request Request
	Verdict string
	Reason  string
}

// errNotApplicable is wrapped when a placeholder cannot be filled.
var errNotApplicable = errors.New("not applicable")

// Run sends the request, after it has bought what the request shows.
func (r *Runner) Run(ctx context.Context, req Request) Result {
	verdict := func(v, reason string, args ...any) Result { return Result{req, v, fmt.Sprintf(reason, args...)} }
	w := wallet{"": {}, "other.": {}, "unpaid.": {}}
	text := fmt.Sprint(req.Steps)
	for prefix := range w {
		if prefix != "" && !strings.Contains(text, prefix) {
			continue
		}
		c, err := r.ask(ctx, req.Scheme)
		if err != nil {
			return verdict(NotApplicable, "%v", err)
		}
		if prefix != "unpaid." && strings.Contains(text, "{{") && c.bad == nil {
			if c.preimage, err = r.Pay(ctx, c.invoice.Text); err != nil {
				return verdict(NotRun, "pay: %v", err)
			}
		}
		w[prefix] = c
	}
	for n, s := range req.Steps {
		if s.Wait {
			if r.Wait == nil {
				return verdict(NotRun, "nobody waits until %s", w[""].expires().UTC().Format(time.RFC3339))
			}
			r.Wait(w[""].expires().Add(time.Second))
		}
		headers := http.Header{}
		for _, h := range s.Headers {
			value, err := w.fill(h[1])
			if errors.Is(err, errNotApplicable) {
				return verdict(NotApplicable, "%v", err)
			} else if err != nil {
				return verdict(NotRun, "%v", err)
			}
			headers.Add(h[0], value)
		}
		if err := r.step(ctx, req.Scheme, s, headers, w[""]); err != nil {
			return verdict(Deviates, "request %d: %v", n+1, err)
		}
	}
	return verdict(Passes, "")
}

// ask returns a new challenge. A seller that asks for patience gets it.
func (r *Runner) ask(ctx context.Context, scheme string) (*challenge, error) {
	for {
		a := r.send(ctx, scheme, http.MethodGet, http.Header{})
		seconds, err := strconv.Atoi(a.header.Get("Retry-After"))
		if (a.status == http.StatusTooManyRequests || a.status == http.StatusServiceUnavailable) && err == nil {
			select {
			case <-time.After(time.Duration(seconds) * time.Second):
				continue
			case <-ctx.Done():
			}
		}
		if a.challenge == nil {
			return nil, fmt.Errorf("%s: %w", a.outcome, a.err)
		}
		return a.challenge, nil
	}
}

// An answer is what came back.
type answer struct {
	status    int
	outcome   string
	header    http.Header
	body      []byte
	err       error
	challenge *challenge // of a 402
	before    *challenge // the one that was asked for first, and paid
}

// directive reports a directive that Cache-Control lacks.
func (a *answer) directive(name string) error {
	for _, d := range strings.Split(strings.Join(a.header.Values("Cache-Control"), ","), ",") {
		if strings.EqualFold(strings.TrimSpace(d), name) {
			return nil
		}
	}
	return fmt.Errorf("Cache-Control is %q, without %s", a.header.Values("Cache-Control"), name)
}

func (r *Runner) send(ctx context.Context, scheme, method string, header http.Header) *answer {
	var resp *http.Response
	req, err := http.NewRequestWithContext(ctx, method, r.URL, nil)
	if err == nil {
		req.Header = header
		resp, err = r.Client.Do(req)
	}
	if err != nil {
		return &answer{outcome: closed, err: err, header: http.Header{}}
	}
	defer resp.Body.Close()
	a := &answer{status: resp.StatusCode, header: resp.Header}
	a.body, a.err = io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	switch {
	case resp.StatusCode/100 == 2:
		a.outcome = served
	case resp.StatusCode == http.StatusPaymentRequired:
		a.outcome = unchallenged
		if a.challenge, a.err = pick(resp.Header.Values("WWW-Authenticate"), scheme); a.err == nil {
			a.outcome = challenged
		}
	case resp.StatusCode == http.StatusUnauthorized:
		a.outcome = unauthorized
	case slices.Contains([]int{400, 413, 414, 431}, resp.StatusCode):
		a.outcome = rejected
	default:
		a.outcome = "status " + strconv.Itoa(resp.StatusCode)
	}
	return a
}

// step sends the headers, and returns where the answer is not what the step expects.
func (r *Runner) step(ctx context.Context, scheme string, s Step, headers http.Header, c *challenge) error {
	answers := make([]*answer, max(1, s.Parallel))
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = r.send(ctx, scheme, cmp.Or(s.Method, http.MethodGet), headers.Clone()) })
	}
	all.Wait()
	count := 0
	for _, a := range answers {
		a.before = c
		if s.Parallel > 0 && a.outcome == served {
			count++
			continue
		}
		if !slices.Contains(s.Expect, a.outcome) {
			return fmt.Errorf("%s (%d), want %s", a.outcome, a.status, strings.Join(s.Expect, " or "))
		}
		for _, name := range s.Properties {
			if err := challengeRules[name](a); err != nil {
				return err
			}
		}
	}
	if s.Parallel > 0 && count != 1 {
		return fmt.Errorf("%d of %d at once were served, want 1", count, s.Parallel)
	}
	return nil
}
