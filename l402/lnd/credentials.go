package lnd

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"gopkg.in/macaroon.v2"
)

// credentialFiles are where the node's certificate and our macaroon are.
type credentialFiles struct{ cert, macaroon string }

// credentials are what was in them.
type credentials struct {
	cert     []byte // PEM
	macaroon []byte // binary
}

func (f credentialFiles) read() (credentials, error) {
	cert, err := os.ReadFile(f.cert)
	if err != nil {
		return credentials{}, fmt.Errorf("read the node's certificate: %w", err)
	}
	if !x509.NewCertPool().AppendCertsFromPEM(cert) {
		return credentials{}, fmt.Errorf("%s holds no PEM certificate; give the node's tls.cert", f.cert)
	}
	text, err := os.ReadFile(f.macaroon)
	if err != nil {
		return credentials{}, fmt.Errorf("read the node's macaroon: %w", err)
	}
	mac, err := parseMacaroon(text)
	if err != nil {
		return credentials{}, fmt.Errorf("%s holds no macaroon; give the file that lncli bakemacaroon --save_to wrote", f.macaroon)
	}
	return credentials{cert: cert, macaroon: mac}, nil
}

// parseMacaroon takes a macaroon as lnd saves it or as lncli prints it, and returns it in binary. Its errors say nothing of what was read.
func parseMacaroon(text []byte) ([]byte, error) {
	raw := text
	if decoded, err := hex.DecodeString(string(bytes.TrimSpace(text))); err == nil {
		raw = decoded
	}
	if len(raw) > 4096 || new(macaroon.Macaroon).UnmarshalBinary(raw) != nil {
		return nil, errors.New("not a macaroon")
	}
	return raw, nil
}

func (c credentials) equal(d credentials) bool {
	return bytes.Equal(c.cert, d.cert) && bytes.Equal(c.macaroon, d.macaroon)
}

// A link is a way to the node with one certificate and one macaroon.
type link struct {
	creds    credentials
	macaroon string // hex, as the header takes it
	client   *http.Client
}

func newLink(creds credentials, conns int) (*link, error) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(creds.cert) {
		return nil, errors.New("no certificate to trust")
	}
	return &link{
		creds:    creds,
		macaroon: hex.EncodeToString(creds.macaroon),
		client: &http.Client{
			Transport: &http.Transport{
				TLSClientConfig:        &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
				MaxIdleConnsPerHost:    conns,
				IdleConnTimeout:        time.Minute,
				MaxResponseHeaderBytes: 16 << 10,
			},
			// A redirect would carry the macaroon to where it says.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// renew reads the files again and reports whether they hold something else than old does. It keeps what it has when they
// cannot be read: they may be in the middle of being replaced.
func (n *Node) renew(old *link) bool {
	creds, err := n.files.read()
	if err != nil {
		n.log.Warn("cannot read the Lightning node's credentials again; keeping the old ones", "error", err)
		return false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.link != old {
		return true // somebody else renewed it
	}
	if creds.equal(old.creds) {
		return false
	}
	fresh, err := newLink(creds, cap(n.slots))
	if err != nil {
		return false
	}
	old.client.CloseIdleConnections()
	n.link = fresh
	n.log.Info("took the Lightning node's new credentials from their files")
	return true
}
