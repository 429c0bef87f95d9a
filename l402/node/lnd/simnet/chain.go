package simnet

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
)

// A chain is a btcd that mines simnet blocks when it is told to.
type chain struct {
	daemon *daemon
	host   string // of the RPC listener
	args   []string
}

const (
	rpcUser = "almanac"
	rpcPass = "almanac"

	// Nobody has the key: it is the witness program of 20 zero bytes.
	nobody = "sb1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq2cwzcu"
)

func newChain(btcd, dir string, rpc, peers int) *chain {
	c := &chain{host: fmt.Sprintf("127.0.0.1:%d", rpc), daemon: newDaemon("btcd", btcd, dir, "rpc.cert")}
	c.args = []string{
		"--simnet", "--configfile=" + filepath.Join(dir, "none.conf"),
		"--datadir=" + filepath.Join(dir, "data"), "--logdir=" + filepath.Join(dir, "logs"),
		"--rpcuser=" + rpcUser, "--rpcpass=" + rpcPass, "--rpclisten=" + c.host,
		"--rpccert=" + c.daemon.cert, "--rpckey=" + filepath.Join(dir, "rpc.key"), "--rpcmaxwebsockets=50",
		fmt.Sprintf("--listen=127.0.0.1:%d", peers),
		"--txindex", "--nobanning", "--nostalldetect", "--rejectnonstd", "--trickleinterval=100ms",
	}
	return c
}

// start runs btcd with the rewards of its blocks going to address, and waits until it answers.
func (c *chain) start(ctx context.Context, address string) error {
	c.daemon.args = append(c.args[:len(c.args):len(c.args)], "--miningaddr="+address)
	return c.daemon.run(ctx, "it answers", func(ctx context.Context) error {
		return c.call(ctx, nil, "getblockcount")
	})
}

func (c *chain) generate(ctx context.Context, blocks int) error {
	return c.call(ctx, nil, "generate", blocks)
}

func (c *chain) call(ctx context.Context, result any, method string, params ...any) error {
	if params == nil {
		params = []any{}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "1.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+c.host, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.SetBasicAuth(rpcUser, rpcPass)
	res, err := c.daemon.client.Do(req)
	if err != nil {
		return fmt.Errorf("btcd %s: %w", method, err)
	}
	defer res.Body.Close()
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		return fmt.Errorf("btcd %s: status %d: %w", method, res.StatusCode, err)
	}
	if answer.Error != nil {
		return fmt.Errorf("btcd %s: %s", method, answer.Error.Message)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(answer.Result, result)
}
