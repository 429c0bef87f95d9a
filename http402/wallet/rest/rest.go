// Package rest calls nodes that pay, over their HTTP interfaces.
package rest

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"go.almanac.example/http402/netaddr"
	"go.almanac.example/http402/wallet"
)

// A Client calls one node. Header authenticates its requests.
type Client struct {
	Base   string // address, without a slash at its end
	Header http.Header
	HTTP   *http.Client
}

// New returns a client for the node at an address, which must be https unless it is this machine. No other certificate
// is trusted than that in certFile; if that is empty, the system's are.
func New(address, certFile string) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" ||
		u.Scheme != "https" && (u.Scheme != "http" || !netaddr.IsLoopback(u.Hostname())) {
		return nil, fmt.Errorf("node address %q is not like https://localhost:8080", address)
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if certFile != "" {
		pem, err := os.ReadFile(certFile)
		if err != nil {
			return nil, fmt.Errorf("read the node's certificate: %w", err)
		}
		if config.RootCAs = x509.NewCertPool(); !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s holds no PEM certificate; name the node's", certFile)
		}
	}
	return &Client{u.Scheme + "://" + u.Host, http.Header{}, &http.Client{
		Transport: &http.Transport{TLSClientConfig: config, IdleConnTimeout: time.Minute},
		// A redirect would carry the credentials along.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// ReadSecret returns the contents of a file without the space around them.
func ReadSecret(file string) (string, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read the node's secret: %w", err)
	}
	secret := string(bytes.TrimSpace(b))
	if secret == "" || strings.ContainsAny(secret, "\r\n") {
		return "", fmt.Errorf("%s does not have one line with the node's secret", file)
	}
	return secret, nil
}

// maxAnswer bounds the bytes read of an answer. A payment over many paths takes some 10 KiB.
const maxAnswer = 1 << 20

// Call sends a request, with [url.Values] as a form and anything else but nil as JSON. Close closes the answer's body.
func (c *Client) Call(ctx context.Context, method, path string, in any) (*http.Response, error) {
	body, contentType, err := []byte(nil), "application/json", error(nil)
	if form, ok := in.(url.Values); ok {
		body, contentType = []byte(form.Encode()), "application/x-www-form-urlencoded"
	} else if in != nil {
		body, err = json.Marshal(in)
	}
	req, requestErr := http.NewRequestWithContext(ctx, method, c.Base+path, bytes.NewReader(body))
	if err = errors.Join(err, requestErr); err != nil {
		return nil, fmt.Errorf("ask the node: %w", err)
	}
	maps.Copy(req.Header, c.Header)
	req.Header.Set("Content-Type", contentType)
	res, err := c.HTTP.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask the node: %w", err)
	}
	res.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(res.Body, maxAnswer), res.Body}
	return res, nil
}

// Decode sends a request as Call does, and reads the answer's JSON, whatever its status.
func (c *Client) Decode(ctx context.Context, method, path string, in, out any) (status int, err error) {
	res, err := c.Call(ctx, method, path, in)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(out); err != nil {
		return res.StatusCode, fmt.Errorf("read the node's answer of status %d: %w", res.StatusCode, err)
	}
	return res.StatusCode, nil
}

// Refused returns the outcome of an order that the node refused. An order from before may be why, and may be under way
// or carried out.
func Refused(ctx context.Context, w wallet.Wallet, hash [32]byte, reason string) (wallet.Outcome, error) {
	out, err := w.Track(ctx, hash)
	if err != nil || out.Status == wallet.Succeeded || out.Status == wallet.Pending {
		return out, err
	}
	return wallet.Outcome{Status: wallet.Failed, Reason: reason}, nil
}
