package node

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// maxBody bounds how much of a response is read, in bytes. An invoice takes less than 2 KiB.
const maxBody = 64 << 10

// maxRedirects is how many times a service without credentials may lead elsewhere.
const maxRedirects = 3

// maxConns is how many idle connections are kept, one for each turn.
const maxConns = 16

// Credentials authenticate us to a node that speaks HTTP, and the node to us.
type Credentials struct {
	Cert   []byte // PEM; no other certificate is trusted. Nil trusts those that the system trusts.
	Header string // with the value below, on every request of ours
	Value  string
}

func (c Credentials) equal(d Credentials) bool {
	return bytes.Equal(c.Cert, d.Cert) && c.Header == d.Header && c.Value == d.Value
}

// A Kind is a kind of node that speaks HTTP.
type Kind struct {
	Example string                // of an address
	Plain   bool                  // http:// will do on this machine and in private networks
	Judge   func(Response) *Error // returns an error unless the response is good
	Advice  Advice
}

// A Client speaks HTTP to a node. Its credentials are read again when the node does not accept them.
type Client struct {
	kind *Kind
	base string
	read func() (Credentials, error)
	log  *slog.Logger

	mu      sync.Mutex
	session *session
}

// Dial checks the flags, reads the credentials, and returns the client for the node at an address. It does not call the
// node.
func (k *Kind) Dial(address, network string, read func() (Credentials, error), log *slog.Logger) (*Client, error) {
	if _, err := Params(network); err != nil {
		return nil, err
	}
	base, err := checkAddress(address, k.Example, k.Plain)
	if err != nil {
		return nil, err
	}
	creds, err := read()
	if err != nil {
		return nil, err
	}
	c := &Client{kind: k, base: base, read: read, log: cmp.Or(log, slog.New(slog.DiscardHandler))}
	c.session, err = newSession(creds)
	return c, err
}

// Open returns a client without credentials, whose calls name whole addresses instead of paths. It follows redirects
// that do not leave TLS, and connects to no private network after the Internet.
func (k *Kind) Open(log *slog.Logger) *Client {
	s, _ := newSession(Credentials{}) // which cannot be wrong
	s.guard = &guard{}
	s.client.Transport.(*http.Transport).DialContext = (&net.Dialer{Control: s.guard.control}).DialContext
	s.client.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		if r.URL.Scheme != via[0].URL.Scheme || len(via) > maxRedirects {
			return http.ErrUseLastResponse
		}
		return nil
	}
	read := func() (Credentials, error) { return Credentials{}, nil }
	return &Client{kind: k, read: read, log: cmp.Or(log, slog.New(slog.DiscardHandler)), session: s}
}

// A Response is the answer of a node, whatever its status.
type Response struct {
	Status int
	Body   []byte
}

// Call sends a request with our credentials and decodes the response into out, unless that is nil. in is the body:
// [url.Values] are sent as a form, everything else but nil as JSON.
func (c *Client) Call(ctx context.Context, method, path string, in, out any) *Error {
	body, nodeErr := c.Fetch(ctx, method, path, in, false)
	if nodeErr != nil || out == nil {
		return nodeErr
	}
	if err := json.Unmarshal(body, out); err != nil {
		return c.kind.Advice.Garbled(err)
	}
	return nil
}

// Fetch is Call that returns the body. The request of a stranger has no credentials, and any response to it is good.
//
// After an error about the certificate or the credentials Fetch reads their files again and, if they have changed,
// tries once more.
func (c *Client) Fetch(ctx context.Context, method, path string, in any, stranger bool) ([]byte, *Error) {
	for try := 0; ; try++ {
		c.mu.Lock()
		session := c.session
		c.mu.Unlock()
		res, nodeErr := c.send(ctx, session, method, path, in, stranger)
		if stranger {
			return res.Body, nodeErr
		}
		if nodeErr == nil {
			nodeErr = c.kind.Judge(res)
		}
		stale := nodeErr != nil && (nodeErr.Reason == ReasonTLS || nodeErr.Reason == c.kind.Advice.credentials())
		if try > 0 || !stale {
			return res.Body, nodeErr
		}
		changed, err := c.renew(session)
		if err != nil { // they may be being replaced at this moment
			c.log.Warn("cannot reload the Lightning node's credentials; keeping the old ones", "error", err)
		}
		if !changed {
			return res.Body, nodeErr
		}
	}
}

// Reload reads the credentials again. If they cannot be read, the present ones stay.
func (c *Client) Reload() error {
	c.mu.Lock()
	old := c.session
	c.mu.Unlock()
	_, err := c.renew(old)
	return err
}

// renew reads the credentials again and reports whether the session has changed since old.
func (c *Client) renew(old *session) (changed bool, err error) {
	creds, err := c.read()
	if err != nil {
		return false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != old {
		return true, nil // somebody else renewed it
	}
	if creds.equal(old.creds) {
		return false, nil
	}
	fresh, err := newSession(creds)
	if err != nil {
		return false, err
	}
	old.client.CloseIdleConnections()
	c.session = fresh
	c.log.Info("loaded new credentials for the Lightning node")
	return true, nil
}

// A session is an HTTP client for one set of credentials.
type session struct {
	creds  Credentials
	client *http.Client
	guard  *guard // of a client without credentials
}

func newSession(creds Credentials) (*session, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if creds.Cert != nil {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(creds.Cert) {
			return nil, errors.New("there is no certificate to trust")
		}
	}
	return &session{creds: creds, client: &http.Client{
		Transport: &http.Transport{
			TLSClientConfig: config, MaxIdleConnsPerHost: maxConns, IdleConnTimeout: time.Minute,
			MaxResponseHeaderBytes: 16 << 10,
		},
		// A redirect would send the credentials elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

func (c *Client) send(ctx context.Context, s *session, method, path string, in any, stranger bool) (Response, *Error) {
	body, contentType, err := encode(in)
	if err != nil {
		return Response{}, c.kind.Advice.Garbled(err)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return Response{}, c.kind.Advice.Garbled(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	if !stranger && s.creds.Header != "" {
		req.Header.Set(s.creds.Header, s.creds.Value)
	}
	// The empty list sends no header, but lets net/http repeat the request on a new connection when the idle one it
	// chose was dead, as all are after the node has restarted. At worst that creates an invoice that nobody pays.
	req.Header["X-Idempotency-Key"] = nil
	res, err := s.client.Do(req)
	if err != nil {
		return Response{}, c.kind.Advice.transport(err)
	}
	defer res.Body.Close()
	body, err = io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	if err != nil {
		return Response{}, c.kind.Advice.transport(err)
	}
	if len(body) > maxBody {
		return Response{}, c.kind.Advice.Garbled(fmt.Errorf("a response of more than %d bytes", maxBody))
	}
	return Response{res.StatusCode, body}, nil
}

// encode returns a body and its content type.
func encode(in any) (body []byte, contentType string, err error) {
	switch in := in.(type) {
	case nil:
		return nil, "", nil
	case url.Values:
		return []byte(in.Encode()), "application/x-www-form-urlencoded", nil
	}
	body, err = json.Marshal(in)
	return body, "application/json", err
}
