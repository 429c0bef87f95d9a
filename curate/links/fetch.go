package links

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// An answer is the answer to one request: the head, and as much of the body as was wanted.
type answer struct {
	status int
	header http.Header
	body   []byte
	cut    error // why the body ends before it should; errLong when there is more than was wanted
}

// errLong reports that a body is longer than was wanted.
var errLong = errors.New("the body is longer than is read")

// send makes one request, in the turn of its host. It reads at most limit bytes of the body, also of a compressed one.
func (c *Checker) send(ctx context.Context, method string, u *url.URL, limit int64) (a answer, err error) {
	release, err := c.pace.acquire(ctx, u.Host)
	if err != nil {
		return a, err
	}
	defer release()
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
	if err != nil {
		return a, notRequestable(err.Error())
	}
	req.Header.Set("User-Agent", c.cfg.UserAgent)
	req.Header.Set("Accept", "*/*")
	if c.cfg.Prepare != nil {
		c.cfg.Prepare(req)
	}
	res, err := c.client.Do(req)
	if err != nil {
		return a, err
	}
	defer res.Body.Close()
	c.pace.obey(u.Host, res.StatusCode, res.Header)
	a = answer{status: res.StatusCode, header: res.Header}
	if limit > 0 {
		a.body, a.cut = io.ReadAll(io.LimitReader(res.Body, limit+1))
		if int64(len(a.body)) > limit {
			a.body, a.cut = a.body[:limit], errLong
		}
	}
	return a, nil
}

// isRedirect reports whether an answer redirects to an address that it states.
func (a answer) isRedirect() bool {
	return slices.Contains([]int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect}, a.status) && a.header.Get("Location") != ""
}

// parse reads an address that can be requested, and leaves out the parts that are never sent.
func parse(link string) (*url.URL, error) {
	u, err := url.Parse(link)
	if err != nil || u.Hostname() == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, notRequestable(link)
	}
	u.Fragment, u.RawFragment, u.User = "", "", nil
	return u, nil
}

// newClient returns a client that follows no redirect, keeps no cookie, uses no proxy (it could not see where a proxy
// connects to) and judges every address at the moment of connecting to it. No earlier moment would do: a name can
// resolve to another address at the next look-up.
func newClient(cfg Config) *http.Client {
	d := &net.Dialer{
		Timeout:  cfg.Timeout,
		Resolver: cfg.Resolver,
		Control: func(_, address string, _ syscall.RawConn) error {
			if at, err := netip.ParseAddrPort(address); err != nil || !cfg.Allow(at.Addr().Unmap()) {
				return failure{kind: kindPrivate, text: "not a public address: " + at.Addr().String()}
			}
			return nil
		},
	}
	return &http.Client{
		Transport: &http.Transport{
			DialContext:            d.DialContext,
			TLSClientConfig:        &tls.Config{RootCAs: cfg.Roots},
			TLSHandshakeTimeout:    cfg.Timeout,
			ForceAttemptHTTP2:      true,
			MaxConnsPerHost:        2,
			MaxIdleConnsPerHost:    1,
			IdleConnTimeout:        10 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// A pacer keeps requests to one host apart, from all callers: one at a time, with a pause between two, and with the
// longer pauses that the host asks for.
type pacer struct {
	cfg   Config
	hosts sync.Map // *hostPace by name
}

type hostPace struct {
	turn    sync.Mutex // locked while a request waits or is under way; guards the fields below
	gap     time.Duration
	next    time.Time // when the next request may start
	blocked time.Time // until when the host wants no request
}

func (p *pacer) host(name string) *hostPace {
	h, _ := p.hosts.LoadOrStore(name, &hostPace{gap: p.cfg.Pace})
	return h.(*hostPace)
}

// acquire returns when the next request to a host may start. release must be called when it is over.
func (p *pacer) acquire(ctx context.Context, name string) (release func(), err error) {
	h := p.host(name)
	h.turn.Lock()
	for err == nil {
		now := p.cfg.Now()
		if h.blocked.Sub(now) > p.cfg.MaxWait {
			err = failure{kind: kindLater, text: name + " asks for no requests until " + h.blocked.UTC().Format(time.RFC3339)}
			break
		}
		pause := max(h.next.Sub(now), h.blocked.Sub(now))
		if pause <= 0 {
			h.next = now.Add(h.gap)
			return h.turn.Unlock, nil
		}
		err = sleep(ctx, pause)
	}
	h.turn.Unlock()
	return nil, err
}

// slowDown lengthens the pause between two requests to a host.
func (p *pacer) slowDown(name string, gap time.Duration) {
	h := p.host(name)
	h.turn.Lock()
	defer h.turn.Unlock()
	h.gap = max(h.gap, min(gap, p.cfg.MaxWait))
}

// obey blocks a host for as long as its answer asks for (RFC 9110, section 10.2.3), or until it gives new requests when
// this was the last (https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api). It is called in
// the turn of the request.
func (p *pacer) obey(name string, status int, h http.Header) {
	host := p.host(name)
	refused := slices.Contains([]int{http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable}, status)
	if until, ok := retryAfter(h.Get("Retry-After"), p.cfg.Now()); ok && refused && until.After(host.blocked) {
		host.blocked = until
	}
	reset, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64)
	if until := time.Unix(reset, 0); err == nil && h.Get("X-RateLimit-Remaining") == "0" && until.After(host.blocked) {
		host.blocked = until
	}
}

func retryAfter(value string, now time.Time) (time.Time, bool) {
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return now.Add(time.Duration(seconds) * time.Second), true
	}
	at, err := http.ParseTime(value)
	return at, err == nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
	return ctx.Err()
}
