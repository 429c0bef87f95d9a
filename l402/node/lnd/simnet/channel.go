package simnet

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// Enough for the coinbase of the first block to be spent (100 blocks) and for segwit to be in force.
const fundingBlocks = 401

// fund starts everything and mines to the payer. btcd takes the address of its miner only at start, and lnd makes
// addresses only while it has a chain, so btcd starts twice. It must not restart under a running lnd, which then never
// syncs again.
func (n *Network) fund(ctx context.Context) error {
	if err := n.chain.start(ctx, nobody); err != nil {
		return err
	}
	// A chain that ends with the genesis block is too old for lnd to be active on.
	if err := n.chain.generate(ctx, 1); err != nil {
		return err
	}
	if err := n.payer.start(ctx); err != nil {
		return err
	}
	var answer struct {
		Address string `json:"address"`
	}
	if err := n.payer.get(ctx, "/v1/newaddress", &answer); err != nil {
		return err
	}
	if err := n.payer.daemon.stop(stopTimeout); err != nil {
		return err
	}
	if err := n.chain.daemon.stop(stopTimeout); err != nil {
		return err
	}
	if err := n.chain.start(ctx, answer.Address); err != nil {
		return err
	}
	if err := n.chain.generate(ctx, fundingBlocks); err != nil {
		return err
	}
	for _, node := range []*node{n.merchant, n.payer} {
		if err := node.start(ctx); err != nil {
			return err
		}
	}
	for _, node := range []*node{n.merchant, n.payer} {
		if err := node.synced(ctx, 1+fundingBlocks); err != nil {
			return err
		}
	}
	return n.payer.daemon.until(ctx, "the payer sees its money", func(ctx context.Context) error {
		var balance struct {
			Confirmed string `json:"confirmed_balance"`
		}
		if err := n.payer.get(ctx, "/v1/balance/blockchain", &balance); err != nil {
			return err
		}
		if balance.Confirmed == "0" {
			return errors.New("balance 0")
		}
		return nil
	})
}

// openChannel opens a channel of 2,000,000 sat from the payer to the merchant and waits until it can carry a payment.
func (n *Network) openChannel(ctx context.Context) error {
	pubkey, err := n.connect(ctx)
	if err != nil {
		return err
	}
	raw, err := hex.DecodeString(pubkey)
	if err != nil {
		return fmt.Errorf("public key of the merchant: %w", err)
	}
	err = n.payer.daemon.until(ctx, "it opens a channel", func(ctx context.Context) error {
		return n.payer.post(ctx, "/v1/channels", map[string]any{
			"node_pubkey": base64.StdEncoding.EncodeToString(raw), "local_funding_amount": "2000000", "sat_per_vbyte": "5",
		}, new(struct{}))
	})
	if err != nil {
		return err
	}
	err = n.chain.daemon.until(ctx, "the funding transaction is there", func(ctx context.Context) error {
		var waiting []string // ids
		err := n.chain.call(ctx, &waiting, "getrawmempool")
		if err == nil && len(waiting) == 0 {
			err = errors.New("no transaction waits")
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := n.chain.generate(ctx, 3); err != nil {
		return err
	}
	return n.payable(ctx)
}

// connect makes the payer a peer of the merchant and returns the merchant's public key.
func (n *Network) connect(ctx context.Context) (string, error) {
	var info struct {
		Pubkey string `json:"identity_pubkey"`
	}
	if err := n.merchant.get(ctx, "/v1/getinfo", &info); err != nil {
		return "", err
	}
	err := n.payer.daemon.until(ctx, "it is connected to the merchant", func(ctx context.Context) error {
		err := n.payer.post(ctx, "/v1/peers", map[string]any{
			"addr": map[string]string{"pubkey": info.Pubkey, "host": n.merchant.peer},
		}, new(struct{}))
		if err != nil && strings.Contains(err.Error(), "already connected") {
			return nil
		}
		return err
	})
	return info.Pubkey, err
}

// payable waits until both sides call the channel active and the payer's map of the network has both its directions.
// The second comes later than the first, and until then a payment fails for want of balance.
func (n *Network) payable(ctx context.Context) error {
	for _, node := range []*node{n.merchant, n.payer} {
		err := node.daemon.until(ctx, "the channel is active", func(ctx context.Context) error {
			var list struct {
				Channels []struct {
					ID string `json:"chan_id"`
				} `json:"channels"`
			}
			if err := node.get(ctx, "/v1/channels?active_only=true", &list); err != nil {
				return err
			}
			if len(list.Channels) == 0 {
				return errors.New("no active channel")
			}
			n.channel = list.Channels[0].ID
			return nil
		})
		if err != nil {
			return err
		}
	}
	return n.payer.daemon.until(ctx, "it knows both directions of the channel", func(ctx context.Context) error {
		var edge struct {
			One *struct{} `json:"node1_policy"`
			Two *struct{} `json:"node2_policy"`
		}
		if err := n.payer.get(ctx, "/v1/graph/edge/"+n.channel, &edge); err != nil {
			return err
		}
		if edge.One == nil || edge.Two == nil {
			return errors.New("a direction is missing")
		}
		return nil
	})
}
