package catalog

import (
	"math/big"
	"strings"
)

// MoneyOn returns an amount in the smallest unit of an asset as people write it, with its network: 0.01 USDC on Base; ok
// is false if no protocol of the catalogue names the asset, or the amount is no number.
func (c *Catalog) MoneyOn(amount, contract, network string) (text string, ok bool) {
	var asset Asset
	for key, a := range c.assets {
		if strings.EqualFold(key.contract, contract) && key.caip2 == network {
			asset, ok = a, true
		}
	}
	value, isNumber := new(big.Int).SetString(amount, 10)
	if !ok || !isNumber {
		return "", false
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(asset.Decimals)), nil)
	decimal := new(big.Rat).SetFrac(value, unit).FloatString(asset.Decimals)
	if strings.Contains(decimal, ".") {
		decimal = strings.TrimSuffix(strings.TrimRight(decimal, "0"), ".")
	}
	return decimal + " " + asset.Symbol + " on " + c.NetworkName(network), true
}

// NetworkName returns the name of the network with a CAIP-2 id, or the id if no protocol names it.
func (c *Catalog) NetworkName(caip2 string) string {
	for _, p := range c.records.Protocols {
		if p.Networks == nil {
			continue
		}
		for _, n := range p.Networks.Value {
			if OrEmpty(n.CAIP2) == caip2 {
				return n.Name
			}
		}
	}
	return caip2
}

// MaxExplained is the longest text that the service explains, in bytes.
const MaxExplained = 64 << 10

// explainWritten is the day on which the ways to explain were last described.
const explainWritten Date = "2026-11-26"

// explained are the texts from a payment that the service knows.
var explained = []string{
	"a 402: the whole HTTP response, as curl -i prints it, or one header line",
	"a Lightning invoice (BOLT 11) or offer (BOLT 12)",
	"a macaroon",
	"a credential: an Authorization header, an x402 payment, a Cashu token",
	"a receipt: Payment-Receipt, PAYMENT-RESPONSE",
	"a JSON-RPC message of MCP",
	"a task or a message of A2A",
}

// An ExplainDocument says how to have a text from a payment explained.
type ExplainDocument struct {
	Head
	URL      string   `json:"url"`  // takes the text by POST
	Tool     string   `json:"tool"` // of the MCP server
	Command  string   `json:"command"`
	MaxBytes int      `json:"max_bytes"`
	Reads    []string `json:"reads"`
}

// ExplainDay is the newest day of the document.
func (c *Catalog) ExplainDay() Date { return explainWritten }

// Explain returns the document that describes the explain endpoints.
func (c *Catalog) Explain() *ExplainDocument {
	return &ExplainDocument{c.head("explain", explainWritten), c.Site().API + ExplainAPIPath,
		"explain_402", "almanac explain", MaxExplained, explained}
}
