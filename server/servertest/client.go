// Package servertest is a client of a running almanac, for tests.
package servertest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.almanac.example/internal/parttest"
	"go.almanac.example/internal/problem"
)

// A Client asks the service at URL.
type Client struct {
	T   testing.TB
	URL string
}

// check ends the test when something failed on which all else depends.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Do sends a request and gives the answer with its body.
func (c *Client) Do(method, path, body string, header ...string) (*http.Response, []byte) {
	c.T.Helper()
	return Ask(c.T, method, c.URL+path, body, header...)
}

// Ask sends a request whose headers are name, value, name, value …, again while the service is too busy for it, and
// gives the answer with its body.
func Ask(t testing.TB, method, url, body string, header ...string) (res *http.Response, got []byte) {
	t.Helper()
	WaitUntil(t, "the service has time for "+url, func() bool {
		req, err := http.NewRequest(method, url, strings.NewReader(body))
		check(t, err)
		for i := 0; i+1 < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		res, err = http.DefaultClient.Do(req)
		check(t, err)
		defer res.Body.Close()
		got, err = io.ReadAll(res.Body)
		check(t, err)
		return !TooBusy(res.StatusCode, got)
	})
	return res, got
}

// Decode reads JSON into a T.
func Decode[T any](t testing.TB, body []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return v
}

// A Challenge is the body of a 402.
type Challenge struct {
	Code, Macaroon, Invoice string
	PaymentHash             string `json:"payment_hash"`
	PriceSats               int64  `json:"price_sats"`
	Credits                 int
	ValidDays               int `json:"valid_days"`
}

// Buy gets a challenge, pays it at the demo node, and gives the Authorization value.
func (c *Client) Buy() string {
	c.T.Helper()
	res, body := c.Do(http.MethodGet, "/v1/search?q=macaroon", "")
	if res.StatusCode != http.StatusPaymentRequired {
		c.T.Fatalf("status %d, want 402: %s", res.StatusCode, body)
	}
	ch := Decode[Challenge](c.T, body)
	order, err := json.Marshal(map[string]string{"invoice": ch.Invoice})
	check(c.T, err)
	res, body = c.Do(http.MethodPost, "/demo/pay", string(order), "Content-Type", "application/json")
	if res.StatusCode != http.StatusOK {
		c.T.Fatalf("demo/pay: status %d: %s", res.StatusCode, body)
	}
	paid := Decode[struct{ Preimage string }](c.T, body)
	return "L402 " + ch.Macaroon + ":" + paid.Preimage
}

// RPC sends a JSON-RPC request to the tool server and gives the answer.
func (c *Client) RPC(method string, params any) []byte {
	c.T.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	check(c.T, err)
	res, got := c.Do(http.MethodPost, "/mcp", string(body), "Content-Type", "application/json",
		"Accept", "application/json, text/event-stream", "MCP-Protocol-Version", "2025-11-25")
	if res.StatusCode != http.StatusOK {
		c.T.Fatalf("%s: status %d: %s", method, res.StatusCode, got)
	}
	return got
}

// Call calls a tool and gives its result, which is JSON as text.
func (c *Client) Call(tool string, args any) json.RawMessage {
	c.T.Helper()
	answer := Decode[struct {
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
	}](c.T, c.RPC("tools/call", map[string]any{"name": tool, "arguments": args}))
	if answer.Result.IsError {
		c.T.Fatalf("%s: %s", tool, answer.Result.Content)
	}
	return json.RawMessage(answer.Result.Content[0].Text)
}

// Resource returns the text of a resource.
func (c *Client) Resource(uri string) string {
	c.T.Helper()
	answer := Decode[struct {
		Result struct{ Contents []struct{ Text string } }
	}](c.T, c.RPC("resources/read", map[string]any{"uri": uri}))
	if len(answer.Result.Contents) != 1 {
		c.T.Fatalf("%s has %d contents", uri, len(answer.Result.Contents))
	}
	return answer.Result.Contents[0].Text
}

// Patience is parttest's.
const Patience = parttest.Patience

// WaitUntil waits until done, and fails the test when it never is.
func WaitUntil(t testing.TB, what string, done func() bool) {
	t.Helper()
	parttest.WaitUntil(t, what, done)
}

// TooBusy reports whether an answer says only that the machine has too much to do at the moment: the request cost
// nothing, and the client is to send it again.
func TooBusy(status int, body []byte) bool {
	var p struct{ Code problem.Code }
	return status == http.StatusServiceUnavailable && json.Unmarshal(body, &p) == nil &&
		(p.Code == problem.Timeout || p.Code == problem.Overloaded)
}
