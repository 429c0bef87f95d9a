package html

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/phrase"
)

// News returns the page of the news by month.
func (p *Pages) News() Page {
	month := func(n catalog.NewsEntry) string { return monthName(n.Date) }
	return Page{
		Narrow:  true,
		Lede:    "Releases, laws and changes that matter to programs that pay, newest first, each with its source.",
		content: newsContent(p, runs(p.cat.NewsDocument().Entries, month)),
	}
}

// History returns the page of the days of the history, by month.
func (p *Pages) History() Page {
	days := p.cat.HistoryIndex().Days
	return Page{
		Narrow:      true,
		Title:       "All edits",
		Description: "Every change to a record of this catalogue, day by day.",
		Lede:        "Every change to a record, newest first. The history of a record shows the changed words.",
		content:     historyContent(p, runs(days, func(d catalog.HistoryDayRef) string { return monthName(d.Date) })),
	}
}

// monthName returns the month of a day: November 2026.
func monthName(d catalog.Date) string { return d.Time().Format("January 2006") }

// HistoryDay returns the page of the changes of a day.
func (p *Pages) HistoryDay(doc *catalog.HistoryDayList) Page {
	changes := phrase.Count(doc.Count, "change", "changes")
	return Page{
		Narrow:      true,
		Title:       "Changes on " + phrase.LongDay(doc.Date),
		Description: changes + " on " + phrase.LongDay(doc.Date) + ", by record.",
		Crumbs:      []Link{{Label: "All edits", Path: catalog.HistoryPath}},
		Facts:       []string{doc.Date.Time().Weekday().String(), changes},
		content:     historyDayContent(p, doc, p.digest(doc.Date)),
	}
}

// Calendar returns the page of the days on which something expires, applies, closes, starts or ends.
func (p *Pages) Calendar() Page {
	doc := p.cat.Calendar()
	upcoming, past := doc.Upcoming()
	return Page{
		Narrow: true,
		Lede: "When drafts expire, laws apply, consultations close and support ends. Upcoming means after " +
			phrase.LongDay(doc.AsOf) + ".",
		Facts: []string{
			phrase.Count(len(upcoming), "upcoming day", "upcoming days"), phrase.Count(len(past), "past day", "past days"),
		},
		content: calendarContent(doc.ICSURL, runs(upcoming, func(e catalog.CalendarEntry) string { return monthName(e.Date) }), past),
	}
}

// A factChange is an edit of a fact about a protocol. Several edits of the days of a digest are one: from the first value to the last.
type factChange struct {
	Day                    catalog.Date // of the last edit
	Protocol, Field, Label string
	Source                 string // of the value of today; "" if there is none
	catalog.MemberChange
}

// A digest is the changes of some days: facts one by one, and records by what happened to them.
type digest struct {
	Facts  []factChange
	Edited []catalog.RecordedEvent // of values that are no facts about protocols
	Groups []eventGroup
}

// An eventGroup is records to which the same happened.
type eventGroup struct {
	Title   string
	Records []catalog.RecordedEvent // the first event of each
}

// The groups of a digest, in their order.
const groupAdded, groupReworded, groupEvidence, groupReadAgain = 0, 1, 2, 3

