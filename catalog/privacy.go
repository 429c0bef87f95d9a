package catalog

import "slices"

// privacyWritten is the day on which the text was compared with the program.
const privacyWritten Date = "2026-11-30"

// A PrivacyDocument lists the data that this program stores about its users.
type PrivacyDocument struct {
	Head
	WrittenAt Date             `json:"written_at"`
	Contact   *string          `json:"contact"` // of the operator
	Count     int              `json:"count"`
	Sections  []PrivacySection `json:"sections"`
}

// A PrivacySection lists the data stored in one place.
type PrivacySection struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// PrivacyDay is the newest day of the document.
func (c *Catalog) PrivacyDay() Date { return privacyWritten }

// Privacy returns the document of the data that this program stores about its users.
func (c *Catalog) Privacy() *PrivacyDocument {
	absent := map[string]bool{"explain": len(c.ProtocolPageIDs()) == 0, "reports": c.Identity().Report != "",
		"payments": c.Payments() == PaymentsOff, "browser": c.Payments() == PaymentsOff}
	sections := slices.DeleteFunc(written[[]PrivacySection]("privacy.json"), func(s PrivacySection) bool { return absent[s.ID] })
	return &PrivacyDocument{Head: c.head("privacy", privacyWritten), WrittenAt: privacyWritten, Contact: OrNull(c.Identity().Contact),
		Count: len(sections), Sections: sections}
}
