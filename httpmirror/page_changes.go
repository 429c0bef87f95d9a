package httpmirror

import (
	"fmt"
	"time"

	"almanac/catalog"
)

// A month is a month of the calendar of changes.
type month struct {
	Name  string // November 2026
	Weeks [][7]calendarDay
}

// A calendarDay is a day of a month; the zero value fills the weeks at its ends.
type calendarDay struct {
	Number int
	Date   catalog.Date
	Path   string // empty where nothing was verified
	Count  int
}

// A changesPage is what the calendar of changes shows.
type changesPage struct {
	Months []month // newest first, only those with changes
	Days   []daySummary
}

// A daySummary is a day in the list below the calendar.
type daySummary struct {
	Date  catalog.Date
	Path  string
	Count int
	Kinds []string // such as 3 datasets
}

// kindNouns are the kinds of change as people say them, one and several.
var kindNouns = map[string][2]string{
	"article": {"article", "articles"}, "bot": {"bot", "bots"}, "dataset": {"dataset", "datasets"},
	"support": {"document", "documents"}, "library": {"source", "sources"},
}

// A changeDay is what the page of one day shows.
type changeDay struct {
	Total  int
	Others []catalog.Change // everything that is not of the library
	Groups []group
	Part   part
	Older  catalog.Date
	Newer  catalog.Date
}

// changes renders the calendar and the page of each day.
func (p *pages) changes() error {
	days := p.cat.ChangeDays()
	data := changesPage{Months: months(p.cat)}
	for _, d := range days {
		data.Days = append(data.Days, summaryOf(p.cat.Changes(d)))
	}
	var verified span
	for _, d := range days {
		verified.add(d)
	}
	err := p.add("changes", page{
		Title:       "Changes by day",
		Description: "A calendar of everything that was verified, day by day, with feeds to follow.",
		Lede:        "Everything that was read again, or for the first time, on a given day. Pick a day, or follow a feed.",
		Path:        catalog.ChangesIndexPath,
		Twins: []twin{jsonTwin(catalog.ChangesIndexJSONPath),
			{"Atom feed", "application/atom+xml", catalog.AtomPath, false}, {"JSON Feed", "application/feed+json", catalog.JSONFeedPath, false}},
		Verified: verified,
	}, data)
	if err != nil {
		return err
	}
	for i, d := range days {
		var day changeDay
		if i > 0 {
			day.Newer = days[i-1]
		}
		if i < len(days)-1 {
			day.Older = days[i+1]
		}
		if err := p.day(day, p.cat.Changes(d)); err != nil {
			return err
		}
	}
	return nil
}

// day renders the page of one day, or its pages when it is long.
func (p *pages) day(day changeDay, doc *catalog.ChangeList) error {
	entries := day.divide(p.cat, doc)
	for _, part := range paged(dayFrame(doc), entries) {
		day.Part, day.Groups = part, p.groups(part.Entries, false)
		if part.From > 1 {
			day.Others = nil
		}
		if err := p.add("day", part.page, day); err != nil {
			return err
		}
	}
	return nil
}

// quietDay renders the page of a day without changes, which is no file.
func (p *pages) quietDay(doc *catalog.ChangeList) ([]byte, error) {
	var m markup
	err := p.render(&m, dayFrame(doc), filled("day", changeDay{}))
	return m.buf, err
}

// divide sets what is not of the library apart from the entries, which it gives.
func (day *changeDay) divide(cat *catalog.Catalog, doc *catalog.ChangeList) []*catalog.Entry {
	var entries []*catalog.Entry
	for _, ch := range doc.Entries {
		if e, ok := cat.Entry(ch.ID); ok && ch.Kind == "library" {
			entries = append(entries, e)
		} else {
			day.Others = append(day.Others, ch)
		}
	}
	day.Total = doc.Count
	return entries
}

func dayFrame(doc *catalog.ChangeList) page {
	pg := page{
		Title:       "Verified on " + string(doc.Date),
		Description: fmt.Sprintf("%s verified on %s: articles, datasets, documents and sources.", countOf(doc.Count, "record", "records"), doc.Date),
		Path:        catalog.ChangesPath(doc.Date),
		Crumbs:      []crumb{{"Changes", catalog.ChangesIndexPath}},
		Twins:       []twin{jsonTwin(catalog.ChangesJSONPath(doc.Date))},
	}
	pg.Facts = []string{doc.Date.Time().Weekday().String(), countOf(doc.Count, "record", "records")}
	return pg
}

func summaryOf(doc *catalog.ChangeList) daySummary {
	s := daySummary{Date: doc.Date, Path: catalog.ChangesPath(doc.Date), Count: doc.Count}
	counts := make(map[string]int)
	for _, ch := range doc.Entries {
		counts[ch.Kind]++
	}
	for _, kind := range catalog.ChangeKinds {
		if counts[kind] > 0 {
			s.Kinds = append(s.Kinds, countOf(counts[kind], kindNouns[kind][0], kindNouns[kind][1]))
		}
	}
	return s
}

// months lays the days with changes out as months of weeks that begin on Monday (ISO 8601).
func months(cat *catalog.Catalog) []month {
	var list []month
	seen := make(map[string]bool)
	for _, d := range cat.ChangeDays() {
		t := d.Time()
		key := t.Format("2006-01")
		if seen[key] {
			continue
		}
		seen[key] = true
		list = append(list, monthOf(cat, time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)))
	}
	return list
}

func monthOf(cat *catalog.Catalog, first time.Time) month {
	m := month{Name: first.Format("January 2006")}
	column := (int(first.Weekday()) + 6) % 7
	var week [7]calendarDay
	for t := first; t.Month() == first.Month(); t = t.AddDate(0, 0, 1) {
		day := calendarDay{Number: t.Day(), Date: catalog.DateOf(t)}
		if n := cat.Changes(day.Date).Count; n > 0 {
			day.Path, day.Count = catalog.ChangesPath(day.Date), n
		}
		week[column] = day
		if column++; column == 7 {
			m.Weeks, week, column = append(m.Weeks, week), [7]calendarDay{}, 0
		}
	}
	if column > 0 {
		m.Weeks = append(m.Weeks, week)
	}
	return m
}
