package catalog

// A LinkReport is what the link checker found in its last round. It is kept apart from the records, because those have only
// statuses that were observed: a link that did not answer leaves its record as it was.
type LinkReport struct {
	CheckedAt string        `json:"checked_at"` // end of the round, RFC 3339 in UTC
	Links     int           `json:"links"`      // links of the round
	Answered  int           `json:"answered"`   // links that answered with an HTTP status
	Findings  []LinkFinding `json:"findings"`   // what a curator should look at, by id
}

// A LinkFinding is a link that did not simply answer.
type LinkFinding struct {
	ID        string `json:"id"` // of the record, as the history names it
	URL       string `json:"url"`
	Kind      string `json:"kind"`       // one of LinkFindingKinds
	Status    int    `json:"status"`     // of the last answer; 0 when there was none
	Detail    string `json:"detail"`     // in one line
	FinalURL  string `json:"final_url"`  // where redirects led; URL when there were none
	CheckedAt string `json:"checked_at"` // RFC 3339 in UTC
}

// LinkFindingKinds are the values of a finding's kind with what they mean to a reader.
var LinkFindingKinds = map[string]string{
	"status":   "answers with an error status",
	"moved":    "has moved permanently",
	"redirect": "redirects without end or to nowhere",
	"tls":      "cannot be trusted: TLS fails",
	"dns":      "the host name is not found",
	"refused":  "the host refuses the connection",
	"reset":    "the connection breaks off",
	"timeout":  "does not answer in time",
	"protocol": "does not speak HTTP properly",
	"missing":  "answers with a page that says it is not there",
	"login":    "leads to a page to log in",
	"robots":   "robots.txt keeps us away; not requested",
	"later":    "the host asked us to come back later; not requested",
	"private":  "leads to an address that is not public; not requested",
}
