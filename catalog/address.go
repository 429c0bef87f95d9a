package catalog

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/btcsuite/btcd/btcutil/base58"
	"github.com/btcsuite/btcd/btcutil/bech32"
	"golang.org/x/crypto/sha3"
)

// checkSegwitAddress accepts a version 0 witness public key hash address of mainnet (BIP 173).
func checkSegwitAddress(a string) error {
	prefix, words, version, err := bech32.DecodeGeneric(a)
	if err != nil {
		return fmt.Errorf("address %q is not bech32: %w", a, err)
	}
	if a != strings.ToLower(a) {
		return fmt.Errorf("address %q is in capitals; write it in lower case", a)
	}
	if prefix != "bc" {
		return fmt.Errorf("address %q is for network prefix %q; give a mainnet address, bc1q…", a, prefix)
	}
	if len(words) == 0 || words[0] != 0 || version != bech32.Version0 {
		return fmt.Errorf("address %q is not of witness version 0; give a p2wpkh address, bc1q…", a)
	}
	program, err := bech32.ConvertBits(words[1:], 5, 8, false)
	if err != nil {
		return fmt.Errorf("address %q: %w", a, err)
	}
	if len(program) != 20 {
		return fmt.Errorf("address %q holds %d bytes; a p2wpkh address holds 20", a, len(program))
	}
	return nil
}

// checkEVMAddress accepts an address in the mixed case of EIP-55, whose case is its checksum.
func checkEVMAddress(a string) error {
	digits, ok := strings.CutPrefix(a, "0x")
	if raw, err := hex.DecodeString(digits); !ok || err != nil || len(raw) != 20 {
		return fmt.Errorf("address %q is not 0x with 40 hex digits", a)
	}
	lower := strings.ToLower(digits)
	h := sha3.NewLegacyKeccak256()
	h.Write([]byte(lower))
	sum := hex.EncodeToString(h.Sum(nil))
	want := []byte(lower)
	for i, c := range want {
		if c >= 'a' && sum[i] >= '8' {
			want[i] = c - 'a' + 'A'
		}
	}
	if digits != string(want) {
		return fmt.Errorf("address %q fails the EIP-55 checksum; copy it again from the wallet", a)
	}
	return nil
}

// checkSolanaAddress accepts the base58 form of a 32-byte public key.
func checkSolanaAddress(a string) error {
	if n := len(base58.Decode(a)); n != 32 {
		return fmt.Errorf("address %q is base58 of %d bytes; a Solana address has 32", a, n)
	}
	return nil
}

func shorten(s string) string {
	if len(s) > 24 {
		return s[:24] + "…"
	}
	return s
}
