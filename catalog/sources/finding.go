package sources

import "time"

// The verdicts on a claim. What does not stand is for a person to look at; nothing but a quote that was found says that
// somebody's words still stand.
const (
	Stands     = "stands"     // the quote is at the address of today
	Superseded = "superseded" // it is, but there is a newer version of the source
	Moved      = "moved"      // the address of today leads to another for good, where the quote is
	Gone       = "gone"       // the quote is not there any more, or nothing is
	Answers    = "answers"    // the address answers; there is no quote to look for
	Unread     = "unread"     // nothing is known: the host did not answer, or does not want to be asked
)

// Verdicts are the verdicts in the order of reports: what a curator should look at comes first.
var Verdicts = []string{Gone, Moved, Superseded, Unread, Answers, Stands}

// A Finding is what a round found about a claim.
type Finding struct {
	Claim   Claim
	Verdict string
	Detail  string    // in one line
	Now     string    // where the text of today is, when it moved
	Newer   string    // the newer version, of a source that is superseded
	Pinned  string    // whether the pinned text has the quote: one of Stands, Gone and Unread, "" when there is none
	Read    time.Time // when the address of today was read
}

// judge returns what was found about a claim. at returns what was found at an address.
func judge(c Claim, at func(address string) *found) Finding {
	f := Finding{Claim: c}
	if c.Pinned != "" && c.Quote != "" {
		f.Pinned, _ = state(at(readable(c.Pinned)), c.Quote)
	}
	now := at(readable(c.Source))
	if now != nil {
		f.Read = now.CheckedAt
	}
	f.Verdict, f.Detail = state(now, c.Quote)
	if f.Verdict == Gone && f.Pinned == Stands {
		f.Detail += "; the text that was read still has it"
	}
	if f.Verdict != Stands && f.Verdict != Answers {
		return f
	}
	if now.Moved() {
		f.Verdict, f.Now, f.Detail = Moved, now.FinalURL(), "moved permanently to "+now.FinalURL()
	}
	if v, ok := versionsOf(c.Source); ok {
		if list := at(v.list); list != nil && list.Newer[v.current] != "" {
			f.Verdict, f.Newer = Superseded, list.Newer[v.current]
			f.Detail = "there is " + f.Newer + ", this is " + v.current
		}
	}
	return f
}

// state returns whether what was found at an address has a quote, or for "" whether the address answers.
func state(now *found, quote string) (verdict, detail string) {
	switch {
	case now == nil:
		return Unread, "was not asked for"
	case now.Lost():
		return Gone, now.Detail
	case !now.Answered() || now.Broken():
		return Unread, now.Detail
	case quote == "":
		return Answers, ""
	}
	for _, q := range now.Quotes {
		if q == quote {
			return Stands, ""
		}
	}
	if now.Unread != "" {
		return Unread, now.Unread
	}
	return Gone, "answers, and its text does not have the quote"
}
