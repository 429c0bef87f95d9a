// Package payaddr checks the places to which tips can be sent, each by the rule of its own network, so that a slip of
// the operator's is found before money is lost. Every check returns nil or a sentence with the fault of the text and
// its remedy.
package payaddr

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/btcsuite/btcd/btcutil/base58"
	"github.com/btcsuite/btcd/btcutil/bech32"
	"golang.org/x/crypto/sha3"

	"go.almanac.example/http402/bolt12"
)

// CheckOffer accepts a BOLT 12 offer that a payer can act on, in its plain form.
func CheckOffer(offer string) error {
	o, err := bolt12.Decode(offer)
	if err != nil {
		return fmt.Errorf("offer %.24q %w; copy it again from the wallet", offer, err)
	}
	if o.Text != offer {
		return fmt.Errorf("offer %.24q is not in its plain form; write it as %s", offer, o.Text)
	}
	return nil
}

// CheckSegwit accepts a version 0 witness public key hash address of mainnet (BIP 173).
func CheckSegwit(address string) error {
	prefix, words, version, err := bech32.DecodeGeneric(address)
	if err != nil {
		return fmt.Errorf("address %q is not valid bech32: %w; copy it again from the wallet", address, err)
	}
	if address != strings.ToLower(address) {
		return fmt.Errorf("address %q is in capitals; write it in lower case", address)
	}
	if prefix != "bc" {
		return fmt.Errorf("address %q has the network prefix %q; use a mainnet address, bc1q…", address, prefix)
	}
	if len(words) == 0 || words[0] != 0 || version != bech32.Version0 {
		return fmt.Errorf("address %q is not of witness version 0; use a p2wpkh address, bc1q…", address)
	}
	program, err := bech32.ConvertBits(words[1:], 5, 8, false)
	if err != nil {
		return fmt.Errorf("address %q: %w; copy it again from the wallet", address, err)
	}
	if len(program) != 20 {
		return fmt.Errorf("address %q has %d bytes, but a p2wpkh address has 20; copy it again from the wallet", address, len(program))
	}
	return nil
}

// CheckEVM accepts an address in the mixed case of ERC-55, whose case is its checksum.
func CheckEVM(address string) error {
	digits, ok := strings.CutPrefix(address, "0x")
	if raw, err := hex.DecodeString(digits); !ok || err != nil || len(raw) != 20 {
		return fmt.Errorf("address %q is not 0x followed by 40 hexadecimal digits; copy it again from the wallet", address)
	}
	lower := strings.ToLower(digits)
	h := sha3.NewLegacyKeccak256()
	h.Write([]byte(lower))
	sum := hex.EncodeToString(h.Sum(nil))
	mixed := []byte(lower)
	for i, c := range mixed {
		if c >= 'a' && sum[i] >= '8' {
			mixed[i] = c - 'a' + 'A'
		}
	}
	if digits != string(mixed) {
		return fmt.Errorf("address %q fails the ERC-55 checksum; copy it again from the wallet", address)
	}
	return nil
}

// CheckSolana accepts the base58 form of a 32-byte public key. Such an address has no checksum: a wrong letter is
// seldom found.
func CheckSolana(address string) error {
	if n := len(base58.Decode(address)); n != 32 {
		return fmt.Errorf("address %q is base58 for %d bytes, but a Solana address has 32; copy it again from the wallet", address, n)
	}
	return nil
}
