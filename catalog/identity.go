package catalog

import (
	"net/url"
	"strings"
)

// An Identity is what an installation says of itself: what it is called, who answers for its data, and which protocols it compares.
type Identity struct {
	Name        string   `json:"name"`
	Headline    string   `json:"headline"`    // of the home page
	Description string   `json:"description"` // what it is, in a sentence
	License     License  `json:"license"`     // of what its curators write
	Verifier    string   `json:"verifier"`    // who reads the sources
	Contact     string   `json:"contact"`     // address that begins with mailto: or https://; "" names none
	Report      string   `json:"report"`      // address for errors, with ReportTitle and ReportAddress in it; "" has none
	Protocols   []string `json:"protocols"`   // of ProtocolIDs, in their order
}

// A License is the terms under which something may be used.
type License struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// What stands in the address for errors for the title and the address of the page that is wrong.
const (
	ReportTitle   = "{title}"
	ReportAddress = "{address}"
)

// ReportURL returns the address at which an error of a page is reported, with the title and the address of that page; "" if the
// installation has none.
func (i Identity) ReportURL(title, address string) string {
	escape := func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") } // mailto: knows no plus (RFC 6068)
	return strings.NewReplacer(ReportTitle, escape(title), ReportAddress, escape(address)).Replace(i.Report)
}

// LicenseStatement returns the statement that lists carry.
func (i Identity) LicenseStatement() string {
	return "The links and the original short summaries are offered under " + i.License.Name + ". The linked content belongs to its publishers."
}
