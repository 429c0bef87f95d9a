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

// credentialFiles are the files of the node's certificate and our macaroon.
type credentialFiles struct{ cert, macaroon string }

// credentials are the contents of those files.
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
		return credentials{}, fmt.Errorf("%s contains no PEM certificate: use the node's tls.cert", f.cert)
	}
	text, err := os.ReadFile(f.macaroon)
	if err != nil {
		return credentials{}, fmt.Errorf("read the node's macaroon: %w", err)
	}
	mac, err := parseMacaroon(text)
	if err != nil {
		return credentials{}, fmt.Errorf("%s contains no macaroon: use the file that lncli bakemacaroon --save_to wrote", f.macaroon)
	}
	return credentials{cert: cert, macaroon: mac}, nil
}

// parseMacaroon parses a macaroon as lnd saves it or as lncli prints it, and returns it in binary. Its errors do not quote the file.
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

// A session is an HTTP client for one certificate and one macaroon.
type session struct {
	creds    credentials
	macaroon string // hex, as the header takes it
	client   *http.Client
}

func newSession(creds credentials, conns int) (*session, error) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(creds.cert) {
		return nil, errors.New("there is no certificate to trust")
	}
	return &session{
		creds:    creds,
		macaroon: hex.EncodeToString(creds.macaroon),
		client: &http.Client{
			Transport: &http.Transport{
				TLSClientConfig:        &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
				MaxIdleConnsPerHost:    conns,
				IdleConnTimeout:        time.Minute,
				MaxResponseHeaderBytes: 16 << 10,
			},
			// A redirect would send the macaroon elsewhere.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}
