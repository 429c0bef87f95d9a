// Package rest calls nodes over their HTTP interfaces: those that pay, and those that make invoices.
package rest

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"gopkg.in/macaroon.v2"

	"go.almanac.example/http402/challenge"
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
// is trusted than that in certFile; if that is empty, the system's are. Its requests have what read reads from secretFile
// in a header.
func New(address, certFile, header, secretFile string, read func(string) (string, error)) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" ||
		u.Scheme != "https" && (u.Scheme != "http" || !netaddr.IsLoopback(u.Hostname())) {
		return nil, fmt.Errorf("node address %q is not like https://localhost:8080", address)
	}
	pem := ""
	if certFile != "" {
		if pem, err = ReadCertificate(certFile, "name the node's"); err != nil {
			return nil, err
		}
	}
	secret, err := read(secretFile)
	if err != nil {
		return nil, err
	}
	c := &Client{u.Scheme + "://" + u.Host, http.Header{}, NewHTTP(pem)}
	c.Header.Set(header, secret)
	return c, nil
}

// NewHTTP returns a client that trusts a certificate alone or, if that is empty, those that the system trusts. It follows
// no redirect, which would carry credentials along.
func NewHTTP(pem string) *http.Client {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if pem != "" {
		config.RootCAs = x509.NewCertPool()
		config.RootCAs.AppendCertsFromPEM([]byte(pem)) // which ReadCertificate has checked
	}
	return &http.Client{
		Transport:     &http.Transport{TLSClientConfig: config, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 16 << 10},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// ReadCertificate returns the PEM certificate of a node; remedy says which file has it.
func ReadCertificate(file, remedy string) (string, error) {
	cert, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read the node's certificate: %w", err)
	}
	if !x509.NewCertPool().AppendCertsFromPEM(cert) {
		return "", fmt.Errorf("%s contains no PEM certificate: %s", file, remedy)
	}
	return string(cert), nil
}

// maxSecret bounds a file that holds a secret, in bytes.
const maxSecret = 4096

// assignment matches a line of a file of settings.
var assignment = regexp.MustCompile(`^(?:export\s+)?(?:[A-Z][A-Z0-9_]{2,}|http-password[a-z-]*)\s*=\s*([^\s=].*)$`)

// readFile returns a file that holds a secret, and its one line, "" if there is none: a value, perhaps in quotes, with a name
// before it, or with comments above it. Its errors do not quote the path, which may be the secret itself, by mistake.
func readFile(file string) (all []byte, line string, err error) {
	all, err = os.ReadFile(file)
	if fault, ok := errors.AsType[*os.PathError](err); ok {
		return nil, "", fmt.Errorf("this needs the path of a file that can be read: %w", fault.Err)
	}
	for next := range strings.Lines(strings.TrimPrefix(string(all), "\ufeff")) {
		if next = strings.TrimSpace(next); next == "" || strings.HasPrefix(next, "# ") {
			continue
		} else if line != "" || strings.ContainsAny(next, "\r\x00") {
			return all, "", err
		}
		line = next
	}
	if m := assignment.FindStringSubmatch(line); m != nil {
		line = m[1]
	}
	if end := len(line) - 1; end > 1 && line[0] == line[end] && strings.ContainsAny(line[:1], `"'`) {
		line = line[1:end]
	}
	return all, line, err
}

// ReadSecret returns the one line of a file that holds a secret. Its errors do not quote the file.
func ReadSecret(file string) (string, error) {
	all, line, err := readFile(file)
	if err == nil && (line == "" || len(all) > maxSecret) {
		err = fmt.Errorf("%s is empty, or has more than one line", file)
	}
	return line, err
}

// ReadPassword returns the value of Authorization (RFC 7617) for the password of a file, without a user.
func ReadPassword(file string) (string, error) {
	password, err := ReadSecret(file)
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(":"+password)), err
}

// ReadMacaroon returns the macaroon of a file in hexadecimal, as lnd saves it, as lncli prints it, or in base64 as lndconnect
// has it. Its errors do not quote the file.
func ReadMacaroon(file string) (string, error) {
	text, line, err := readFile(file)
	if err != nil {
		return "", fmt.Errorf("read the node's macaroon: %w", err)
	}
	if decoded, err := hex.DecodeString(line); err == nil && line != "" {
		text = decoded
	} else if _, decoded := challenge.ReadMacaroon(line); decoded != nil {
		text = decoded
	}
	if len(text) > maxSecret || new(macaroon.Macaroon).UnmarshalBinary(text) != nil {
		return "", fmt.Errorf("%s contains no macaroon: use the file that lncli bakemacaroon --save_to wrote", file)
	}
	return hex.EncodeToString(text), nil
}

// maxAnswer bounds the bytes read of an answer. A payment over many paths takes some 10 KiB.
const maxAnswer = 1 << 20

// Call sends a request, with [url.Values] as a form and anything else but nil as JSON. Close closes the answer's body.
func (c *Client) Call(ctx context.Context, method, path string, in any) (*http.Response, error) {
	body, contentType, err := []byte(nil), "", error(nil)
	if form, ok := in.(url.Values); ok {
		body, contentType = []byte(form.Encode()), "application/x-www-form-urlencoded"
	} else if in != nil {
		body, err = json.Marshal(in)
		contentType = "application/json"
	}
	req, requestErr := http.NewRequestWithContext(ctx, method, c.Base+path, bytes.NewReader(body))
	if err = errors.Join(err, requestErr); err != nil {
		return nil, fmt.Errorf("ask the node: %w", err)
	}
	maps.Copy(req.Header, c.Header)
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	res, err := c.HTTP.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask the node: %w", err)
	}
	res.Body = http.MaxBytesReader(nil, res.Body, maxAnswer)
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
