package catalog

// An AssetRecord holds what a payer must know of the assets of a protocol's networks, beside their names in the facts: to
// sign a transfer, a contract address is not enough.
type AssetRecord struct {
	Protocol string  `json:"protocol"`
	Assets   []Asset `json:"assets"`
}

// An Asset is how one asset moves on one network.
type Asset struct {
	CAIP2          string  `json:"caip2"`
	Contract       string  `json:"contract"`
	Symbol         string  `json:"symbol"` // as wallets show it: "USDC"
	Decimals       int     `json:"decimals"`
	EIP712Name     *string `json:"eip712_name"`    // of the domain that a payer signs, which is often not the symbol: "USD Coin"
	EIP712Version  *string `json:"eip712_version"` // nil like the name where nothing is signed by EIP-712
	TransferMethod string  `json:"transfer_method"`
	Testnet        bool    `json:"testnet"`
	Source         string  `json:"source"`
	VerifiedAt     Date    `json:"verified_at"`
}

// An assetKey is where an asset is found: a network of a protocol, and a contract on it.
type assetKey struct{ protocol, caip2, contract string }

// assetsByKey indexes the assets of all protocols.
func assetsByKey(records []*AssetRecord) map[assetKey]Asset {
	assets := make(map[assetKey]Asset)
	for _, r := range records {
		for _, a := range r.Assets {
			assets[assetKey{r.Protocol, a.CAIP2, a.Contract}] = a
		}
	}
	return assets
}
