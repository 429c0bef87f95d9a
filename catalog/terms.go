package catalog

// SchemaVersion is the fixed value of schema_version in every document (docs/contract.md, "Versioning").
const SchemaVersion = "1"

// Terms are what one payment buys on the paid search interface (docs/contract.md, "Payments").
type Terms struct {
	PriceSats int64 `json:"price_sats"` // satoshis for one payment
	Credits   int   `json:"credits"`    // requests that one payment buys
	ValidDays int   `json:"valid_days"` // days that the credits last
	// Demo means that no money moves: a wallet of the service itself pays its invoices.
	Demo bool `json:"demo,omitempty"`
}

// DemoWalletPath is the address of the wallet that pays the invoices of a demonstration.
const DemoWalletPath = "/demo/pay"

// DemoNote returns a sentence for texts about the price, which begins with a space; "" unless the payments are a demonstration.
func (t Terms) DemoNote() string {
	if !t.Demo {
		return ""
	}
	return " This installation is a demonstration, in which no money moves: its own wallet at " + DemoWalletPath + " pays its invoices."
}

// X402Note is a sentence for those who look for x402, as texts about the price have it.
const X402Note = "x402 is not accepted: none of the schemes that it has published pays over Lightning."

// DefaultTerms are 100 requests within 30 days for 100 satoshis.
var DefaultTerms = Terms{PriceSats: 100, Credits: 100, ValidDays: 30}

// Payments is the state of the paid interface.
type Payments int

// The states of the paid interface.
const (
	PaymentsOff  Payments = iota // not configured
	PaymentsDown                 // configured, but no invoice can be made at the moment
	PaymentsLive                 // configured, and the node answers
)
