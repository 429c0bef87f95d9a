package lnd

import (
	"bytes"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"os"

	"almanac/l402/node"

	"gopkg.in/macaroon.v2"
)

// credentialFiles are the files of the node's certificate and our macaroon.
type credentialFiles struct{ cert, macaroon string }

func (f credentialFiles) read() (node.Credentials, error) {
	cert, err := os.ReadFile(f.cert)
	if err != nil {
		return node.Credentials{}, fmt.Errorf("read the node's certificate: %w", err)
	}
	if !x509.NewCertPool().AppendCertsFromPEM(cert) {
		return node.Credentials{}, fmt.Errorf("%s contains no PEM certificate: use the node's tls.cert", f.cert)
	}
	mac, err := f.readMacaroon()
	if err != nil {
		return node.Credentials{}, err
	}
	return node.Credentials{Cert: cert, Header: "Grpc-Metadata-macaroon", Value: hex.EncodeToString(mac)}, nil
}

func (f credentialFiles) readMacaroon() ([]byte, error) {
	text, err := os.ReadFile(f.macaroon)
	if err != nil {
		return nil, fmt.Errorf("read the node's macaroon: %w", err)
	}
	mac, err := parseMacaroon(text)
	if err != nil {
		return nil, fmt.Errorf("%s contains no macaroon: use the file that lncli bakemacaroon --save_to wrote", f.macaroon)
	}
	return mac, nil
}

// parseMacaroon parses a macaroon as lnd saves it or as lncli prints it, and returns it in binary. Its errors do not
// quote the file.
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
