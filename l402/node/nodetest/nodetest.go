// Package nodetest has the common parts of nodes' tests.
package nodetest

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"go.almanac.example/l402"
	"go.almanac.example/l402/node"
)

// Want reports an error that has not the reason, or not the advice in it, or that holds the secret. Reason "" means
// that there is no error.
func Want(t testing.TB, err error, reason, advice, secret string) {
	t.Helper()
	var nodeErr *node.Error
	switch {
	case reason == "" && err == nil:
	case !errors.As(err, &nodeErr) || !errors.Is(err, l402.ErrNodeUnavailable) || nodeErr.Reason != reason:
		t.Errorf("%v, want reason %q", err, reason)
	case !strings.Contains(err.Error(), advice) || strings.Contains(err.Error(), secret):
		t.Errorf("error %q, want %q in it, and no secret", err, advice)
	}
}

// Preimages are those of the invoices that a fake has made, by payment hash, both in hex.
type Preimages map[string]string

// Add returns the payment hash of a new preimage.
func (p Preimages) Add() (hash [32]byte) {
	preimage := sha256.Sum256([]byte(rand.Text()))
	hash = sha256.Sum256(preimage[:])
	p[hex.EncodeToString(hash[:])] = hex.EncodeToString(preimage[:])
	return hash
}
