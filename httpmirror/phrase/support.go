package phrase

import "almanac/catalog"

// A Value is a value with its name.
type Value struct{ Label, Text string }

// MethodValues returns what a person copies from a way to tip.
func MethodValues(m catalog.SupportMethod) []Value {
	switch m := m.(type) {
	case *catalog.BitcoinOnchain:
		return []Value{{"Address", m.Address}, {"BIP 21", m.BIP21URI}}
	case *catalog.LightningBolt12:
		return []Value{{"Offer", m.Offer}, {"Lightning URI", m.URI}, {"BIP 21", m.BIP21URI}}
	case *catalog.EVMStablecoin:
		return []Value{{"Address", m.Address}, {"USDC contract", m.TokenContract}, {"EIP-681", m.EIP681URI}}
	case *catalog.SolanaStablecoin:
		return []Value{{"Address", m.Address}, {"USDC mint", m.Mint}, {"Solana Pay", m.URI}}
	}
	return nil
}

// Support returns the support document as the pages and the Markdown show it: with the paid interface where there is
// one, whether or not that can sell at the moment.
func Support(c *catalog.Catalog) *catalog.Support {
	if c.Payments() != catalog.PaymentsOff {
		c = c.WithPayments(catalog.PaymentsLive)
	}
	return c.Support()
}

// SampleSupport is what readers are told where the support document is sample data.
const SampleSupport = "Donations are voluntary, and this installation takes none: the addresses in its support document are sample data, and nothing must be sent to them."
