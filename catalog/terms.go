package catalog

// SchemaVersion is the fixed value of schema_version in every document (docs/contract.md, "Versioning").
const SchemaVersion = "1"

// Terms are what one payment buys on the paid search interface (docs/contract.md, "Payments").
type Terms struct {
	PriceSats int64 `json:"price_sats"` // satoshis for one payment
	Credits   int   `json:"credits"`    // requests that one payment buys
	ValidDays int   `json:"valid_days"` // days that the credits last
}

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
