package simnet

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
)

// A node is an lnd, and what its owner, with the admin macaroon, can do with it.
type node struct {
	daemon   *daemon
	dir      string
	url      string // of the REST listener
	rpc      string // host and port of the gRPC listener
	peer     string // host and port for other nodes
	macaroon string // of the admin, in hex
}

func newNode(lnd, name, dir string, ports []int, c *chain, args ...string) *node {
	n := &node{
		dir:  dir,
		rpc:  fmt.Sprintf("127.0.0.1:%d", ports[0]),
		url:  fmt.Sprintf("https://127.0.0.1:%d", ports[1]),
		peer: fmt.Sprintf("127.0.0.1:%d", ports[2]),
	}
	n.daemon = newDaemon(name, lnd, dir, "tls.cert", append(args,
		"--lnddir="+dir, "--bitcoin.simnet", "--bitcoin.node=btcd", "--btcd.rpchost="+c.host,
		"--btcd.rpcuser="+rpcUser, "--btcd.rpcpass="+rpcPass, "--btcd.rpccert="+c.daemon.cert,
		"--noseedbackup", "--nobootstrap", "--tlsdisableautofill", "--alias="+name,
		"--rpclisten="+n.rpc, fmt.Sprintf("--restlisten=127.0.0.1:%d", ports[1]), "--listen="+n.peer,
		"--debuglevel=info", "--trickledelay=50", "--gossip.sub-batch-delay=5ms", "--bitcoin.defaultchanconfs=1",
		"--gc-canceled-invoices-on-the-fly", "--gc-canceled-invoices-on-startup")...)
	return n
}

// start runs the node and waits until it takes calls. Before the wallet is open, only the state can be asked for.
func (n *node) start(ctx context.Context) error {
	err := n.daemon.run(ctx, "it is active", func(ctx context.Context) error {
		var answer struct {
			State string `json:"state"`
		}
		if err := n.get(ctx, "/v1/state", &answer); err != nil {
			return err
		}
		if answer.State != "SERVER_ACTIVE" {
			return errors.New(answer.State)
		}
		return nil
	})
	if err != nil {
		return err
	}
	raw, err := os.ReadFile(n.adminFile())
	n.macaroon = hex.EncodeToString(raw)
	return err
}

func (n *node) adminFile() string {
	return filepath.Join(n.dir, "data", "chain", "bitcoin", "simnet", "admin.macaroon")
}

// synced waits until the node has seen the chain up to height.
func (n *node) synced(ctx context.Context, height int) error {
	return n.daemon.until(ctx, fmt.Sprintf("it has block %d", height), func(ctx context.Context) error {
		var info struct {
			Synced bool `json:"synced_to_chain"`
			Height int  `json:"block_height"`
		}
		if err := n.get(ctx, "/v1/getinfo", &info); err != nil {
			return err
		}
		if !info.Synced || info.Height < height {
			return fmt.Errorf("at block %d, synced: %t", info.Height, info.Synced)
		}
		return nil
	})
}

// bake makes a macaroon for the given gRPC methods only and returns its file.
func (n *node) bake(ctx context.Context, methods ...string) (string, error) {
	type permission struct {
		Entity string `json:"entity"`
		Action string `json:"action"`
	}
	var permissions []permission
	for _, m := range methods {
		permissions = append(permissions, permission{"uri", m})
	}
	var answer struct {
		Macaroon string `json:"macaroon"`
	}
	if err := n.post(ctx, "/v1/macaroon", map[string]any{"permissions": permissions}, &answer); err != nil {
		return "", err
	}
	raw, err := hex.DecodeString(answer.Macaroon)
	if err != nil {
		return "", fmt.Errorf("baked macaroon: %w", err)
	}
	f, err := os.CreateTemp(n.dir, "baked-*.macaroon")
	if err != nil {
		return "", err
	}
	if _, err := f.Write(raw); err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}

func (n *node) get(ctx context.Context, path string, out any) error {
	return n.call(ctx, http.MethodGet, path, nil, out)
}

func (n *node) post(ctx context.Context, path string, in, out any) error {
	return n.call(ctx, http.MethodPost, path, in, out)
}

func (n *node) call(ctx context.Context, method, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, n.url+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Grpc-Metadata-macaroon", n.macaroon)
	res, err := n.daemon.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		var answer struct {
			Message string `json:"message"`
			Error   struct {
				Message string `json:"message"`
			} `json:"error"` // of a stream
		}
		json.NewDecoder(res.Body).Decode(&answer)
		return fmt.Errorf("%s %s: status %d: %s%s", method, path, res.StatusCode, answer.Message, answer.Error.Message)
	}
	if err := json.NewDecoder(res.Body).Decode(out); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}

// pinned returns a client that trusts the certificate in the file and no other.
func pinned(certFile string) (*http.Client, error) {
	pem, err := os.ReadFile(certFile)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate", certFile)
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}, nil
}
