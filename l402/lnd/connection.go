package lnd

import (
	"bytes"
	"context"
	"encoding/json"
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

// A connection is the way to a node: its address, the credentials for it, and the turns of the callers.
type connection struct {
	base    string
	timeout time.Duration // of one call, including the wait for its turn
	slots   chan struct{}
	files   credentialFiles
	log     *slog.Logger

	mu      sync.Mutex
	session *session
}

// call sends one request, with the macaroon, and returns the body of the 200 response. After an error about the certificate or the
// macaroon it reads their files again and, if they have changed, tries once more.
func (c *connection) call(ctx context.Context, method, path string, in any) ([]byte, *Error) {
	parent := ctx
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		if parent.Err() != nil {
			return nil, canceled(parent.Err())
		}
		return nil, busy(c.timeout)
	}
	for try := 0; ; try++ {
		c.mu.Lock()
		session := c.session
		c.mu.Unlock()
		body, nodeErr := session.do(ctx, method, c.base+path, in, c.timeout)
		if nodeErr == nil {
			return body, nil
		}
		if parent.Err() != nil {
			return nil, canceled(parent.Err())
		}
		credentials := nodeErr.Reason == ReasonTLS || nodeErr.Reason == ReasonMacaroon
		if try > 0 || !credentials || !c.renew(session) {
			return nil, nodeErr
		}
	}
}

// renew reads the files again and reports whether the session has changed since old. It keeps the present one when they cannot be
// read, because they may be being replaced at that moment.
func (c *connection) renew(old *session) bool {
	creds, err := c.files.read()
	if err != nil {
		c.log.Warn("cannot reload the Lightning node's credentials; keeping the old ones", "error", err)
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != old {
		return true // somebody else renewed it
	}
	if creds.equal(old.creds) {
		return false
	}
	fresh, err := newSession(creds, cap(c.slots))
	if err != nil {
		return false
	}
	old.client.CloseIdleConnections()
	c.session = fresh
	c.log.Info("loaded new credentials for the Lightning node")
	return true
}

func (s *session) do(ctx context.Context, method, url string, in any, timeout time.Duration) ([]byte, *Error) {
	var payload io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return nil, garbled(err)
		}
		payload = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, url, payload)
	if err != nil {
		return nil, garbled(err)
	}
	req.Header.Set("Grpc-Metadata-macaroon", s.macaroon)
	// The empty list sends no header, but lets net/http repeat the request on a new connection when the idle one it chose was dead,
	// as all are after the node has restarted. At worst that creates an invoice that nobody pays.
	req.Header["X-Idempotency-Key"] = nil
	res, err := s.client.Do(req)
	if err != nil {
		return nil, transportError(err, timeout)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	if err != nil {
		return nil, transportError(err, timeout)
	}
	if len(body) > maxBody {
		return nil, garbled(fmt.Errorf("a response of more than %d bytes", maxBody))
	}
	if res.StatusCode != http.StatusOK {
		return nil, answerError(res.StatusCode, body)
	}
	return body, nil
}

// answerError classifies responses of lnd other than 200. Nearly all of them have status 500 and code 2 (unknown), so the text decides.
func answerError(status int, body []byte) *Error {
	var answer struct {
		Message string `json:"message"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Message == "" {
		return notLND(errors.New(http.StatusText(status)))
	}
	return messageError(status, answer.Message)
}
