package node

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// maxBody bounds how much of a response is read, in bytes. An invoice takes less than 2 KiB.
const maxBody = 64 << 10

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

// A Client speaks HTTP to a node. Its credentials are read again when the node does not accept them.
type Client struct {
	base   string
	read   func() (Credentials, error)
	advice Advice
	log    *slog.Logger

	mu      sync.Mutex
	session *session
}

// NewClient reads the credentials, and returns the client for the node at base, which is an address without a path.
func NewClient(base string, read func() (Credentials, error), advice Advice, log *slog.Logger) (*Client, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	creds, err := read()
	if err != nil {
		return nil, err
	}
	c := &Client{base: base, read: read, advice: advice, log: log}
	c.session, err = newSession(creds)
	return c, err
}

// A Request is one call of a node.
type Request struct {
	Method, Path string
	ContentType  string // of the body
	Body         []byte
}

// A Response is the answer of a node, whatever its status.
type Response struct {
	Status int
	Body   []byte
}

// Do sends a request with our credentials, and passes the response to judge, which returns an error unless it is good.
// After an error about the certificate or the credentials it reads their files again and, if they have changed, tries
// once more.
func (c *Client) Do(ctx context.Context, r Request, judge func(Response) *Error) (Response, *Error) {
	for try := 0; ; try++ {
		c.mu.Lock()
		session := c.session
		c.mu.Unlock()
		res, nodeErr := c.send(ctx, session, r, false)
		if nodeErr == nil {
			nodeErr = judge(res)
		}
		stale := nodeErr != nil && (nodeErr.Reason == ReasonTLS || nodeErr.Reason == c.advice.credentials())
		if try > 0 || !stale || !c.renew(session) {
			return res, nodeErr
		}
	}
}

// DoAsStranger sends a request without our credentials.
func (c *Client) DoAsStranger(ctx context.Context, r Request) (Response, *Error) {
	c.mu.Lock()
	session := c.session
	c.mu.Unlock()
	return c.send(ctx, session, r, true)
}

// Reload reads the credentials again.
func (c *Client) Reload() error {
	creds, err := c.read()
	if err != nil {
		return err
	}
	c.mu.Lock()
	old := c.session
	c.mu.Unlock()
	c.replace(old, creds)
	return nil
}

// renew reads the credentials again and reports whether the session has changed since old. It keeps the present one
// when they cannot be read, because they may be being replaced at that moment.
func (c *Client) renew(old *session) bool {
	creds, err := c.read()
	if err != nil {
		c.log.Warn("cannot reload the Lightning node's credentials; keeping the old ones", "error", err)
		return false
	}
	return c.replace(old, creds)
}

func (c *Client) replace(old *session, creds Credentials) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != old {
		return true // somebody else renewed it
	}
	if creds.equal(old.creds) {
		return false
	}
	fresh, err := newSession(creds)
	if err != nil {
		return false
	}
	old.client.CloseIdleConnections()
	c.session = fresh
	c.log.Info("loaded new credentials for the Lightning node")
	return true
}

// A session is an HTTP client for one set of credentials.
type session struct {
	creds  Credentials
	client *http.Client
}

func newSession(creds Credentials) (*session, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if creds.Cert != nil {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(creds.Cert) {
			return nil, errors.New("there is no certificate to trust")
		}
	}
	return &session{creds, &http.Client{
		Transport: &http.Transport{
			TLSClientConfig: config, MaxIdleConnsPerHost: maxConns, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 16 << 10,
		},
		// A redirect would send the credentials elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

func (c *Client) send(ctx context.Context, s *session, r Request, stranger bool) (Response, *Error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, c.base+r.Path, bytes.NewReader(r.Body))
	if err != nil {
		return Response{}, c.advice.Garbled(err)
	}
	if r.ContentType != "" {
		req.Header.Set("Content-Type", r.ContentType)
	}
	if !stranger {
		req.Header.Set(s.creds.Header, s.creds.Value)
	}
	// The empty list sends no header, but lets net/http repeat the request on a new connection when the idle one it
	// chose was dead, as all are after the node has restarted. At worst that creates an invoice that nobody pays.
	req.Header["X-Idempotency-Key"] = nil
	res, err := s.client.Do(req)
	if err != nil {
		return Response{}, c.advice.transport(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	if err != nil {
		return Response{}, c.advice.transport(err)
	}
	if len(body) > maxBody {
		return Response{}, c.advice.Garbled(fmt.Errorf("a response of more than %d bytes", maxBody))
	}
	return Response{res.StatusCode, body}, nil
}
