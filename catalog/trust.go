package catalog

// A TrustRecord is the curated part of the trust checklist; the rest of it is derived.
type TrustRecord struct {
	Title         string  `json:"title"`
	Summary       string  `json:"summary"`
	DatePublished *Date   `json:"date_published"`
	VerifiedAt    Date    `json:"verified_at"`
	Note          string  `json:"note"`
	CreditNote    string  `json:"credit_note"`
	Checks        []Check `json:"checks"`
}

// A Check is one promise with the way to test it.
type Check struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Promise string `json:"promise"`
	Test    string `json:"test"` // how a reader finds out whether it is kept
}