// digest returns the changes of some days, newest first, with the groups that have records.
func (p *Pages) digest(days ...catalog.Date) digest {
	d := digest{Groups: []eventGroup{{Title: "Added"}, {Title: "Texts edited"}, {Title: "Evidence, statements or questions changed"}, {Title: "Read again"}}}
	seen := make(map[string]bool) // records of groups
	for _, day := range slices.Backward(days) {
		for _, e := range p.cat.History(day).Events {
			group, edited, listed := groupEvidence, false, false
			for _, m := range e.Members {
				switch field, isFact := factMember(e.Kind, m.Name); {
				case e.Change != "edited" || catalog.DigestMember(m.Name) || catalog.VerifiedMember(m.Name):
				case isFact && !phrase.IsReworded(m):
					p.addFact(&d, day, e.Record, field, m)
					listed = true
				case isFact || isText(e.Kind, m.Name):
					group = groupReworded
				default:
					edited = true
				}
			}
			switch {
			case e.Change == "added":
				group = groupAdded
			case e.Change == "read-again":
				group = groupReadAgain
			case edited:
				d.Edited = append(d.Edited, e)
				continue
			case listed:
				continue
			}
			if g := &d.Groups[group]; !seen[g.Title+e.Record] {
				seen[g.Title+e.Record], g.Records = true, append(g.Records, e)
			}
		}
	}
	d.Facts = slices.DeleteFunc(d.Facts, func(f factChange) bool { return bytes.Equal(f.Old, f.New) })
	slices.SortStableFunc(d.Facts, func(a, b factChange) int {
		order := p.cat.ProtocolPageIDs()
		return cmp.Or(cmp.Compare(slices.Index(order, a.Protocol), slices.Index(order, b.Protocol)), strings.Compare(a.Label, b.Label))
	})
	d.Groups = slices.DeleteFunc(d.Groups, func(g eventGroup) bool { return len(g.Records) == 0 })
	return d
}

// factMember returns the field of a fact whose value a member of a record about a protocol has. The notes and the steps of a payment
// are prose of ours.
func factMember(kind, member string) (field string, ok bool) {
	field, ok = strings.CutSuffix(member, ".value")
	return field, ok && (kind == "protocol" || kind == "profile") && !strings.Contains(field, "@") && field != "notes" && field != "pay_flow"
}

// editedTitle is the heading of the entries of which more than the words changed.
const editedTitle = "Another date, address, publisher or tag"

// isText reports whether a member of a record belongs to its texts: of an entry, all that is not a value of its source.
func isText(kind, member string) bool {
	return kind != "library" || member == "title" || member == "summary"
}

// addFact adds an edit of a fact.
func (p *Pages) addFact(d *digest, day catalog.Date, record, field string, m catalog.MemberChange) {
	_, protocol := catalog.HistoryRecord(record)
	field = catalog.FieldAlias(field)
	if i := slices.IndexFunc(d.Facts, func(f factChange) bool { return f.Protocol == protocol && f.Field == field }); i >= 0 {
		d.Facts[i].Day, d.Facts[i].New = day, m.New
		return
	}
	f := factChange{Day: day, Protocol: protocol, Field: field, Label: phrase.MemberLabel(m.Name), MemberChange: m}
	for _, now := range p.cat.ProtocolFields(protocol) {
		if now.Name == field {
			f.Label, f.Source = now.Label, now.Source
		}
	}
	d.Facts = append(d.Facts, f)
}

// daySentences returns the changes of an event as sentences, with its day: a page has one line for equal ones.
func daySentences(e catalog.RecordEvent) string {
	return string(e.Date) + strings.Join(phrase.Sentences(e.Change, e.Members), ". ")
}

// Evidence returns the page of the evidence for a record, which its addresses name, and of its changes.
func (p *Pages) Evidence(id string) Page {
	doc, _ := p.cat.EvidenceDocument(id)
	pg := Page{
		Title:       "History: " + doc.Title + " (" + doc.Record + ")", // an entry and a protocol may share their title
		Heading:     "History: " + doc.Title,
		Description: "What changed in " + doc.Title + " and when, with old and new values.",
	}
	if doc.HTMLURL != "" {
		pg.Crumbs = []Link{{Label: doc.Title, Path: strings.TrimPrefix(doc.HTMLURL, p.site.Base)}}
	}
	if doc.Count > 0 {
		pg.Title, pg.Heading = "Evidence: "+doc.Title+" ("+doc.Record+")", "Evidence: "+doc.Title
		pg.Description = "The evidence for " + doc.Title + ": permanent addresses, copies and quotes, and the sources that disagree."
		pg.Lede = "The quotes behind this record, each with its source, the copy and the day we read it. Where sources disagree, the one that we follow comes first."
	}
	pg.Narrow, pg.content = true, evidenceContent(doc)
	return pg
}
