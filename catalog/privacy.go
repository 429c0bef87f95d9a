package catalog

// privacyWritten is the day on which the text was compared with the program.
const privacyWritten Date = "2026-11-29"

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
	sections := []PrivacySection{
		{"pages", "Pages and files", "No cookies, no analytics, and nothing from other sites. There are no accounts and no forms that ask who you are."},
		{"log", "Access log", "The service writes a line for each request, unless its operator switches that off: time, method, path without its query, " +
			"status, size, duration, HTTP version, a random request number, and the client's network. The network is an IPv4 address without its last 8 bits, " +
			"or the first 48 bits of an IPv6 address. A request to the tool server adds the method, the tool's name and the outcome. " +
			"No line has a query, an argument, a request's text, a credential, a referrer or a user agent. Of refused requests only some get a line. " +
			"A connection that fails before a request, in its TLS handshake for example, is logged with its whole address. The operator decides how long to keep the log."},
		{"requests", "Searches and tool calls", "They are answered in memory and never stored. The service remembers recent free tool calls with their answers, to answer equal ones faster, " +
			"and forgets them when others need the space, when the data change and when it stops. It does not remember who asked."},
		{"limits", "Limits", "To share its capacity fairly, the service counts the requests of each network in memory, and forgets the counts when others need the space and when it stops."},
	}
	if len(c.ProtocolPageIDs()) > 0 {
		sections = append(sections, PrivacySection{"explain", "Explained texts", "A text that you send to be explained is read in memory. It is not logged, stored or remembered, and no other server sees it."})
	}
	if c.Payments() != PaymentsOff {
		sections = append(sections,
			PrivacySection{"payments", "Payments", "Buying needs no account, name or address. For each payment that is used, the ledger keeps the payment hash, the price, the credits bought and used, " +
				"the names and sizes of budgets split off from it, and the times of sale, first use, last use, expiry, revocation and repayment; for a minute, also hashes that recognise a repeated request. " +
				"It keeps no preimage, macaroon, query or network. It deletes the entry 30 days after the credits expire, and keeps totals of each day. " +
				"The Lightning node that issues the invoices keeps its own records, and so do your wallet and the nodes between them."},
			PrivacySection{"browser", "Your browser", "If you buy searches on a page, your browser stores the credential, its balance, unpaid invoices and your last search on your device, and the last answer until you close the tab. It sends the credential to this service alone. " +
				"Clear the site's data to remove them: the credits cannot be used without the credential."})
	}
	sections = append(sections, PrivacySection{"others", "What this text does not cover", "It describes the program. A host, a proxy or a network in front of it may keep records of its own: ask the operator."})
	doc := &PrivacyDocument{Head: c.head("privacy", privacyWritten), WrittenAt: privacyWritten, Count: len(sections), Sections: sections}
	if contact := c.Identity().Contact; contact != "" {
		doc.Contact = &contact
	}
	return doc
}
