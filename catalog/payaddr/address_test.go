package payaddr

import (
	"strings"
	"testing"
)

// Vectors of BIP 173 and BIP 350, and the rules for this place: mainnet, version 0, 20 bytes.
func TestSegwitAddress(t *testing.T) {
	for _, tt := range []struct {
		name, address string
		want          string // part of the error, "" when accepted
	}{
		{"p2wpkh of BIP 173", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", ""},
		{"in capitals", "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", "write it in lower case"},
		{"testnet", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", "use a mainnet address"},
		{"p2wsh", "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3", "has 32 bytes, but a p2wpkh address has 20"},
		{"taproot of BIP 350", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", "not of witness version 0"},
		{"one letter wrong", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5", "is not valid bech32"},
		{"mixed case", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3T4", "is not valid bech32"},
		{"base58", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH", "is not valid bech32"},
		{"empty", "", "is not valid bech32"},
	} {
		t.Run(tt.name, func(t *testing.T) { wantError(t, CheckSegwit(tt.address), tt.want) })
	}
}

// The test cases of ERC-55.
func TestEVMAddress(t *testing.T) {
	for _, a := range []string{
		"0x52908400098527886E0F7030069857D2E4169EE7", "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
		"0xde709f2102306220921060314715629080e2fb77", "0x27b1fdb04752bbc536007a920d24acb045561c26",
		"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
		"0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
	} {
		wantError(t, CheckEVM(a), "")
	}
	for a, want := range map[string]string{
		"0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed":  "fails the ERC-55 checksum",
		"0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED":  "fails the ERC-55 checksum",
		"5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed":    "is not 0x followed by 40 hexadecimal digits",
		"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe":   "is not 0x followed by 40 hexadecimal digits",
		"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAedd": "is not 0x followed by 40 hexadecimal digits",
		"": "is not 0x followed by 40 hexadecimal digits",
	} {
		wantError(t, CheckEVM(a), want)
	}
}

func TestSolanaAddress(t *testing.T) {
	wantError(t, CheckSolana("mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN"), "")
	wantError(t, CheckSolana("11111111111111111111111111111111"), "") // 32 zero bytes
	for _, a := range []string{"", "1111111111111111111111111111111", "0vines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN", strings.Repeat("z", 44)} {
		wantError(t, CheckSolana(a), "a Solana address has 32")
	}
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("refused: %v", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("got error %v, want %q", err, want)
	}
}
