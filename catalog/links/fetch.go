package links

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// An answer is what one request brought: the head, and so much of the body as was asked for.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// send makes one request, in its turn. It reads at most limit bytes of the body, which bounds what a
// compressed body can grow to as well.
func (c *Checker) send(ctx context.Context, method string, u *url.URL, limit int64) (*answer, error) {
	leave, err := c.pace.enter(ctx, u.Host)
	if err != nil {
		return nil, err
	}
	defer leave()
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", errBadURL, err)
	}
	req.Header.Set("User-Agent", c.cfg.UserAgent)
	req.Header.Set("Accept", "*/*")
	res, err := c.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	c.pace.heed(u.Host, res.StatusCode, res.Header)
	a := &answer{status: res.StatusCode, header: res.Header}
	if limit > 0 {
		if a.body, err = io.ReadAll(io.LimitReader(res.Body, limit)); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// The ways in which following a link fails without a fault of the network.
var (
	errBadURL    = errors.New("no address to ask")
	errLoop      = errors.New("redirects in a circle")
	errTooMany   = errors.New("redirects too often")
	errForbidden = errors.New("robots.txt forbids it")
)

// A trail is where following a link led.
type trail struct {
	status int         // of the last answer; 0: there was none
	header http.Header // of the last answer
	hops   []Hop
	url    *url.URL // asked last
	asked  bool     // something was asked other than robots.txt
	err    error    // what ended it, when it was not an answer
}

// follow asks for a link and for what it redirects to, obeying the robots.txt of every host on the way.
func (c *Checker) follow(ctx context.Context, method, link string) trail {
	var t trail
	t.url, t.err = parse(link)
	seen := make(map[string]bool)
	for t.err == nil {
		if seen[t.url.String()] {
			t.err = errLoop
			break
		}
		seen[t.url.String()] = true
		if t.err = c.robots.allow(ctx, t.url); t.err != nil {
			break
		}
		var a *answer
		t.asked = true
		if a, t.err = c.send(ctx, method, t.url, 0); t.err != nil {
			break
		}
		t.status, t.header = a.status, a.header
		if !isRedirect(a) {
			break
		}
		t.step(a, c.cfg.Redirects)
	}
	return t
}

// step goes where an answer redirects to.
func (t *trail) step(a *answer, most int) {
	if len(t.hops) == most {
		t.err = errTooMany
		return
	}
	next, err := t.url.Parse(a.header.Get("Location"))
	if err == nil {
		next, err = parse(next.String())
	}
	if err != nil {
		t.err = err
		return
	}
	t.url = next
	t.hops = append(t.hops, Hop{Status: a.status, To: next.String()})
}

func isRedirect(a *answer) bool {
	switch a.status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return a.header.Get("Location") != ""
	}
	return false
}

// parse reads an address that can be asked, without what is not sent.
func parse(link string) (*url.URL, error) {
	u, err := url.Parse(link)
	if err != nil || u.Hostname() == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("%w: %s", errBadURL, oneLine(link))
	}
	u.Fragment, u.RawFragment, u.User = "", "", nil
	return u, nil
}
