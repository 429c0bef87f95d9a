package links

import (
	"time"

	"almanac/catalog"
)

// A Link is an address to check.
type Link struct {
	ID  string // of the record, as the history names it
	URL string
}

// The kinds of an observation; catalog.LinkFindingKinds has what they mean to a reader.
const (
	kindStatus   = "status"
	kindMoved    = "moved"
	kindRedirect = "redirect"
	kindTLS      = "tls"
	kindDNS      = "dns"
	kindRefused  = "refused"
	kindReset    = "reset"
	kindTimeout  = "timeout"
	kindProtocol = "protocol"
	kindMissing  = "missing"
	kindLogin    = "login"
	kindRobots   = "robots"
	kindLater    = "later"
	kindPrivate  = "private"
)

// An Observation is what one link answered.
type Observation struct {
	ID        string    `json:"id"`
	URL       string    `json:"url"`
	CheckedAt time.Time `json:"checked_at"`
	Status    int       `json:"status"` // of the last answer; 0 when there was none
	Hops      []Hop     `json:"hops,omitempty"`
	Kind      string    `json:"kind"`             // "" when all is well, else one of catalog.LinkFindingKinds
	Detail    string    `json:"detail,omitempty"` // of the kind, in one line
	Attempts  int       `json:"attempts"`         // 0 when the link was not requested
}

// A Hop is a redirect that was followed.
type Hop struct {
	Status int    `json:"status"`
	To     string `json:"to"`
}

// Answered reports whether the link answered with an HTTP status that a record can have. The status of a page that says that it
// is not there, or that asks for a log-in, is not that of what was asked for.
func (o *Observation) Answered() bool {
	return o.Status >= 100 && o.Status <= 599 && o.Kind != kindMissing && o.Kind != kindLogin
}

// FinalURL returns where redirects led.
func (o *Observation) FinalURL() string {
	if len(o.Hops) == 0 {
		return o.URL
	}
	return o.Hops[len(o.Hops)-1].To
}

// Broken reports whether the link is of no use to a reader who follows it. One that has moved, or that was not requested
// because its host does not want it, is not broken.
func (o *Observation) Broken() bool {
	switch o.Kind {
	case "", kindMoved, kindRobots, kindLater:
		return false
	}
	return true
}

// finding returns the observation as the report has it, and reports whether it belongs there.
func (o *Observation) finding() (catalog.LinkFinding, bool) {
	return catalog.LinkFinding{
		ID: o.ID, URL: o.URL, Kind: o.Kind, Status: o.Status, Detail: o.Detail,
		FinalURL: o.FinalURL(), CheckedAt: o.CheckedAt.UTC().Format(time.RFC3339),
	}, o.Kind != ""
}

// Moved reports whether the link has moved for good and answers where it is now.
func (o *Observation) Moved() bool { return o.Kind == kindMoved }

// Lost reports whether the host says that what was asked for is not there, by its status or on the page, or lets nobody in.
func (o *Observation) Lost() bool {
	return o.Status == 404 || o.Status == 410 || o.Kind == kindMissing || o.Kind == kindLogin
}
