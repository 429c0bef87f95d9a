package lnd

import (
	"context"
	"net/http"
	"slices"
	"time"

	"go.almanac.example/http402/wallet/rest"
	"go.almanac.example/l402/node"
)

// listChannelsRight is a permission that the node's macaroon may have: it lets almanac see whether the node has announced channels.
const listChannelsRight = "uri:/lnrpc.Lightning/ListChannels"

func credentials(s node.Settings) (node.Credentials, error) {
	cert, err := rest.ReadCertificate(s.CertFile, "use the node's tls.cert")
	if err != nil {
		return node.Credentials{}, err
	}
	macaroon, err := rest.ReadMacaroon(s.SecretFile)
	return node.Credentials{Cert: cert, Header: "Grpc-Metadata-macaroon", Value: macaroon}, err
}

// hintsTTL is how long it is believed that the node has an announced channel, or none.
const hintsTTL = time.Hour

// needsHints reports whether the next invoice shall name channels that are not announced, as route hints. A node that
// has announced ones can be found without. If the macaroon does not let us ask whether it has, channels are named, for
// then every payer finds the node. While one call asks, others go by what was found before.
func (s *service) needsHints(ctx context.Context) bool {
	if s.mu.TryLock() {
		defer s.mu.Unlock()
		if s.asked.IsZero() || s.Settings.Now().Sub(s.asked) >= hintsTTL {
			public := s.hasPublicChannel(ctx)
			s.asked = s.Settings.Now()
			if !s.public.Swap(public) && public {
				s.Settings.Log.Info("the Lightning node has announced channels, so invoices name no others")
			}
		}
	}
	return !s.public.Load()
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
