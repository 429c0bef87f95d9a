package sources

import (
	"net/http"
	"time"

	"go.almanac.example/curate/links"
)

// The verdicts on a claim. All but Stands and Answers are for a person to look at; only a section that is the one that
// was read makes a claim stand.
const (
	Gone       = "gone"       // the quote, or the page, is no longer at the current address
	Changed    = "changed"    // the quote is there, but its section or the notice above it is not the one that was read
	Moved      = "moved"      // the current address redirects permanently to another, which has the quote
	Superseded = "superseded" // the quote is there, but there is a newer version of the source
	Unread     = "unread"     // unknown: the host did not answer, or does not want to be asked
	Answers    = "answers"    // the address answers; there is no quote to look for
	Stands     = "stands"     // the quote is at the current address, in an unchanged section
)

// Verdicts are the verdicts in the order of reports: the most urgent for a curator first.
var Verdicts = []string{Gone, Changed, Moved, Superseded, Unread, Answers, Stands}

// A Finding is the result of a round for one claim.
type Finding struct {
	Claim   Claim
	Verdict string
	Detail  string    // in one line
	Now     string    // the new address of a source that moved
	Newer   string    // the newer version of a source that is superseded
	Pinned  string    // whether the pinned text has the quote: Stands, Gone or Unread; "" if there is none
	Read    time.Time // when the current address was read
	section section   // around the quote at the current address
}

// A found is the result of a round for one address.
type found struct {
	links.Observation
	Sections map[string]section `json:"sections,omitempty"` // by the quotes that the text has
	Values   map[string]string  `json:"values,omitempty"`   // by their names in the ask, of a page that answered 200
	ETag     string             `json:"etag,omitempty"`
	Unread   string             `json:"unread,omitempty"` // why the text could not be read
}

// An ask lists the quotes and values to look for at an address.
type ask struct {
	quotes []string
	// values are read off the page: signals by their kinds, newer versions by the version that a source has; "" is none
	values map[string]func(links.Page) string
}

// look looks in a page for the quotes and values of an ask.
func look(p links.Page, a *ask) found {
	f := found{Observation: p.Observation, Sections: make(map[string]section), Values: make(map[string]string)}
	if len(p.Body) == 0 {
		return f
	}
	for name, read := range a.values {
		if p.Status == http.StatusOK {
			f.Values[name], f.ETag = read(p), p.ETag
		}
	}
	if len(a.quotes) == 0 {
		return f
	}
	text, err := text(p.Type, p.Body)
	if err != nil {
		f.Unread = err.Error()
		return f
	}
	for _, q := range a.quotes {
		if s, ok := sectionOf(text, q); ok {
			f.Sections[q] = s
		}
	}
	if p.Long && len(f.Sections) < len(a.quotes) {
		f.Unread = "is longer than is read"
	}
	return f
}

// judge returns the finding for a claim. read returns the result for an address; remembered is the section that an
// earlier round saw, the baseline of sources without a pinned text.
func judge(c Claim, read func(address string) *found, remembered *section) Finding {
	f := Finding{Claim: c}
	baseline := remembered
	if c.Pinned != "" && c.Quote != "" {
		var s section
		f.Pinned, _, s = state(read(readable(c.Pinned)), c.Quote)
		if f.Pinned == Stands {
			baseline = &s
		}
	}
	now := read(readable(c.Source))
	if now != nil {
		f.Read = now.CheckedAt
	}
	f.Verdict, f.Detail, f.section = state(now, c.Quote)
	if f.Verdict == Gone && f.Pinned == Stands {
		f.Detail += "; the text that was read still has it"
	}
	if f.Verdict != Stands && f.Verdict != Answers {
		return f
	}
	if f.Verdict == Stands && baseline != nil {
		if d := difference(*baseline, f.section); d != "" {
			f.Verdict, f.Detail = Changed, d
		}
	}
	if now.Moved() && f.Verdict != Changed {
		f.Verdict, f.Now, f.Detail = Moved, now.FinalURL(), "moved permanently to "+now.FinalURL()
	}
	if v, ok := versionsOf(c.Source); ok {
		if list := read(v.list); list != nil && list.Values[v.current] != "" {
			f.Newer = list.Values[v.current]
			newer := "there is " + f.Newer + ", this is " + v.current
			if f.Verdict == Changed {
				f.Detail += "; " + newer
			} else {
				f.Verdict, f.Detail = Superseded, newer
			}
		}
	}
	return f
}

// state returns whether an address has a quote, or for the quote "" whether the address answers.
func state(now *found, quote string) (verdict, detail string, s section) {
	switch {
	case now == nil:
		return Unread, "was not asked for", s
	case now.Lost():
		return Gone, now.Detail, s
	case !now.Answered() || now.Broken():
		return Unread, now.Detail, s
	case quote == "":
		return Answers, "", s
	}
	if s, ok := now.Sections[quote]; ok {
		return Stands, "", s
	}
	if now.Unread != "" {
		return Unread, now.Unread, s
	}
	return Gone, "answers, and its text does not have the quote", s
}
