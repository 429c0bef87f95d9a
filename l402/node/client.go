package node

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"

	"go.almanac.example/http402/wallet/rest"
)

// maxBody bounds how much of a response is read, in bytes. An invoice takes less than 2 KiB, and the metadata of a
// Lightning address may have pictures of 136,536 characters (LUD-06).
const maxBody = 512 << 10

// maxRedirects is how many times a service without credentials may lead elsewhere.
const maxRedirects = 3

// Credentials authenticate us to a node that speaks HTTP, and the node to us.
type Credentials struct {
	Cert   string // PEM; no other certificate is trusted. "" trusts those that the system trusts.
	Header string // with the value below, on every request of ours
	Value  string
}

// A Kind is a kind of node that speaks HTTP.
type Kind struct {
	Example string                // of an address
	Plain   bool                  // http:// will do on this machine and in private networks
	Flag    string                // that names the network, as in "-lnd-network"
	Judge   func(Response) *Error // returns an error unless the response is good
	Advice  Advice
	Read    func(Settings) (Credentials, error) // of files
}

// A Client speaks HTTP to a node. Its credentials are read again when the node does not accept them.
type Client struct {
	*Connection[Credentials, session]
	Settings Settings
	kind     *Kind
	base     string
}

// New checks the address of a node, reads the credentials, and returns the node whose service speaks through a client.
// It does not call the node.
func (k *Kind) New(s Settings, service func(*Client) Service) (*Node, error) {
	base, err := checkAddress(s.Address, k.Example, k.Plain)
	if err != nil {
		return nil, err
	}
	c, err := Connect(func() (Credentials, error) { return k.Read(s) }, newSession, (*session).CloseIdleConnections, s.Log)
	if err != nil {
		return nil, err
	}
	return New(service(&Client{c, s, k, base}), Config{Settings: s, NetworkFlag: k.Flag})
}

// CheckNetwork is the function of that name for the network of the settings.
func (c *Client) CheckNetwork(stated string) *Error {
	return CheckNetwork(stated, c.kind.Flag, c.Settings.Network)
}

// Open returns a client without credentials, whose calls name whole addresses instead of paths. It follows redirects
// that do not leave TLS, and connects to no private network after the Internet.
func (k *Kind) Open(log *slog.Logger) *Client {
	none := func() (Credentials, error) { return Credentials{}, nil }
	c, _ := Connect(none, newSession, (*session).CloseIdleConnections, log) // no credentials cannot be wrong
	s := c.Current()
	s.guard = &guard{}
	s.Transport.(*http.Transport).DialContext = (&net.Dialer{Control: s.guard.control}).DialContext
	s.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		if r.URL.Scheme != via[0].URL.Scheme || len(via) > maxRedirects {
			return http.ErrUseLastResponse
		}
		return nil
	}
	return &Client{Connection: c, kind: k}
}

// A Response is the answer of a node, whatever its status.
type Response struct {
	Status int
	Body   []byte
}

// Call sends a request with our credentials and decodes the response into out, unless that is nil. in is the body:
// [net/url.Values] are sent as a form, everything else but nil as JSON.
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
func (c *Client) Fetch(
	ctx context.Context, method, path string, in any, stranger bool,
) (body []byte, nodeErr *Error) {
	nodeErr = c.Connection.Call(func(s *session) *Error {
		res, err := c.send(ctx, s, method, path, in, stranger)
		if body = res.Body; err == nil && !stranger {
			err = c.kind.Judge(res)
		}
		return err
	}, func(err *Error) bool {
		return !stranger && (err.Reason == ReasonTLS || err.Reason == ReasonCredentials)
	})
	return body, nodeErr
}

// A session is an HTTP client for one set of credentials.
type session struct {
	http.Client
	creds Credentials
	guard *guard // of a client without credentials
}

func newSession(creds Credentials) (*session, error) {
	s := &session{Client: *rest.NewHTTP(creds.Cert), creds: creds}
	s.Transport.(*http.Transport).MaxIdleConnsPerHost = concurrency
	return s, nil
}

func (c *Client) send(ctx context.Context, s *session, method, path string, in any, stranger bool) (Response, *Error) {
	// The empty list sends no header, but lets net/http repeat the request on a new connection when the idle one it
	// chose was dead, as all are after the node has restarted. At worst that creates an invoice that nobody pays.
	header := http.Header{"X-Idempotency-Key": nil}
	if !stranger && s.creds.Header != "" {
		header.Set(s.creds.Header, s.creds.Value)
	}
	res, err := (&rest.Client{Base: c.base, Header: header, HTTP: &s.Client}).Call(ctx, method, path, in)
	if err != nil {
		return Response{}, c.kind.Advice.transport(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	if err != nil {
		return Response{}, c.kind.Advice.transport(err)
	}
	if len(body) > maxBody {
		return Response{}, c.kind.Advice.Garbled(fmt.Errorf("a response of more than %d bytes", maxBody))
	}
	return Response{res.StatusCode, bytes.TrimPrefix(body, []byte("\ufeff"))}, nil // some services begin with a byte order mark
}
