package lnd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// maxBody bounds how much of a response is read, in bytes. An invoice takes less than 2 KiB.
const maxBody = 64 << 10

// call sends one request, with the macaroon, and returns the body of the 200 response. After an error about the certificate or the
// macaroon it reads their files again and, if they have changed, tries once more.
func (n *Node) call(ctx context.Context, method, path string, in any) ([]byte, *Error) {
	parent := ctx
	ctx, cancel := context.WithTimeout(ctx, n.timeout)
	defer cancel()
	select {
	case n.slots <- struct{}{}:
		defer func() { <-n.slots }()
	case <-ctx.Done():
		if parent.Err() != nil {
			return nil, canceled(parent.Err())
		}
		return nil, busy(n.timeout)
	}
	for try := 0; ; try++ {
		n.mu.Lock()
		session := n.session
		n.mu.Unlock()
		body, nodeErr := session.do(ctx, method, n.base+path, in, n.timeout)
		if nodeErr == nil {
			return body, nil
		}
		if parent.Err() != nil {
			return nil, canceled(parent.Err())
		}
		credentials := nodeErr.Reason == ReasonTLS || nodeErr.Reason == ReasonMacaroon
		if try > 0 || !credentials || !n.renew(session) {
			return nil, nodeErr
		}
	}
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
