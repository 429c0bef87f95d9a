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

// maxBody bounds what is read of an answer, in bytes. An invoice takes less than 2 KiB.
const maxBody = 64 << 10

// call sends one request, with the macaroon, and returns the body of the 200 that answers it. A fault of the certificate or the
// macaroon makes it read their files again and, when they changed, try once more.
func (n *Node) call(ctx context.Context, method, path string, in any) ([]byte, *Fault) {
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
		link := n.link
		n.mu.Unlock()
		body, fault := link.do(ctx, method, n.base+path, in, n.timeout)
		if fault == nil {
			return body, nil
		}
		if parent.Err() != nil {
			return nil, canceled(parent.Err())
		}
		credentials := fault.Reason == ReasonTLS || fault.Reason == ReasonMacaroon
		if try > 0 || !credentials || !n.renew(link) {
			return nil, fault
		}
	}
}

func (l *link) do(ctx context.Context, method, url string, in any, timeout time.Duration) ([]byte, *Fault) {
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
	req.Header.Set("Grpc-Metadata-macaroon", l.macaroon)
	// The empty list sends no header and tells net/http that the request may be repeated on a new connection when the idle one it
	// chose was dead, as all are after the node restarted. The worst it can do is an invoice that nobody pays.
	req.Header["X-Idempotency-Key"] = nil
	res, err := l.client.Do(req)
	if err != nil {
		return nil, transportFault(err, timeout)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	if err != nil {
		return nil, transportFault(err, timeout)
	}
	if len(body) > maxBody {
		return nil, garbled(fmt.Errorf("an answer of more than %d bytes", maxBody))
	}
	if res.StatusCode != http.StatusOK {
		return nil, answerFault(res.StatusCode, body)
	}
	return body, nil
}

// answerFault tells apart the answers of lnd that are no 200. Nearly all of them are status 500 and code 2 (unknown), so the text decides.
func answerFault(status int, body []byte) *Fault {
	var answer struct {
		Message string `json:"message"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Message == "" {
		return notLND(errors.New(http.StatusText(status)))
	}
	return messageFault(status, answer.Message)
}
