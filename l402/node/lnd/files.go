package lnd

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"slices"
	"time"

	"gopkg.in/macaroon.v2"

	"go.almanac.example/http402/wallet/rest"
	"go.almanac.example/l402/node"
)

// listChannelsRight is a permission that the node's macaroon may have: it lets almanac see whether the node has announced channels.
const listChannelsRight = "uri:/lnrpc.Lightning/ListChannels"

// credentialFiles are the files of the node's certificate and our macaroon.
type credentialFiles struct{ cert, macaroon string }

func (f credentialFiles) read() (node.Credentials, error) {
	cert, err := rest.ReadCertificate(f.cert, "use the node's tls.cert")
	if err != nil {
		return node.Credentials{}, err
	}
	m, err := f.readMacaroon()
	if err != nil {
		return node.Credentials{}, err
	}
	raw, err := m.MarshalBinary()
	return node.Credentials{Cert: cert, Header: "Grpc-Metadata-macaroon", Value: hex.EncodeToString(raw)}, err
}

// readMacaroon reads a macaroon as lnd saves it or as lncli prints it. Its errors do not quote the file.
func (f credentialFiles) readMacaroon() (*macaroon.Macaroon, error) {
	text, err := os.ReadFile(f.macaroon)
	if err != nil {
		return nil, fmt.Errorf("read the node's macaroon: %w", err)
	}
	if decoded, err := hex.DecodeString(string(bytes.TrimSpace(text))); err == nil {
		text = decoded
	}
	m := new(macaroon.Macaroon)
	if len(text) > 4096 || m.UnmarshalBinary(text) != nil {
		return nil, fmt.Errorf("%s contains no macaroon: use the file that lncli bakemacaroon --save_to wrote", f.macaroon)
	}
	return m, nil
}

// hintsTTL is how long it is believed that the node has an announced channel, or none.
const hintsTTL = time.Hour

// needsHints reports whether the next invoice shall name channels that are not announced, as route hints. A node that
// has announced ones can be found without. If the macaroon does not let us ask whether it has, channels are named, for
// then every payer finds the node.
func (s *service) needsHints(ctx context.Context) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked.IsZero() || s.cfg.Now().Sub(s.asked) >= hintsTTL {
		before := s.public
		s.public, s.asked = s.hasPublicChannel(ctx), s.cfg.Now()
		if s.public && !before {
			s.cfg.Log.Info("the Lightning node has announced channels, so invoices name no others")
		}
	}
	return !s.public
}

// hasPublicChannel asks the node. An error says nothing about its channels, and shows when the invoice is made.
func (s *service) hasPublicChannel(ctx context.Context) bool {
	type channel struct {
		Private bool `json:"private"`
	}
	var answer struct {
		Channels []channel `json:"channels"`
	}
	nodeErr := s.Call(ctx, http.MethodGet, "/v1/channels?active_only=true&public_only=true", nil, &answer)
	return nodeErr == nil && slices.ContainsFunc(answer.Channels, func(c channel) bool { return !c.Private })
}
