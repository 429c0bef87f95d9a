package lnd

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"gopkg.in/macaroon.v2"

	"go.almanac.example/http402/wallet/rest"
	"go.almanac.example/l402/node"
)

// addInvoiceRight is the only permission that the node's macaroon needs.
const addInvoiceRight = "uri:/lnrpc.Lightning/AddInvoice"

// listChannelsRight is another that it may have: it lets almanac see whether the node has announced channels.
const listChannelsRight = "uri:/lnrpc.Lightning/ListChannels"

// rights returns the permissions of the macaroon, in the form that lncli bakemacaroon takes. They are in its
// identifier: the byte 3, then the message MacaroonId of
// gopkg.in/macaroon-bakery.v2/bakery/internal/macaroonpb/id.proto.
func (f credentialFiles) rights() ([]string, error) {
	m, err := f.readMacaroon()
	if err != nil {
		return nil, err
	}
	id := m.Id()
	if len(id) == 0 || id[0] != 3 {
		return nil, errors.New("the macaroon's identifier does not have version 3")
	}
	var list []string
	err = eachField(id[1:], func(num protowire.Number, op []byte) error {
		if num != 3 {
			return nil
		}
		var entity string
		return eachField(op, func(num protowire.Number, b []byte) error {
			switch num {
			case 1:
				entity = string(b)
			case 2:
				list = append(list, entity+":"+string(b))
			}
			return nil
		})
	})
	return list, err
}

// eachField calls f for the fields of a message whose fields are all strings, bytes or messages.
func eachField(b []byte, f func(protowire.Number, []byte) error) error {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 || typ != protowire.BytesType {
			return errors.New("the macaroon's identifier is not a protobuf message")
		}
		value, m := protowire.ConsumeBytes(b[n:])
		if m < 0 {
			return errors.New("the macaroon's identifier is cut short")
		}
		if err := f(num, value); err != nil {
			return err
		}
		b = b[n+m:]
	}
	return nil
}

// warnOfRights logs a warning if the macaroon permits more than it should.
func (f credentialFiles) warnOfRights(log *slog.Logger) {
	list, err := f.rights()
	switch {
	case err != nil:
		log.Warn("cannot read the permissions of the Lightning node's macaroon", "error", err)
	case !slices.Contains(list, addInvoiceRight) ||
		slices.ContainsFunc(list, func(r string) bool { return r != addInvoiceRight && r != listChannelsRight }):
		log.Warn("the Lightning node's macaroon permits more than it needs; bake one for "+addInvoiceRight+" alone",
			"permits", list)
	}
}

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
// has announced ones can be found without. Whether it has is asked only with a macaroon that permits to; without an
// answer channels are named, for then every payer finds the node.
func (s *service) needsHints(ctx context.Context) bool {
	if !s.cfg.RouteHints || !s.cfg.AskChannels {
		return s.cfg.RouteHints
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked.IsZero() || s.cfg.Now().Sub(s.asked) >= hintsTTL {
		before := s.public
		list, _ := s.files.rights() // none if they cannot be read
		permitted := slices.Contains(list, listChannelsRight) || slices.Contains(list, "offchain:read")
		s.public, s.asked = permitted && s.hasPublicChannel(ctx), s.cfg.Now()
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
