// Package phrase writes numbers, dates and addresses as the pages and the Markdown files show them.
package phrase

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"go.almanac.example/catalog"
)

// Count returns a number with its noun: 1 source, 2 sources, 18,500 sources.
func Count(n int, singular, plural string) string {
	if n == 1 {
		return "1 " + singular
	}
	return Thousands(n) + " " + plural
}

// Thousands returns a number with a comma between each group of three digits.
func Thousands(n int) string {
	return humanize.Comma(int64(n))
}

// Size returns a number of bytes in the unit that suits it.
func Size(n int) string { return humanize.Bytes(uint64(n)) }

// Host returns the host of an address, without www.
func Host(address string) string {
	host, _ := splitAddress(address)
	return host
}

// Place returns an address short enough for a line: the host and the last part of the path.
func Place(address string) string {
	host, rest := splitAddress(address)
	rest, _, _ = strings.Cut(rest, "?")
	rest = strings.Trim(rest, "/")
	switch i := strings.LastIndexByte(rest, '/'); {
	case rest == "":
		return host
	case i < 0:
		return host + "/" + rest
	default:
		return host + "/…/" + strings.ReplaceAll(rest[i+1:], "%40", "@") // as in the names of packages
	}
}

// Source returns the name of a source: of a file at a commit its repository and name, otherwise its place.
func Source(address string) string {
	host, rest := splitAddress(address)
	parts := strings.SplitN(rest, "/", 5)
	if host != "github.com" || len(parts) < 5 || parts[2] != "blob" {
		return Place(address)
	}
	return parts[0] + "/" + parts[1] + ": " + Leaf(address)
}

// Leaf returns the last part of the path of an address, or its host.
func Leaf(address string) string {
	place := Place(address)
	return place[strings.LastIndexByte(place, '/')+1:]
}

func splitAddress(address string) (host, rest string) {
	_, after, ok := strings.Cut(address, "://")
	if !ok {
		return address, ""
	}
	host, rest, _ = strings.Cut(after, "/")
	return strings.TrimPrefix(host, "www."), rest
}

// A Span is the time from the first to the last of some days. The zero Span has none.
type Span struct{ First, Last catalog.Date }

// OneDay returns the span of a single day.
func OneDay(d catalog.Date) Span { return Span{d, d} }

// SpanOf returns the span of the days of some records.
func SpanOf[T any](list []T, day func(T) catalog.Date) Span {
	var s Span
	for _, v := range list {
		s.Add(day(v))
	}
	return s
}

// VersionSpan returns the days between which a version was the newest, as a phrase.
func VersionSpan(v catalog.ProtocolVersion) string { return v.SpanOf(LongDay) }

// Verified returns the span of the days on which entries were verified.
func Verified(entries []*catalog.Entry) Span {
	return SpanOf(entries, func(e *catalog.Entry) catalog.Date { return e.VerifiedAt })
}

// Add extends the span to a day.
func (s *Span) Add(d catalog.Date) {
	if d == "" {
		return
	}
	if s.First == "" || d < s.First {
		s.First = d
	}
	s.Last = max(s.Last, d)
}

// String returns the span with its preposition: on a day, or between two days.
func (s Span) String() string {
	first, last := LongDay(s.First), LongDay(s.Last)
	if s.First == s.Last {
		return "on " + last
	}
	a, b := strings.Fields(first), strings.Fields(last)
	switch { // a month or a year that both have stands once
	case a[2] != b[2]:
	case a[1] == b[1]:
		first = a[0]
	default:
		first = a[0] + " " + a[1]
	}
	return "between " + first + " and " + last
}

// HistoryCounts returns how many changes of each kind a day of the history has: 185 added, 3 edited.
func HistoryCounts(d catalog.HistoryDayRef) string {
	var parts []string
	for _, change := range catalog.HistoryChanges {
		if n := d.Changes[change]; n > 0 {
			parts = append(parts, Thousands(n)+" "+strings.ReplaceAll(change, "-", " "))
		}
	}
	return strings.Join(parts, ", ")
}

// copyNames are the kinds of copies as people read them.
var copyNames = map[string]string{
	catalog.CopyRepository: "file of a repository at a commit",
	catalog.CopyFile:       "stored copy of a file at a commit, read in parts",
	catalog.CopyPage:       "stored copy of a page", catalog.CopyLive: "live page",
}

// ReadingClass returns the class of a reading, with the copy that was read and its day.
func ReadingClass(r catalog.ClassedReading) string {
	switch r.Class {
	case catalog.ClassRepository:
		return "Read " + LongDay(r.ReadAt) + " in the repository at commit " + r.Commit()[:7] + ofDay(r.CopyDate) + "."
	case catalog.ClassSource, catalog.ClassSecondary:
		text := "Read " + LongDay(r.ReadAt) + " in a copy" + ofDay(r.CopyDate) + "."
		switch {
		case r.Copy == catalog.CopyLive:
			text = "Read " + LongDay(r.ReadAt) + " at the source."
		case r.CopyDate == nil:
			text = "Read " + LongDay(r.ReadAt) + " (undated copy)."
		}
		if r.Class == catalog.ClassSecondary {
			text += " It tells of, or reprints, what others published."
		}
		return text
	case catalog.ClassAbout:
		what := "A page about the source: " + Host(r.URL)
		if commit := r.Commit(); commit != "" {
			what = "The repository of a draft at commit " + commit[:7]
		}
		return what + ofDay(r.CopyDate) + ", read " + LongDay(r.ReadAt) + "."
	}
	return "Third party: " + Host(r.URL) + ofDay(r.CopyDate) + ", read on " + LongDay(r.ReadAt) + "."
}

// LongDay returns a day as people write it: 22 November 2026.
func LongDay(d catalog.Date) string { return d.Time().Format("2 January 2006") }

func ofDay(d *catalog.Date) string {
	if d == nil {
		return ""
	}
	return " of " + LongDay(*d)
}

// EntryReading returns where and when the summary of an entry was read; r is nil if that is not known.
func EntryReading(r *catalog.ClassedReading, verified catalog.Date) string {
	if r == nil {
		return "No evidence is on record. The entry dates from " + LongDay(verified) + "."
	}
	return ReadingClass(*r)
}

// CopyRead returns which copy of a source was read, and when: "file of a repository at a commit, of 23 March 2026, read
// 22 November 2026".
func CopyRead(r catalog.SourceReading) string {
	text := copyNames[r.Copy]
	if r.CopyDate != nil {
		text += "," + ofDay(r.CopyDate)
	}
	return text + ", read " + LongDay(r.ReadAt)
}

// copyDay matches the day in the name of a copy, and copyWords writes the rest of it for people.
var (
	copyDay   = regexp.MustCompile(`\d{4}-\d\d-\d\d`)
	copyWords = strings.NewReplacer("git snapshot ", "in the repository ", "stored file ", "in a file of ", "date not shown", "undated")
)

// InCopy returns which copy of a source was read, from its name in the data: "in the repository lightning/bolts@a3772650 (23 March
// 2026)".
func InCopy(name string) string {
	return copyDay.ReplaceAllStringFunc(copyWords.Replace(name), func(day string) string { return LongDay(catalog.Date(day)) })
}

// WhoAnswers returns a text on who read the sources, and whether somebody can be written to.
func WhoAnswers(i catalog.Identity) string {
	text := "Each fact has its source, the copy that was read and the day, written down by " + i.Verifier + "."
	if i.Contact == "" {
		text += " This site lists no contact."
	}
	return text
}

// emphasis matches the bold words and the links of Markdown, and markup matches tags of HTML: in quotes of pages, not words in angle brackets.
var (
	emphasis = regexp.MustCompile(`\*\*([^*]+)\*\*|\[([^\]]*)\]\([^)]*\)`)
	markup   = regexp.MustCompile(`</?(?:p|span|div|td|tr|br|em|strong|li|ul|h[1-6])(?: [^<>]*)?/?>`)
)

// Quote returns the words of a source without the marks of its Markdown and HTML. The cells of a row of a table have a dot
// between them.
func Quote(text string) string {
	text = emphasis.ReplaceAllString(emphasis.ReplaceAllString(markup.ReplaceAllString(text, ""), "$1$2"), "$1$2") // bold words within a link
	text = strings.TrimPrefix(strings.ReplaceAll(text, "`", ""), "> ")
	row, isRow := strings.CutPrefix(strings.TrimSpace(text), "|")
	if !isRow {
		return text
	}
	cells := strings.Split(strings.TrimSuffix(row, "|"), "|")
	for i, cell := range cells {
		cells[i] = strings.TrimSpace(cell)
	}
	return strings.Join(cells, " · ")
}

// What a reader can do about an error, with the program, and with a library of their own.
const (
	ReportByFile = "Every page ends with “Report an error”: a form, or where the site takes no reports a text to copy for its operator. If you run a copy, correct the record’s file, which is named by its ID, and test it with almanac check."
	OpenSource   = "This site is made by the program almanac, open source under the MIT licence. No release is published yet: you build it from its source."
	RunYourOwn   = "One file serves this site, its tools and its search on your machine, pays for requests, explains a 402, and connects hosts that start commands. With a copy of the source and Go 1.26 or later (the first build takes some minutes):"
	RunCommands  = "go build ./cmd/almanac\n./almanac serve                          # http://localhost:8402/\n./almanac init my-library                # a library on a subject of yours\n./almanac serve -fixtures my-library\ndeploy/release/build v0.1.0 out          # archives, a Debian package and a container image"
)

// SourceOf returns where the source of an installation is, as a sentence.
func SourceOf(i catalog.Identity) string {
	if i.Source == "" {
		return "This site doesn’t list an address of the source: ask the person who runs it for a copy."
	}
	return "Get it with git clone " + i.Source
}

// Contact returns an address for people as they read it: that of a mailbox without its scheme.
func Contact(address string) string { return strings.TrimPrefix(address, "mailto:") }

// Sentence returns a text with a capital at its beginning.
func Sentence(text string) string {
	if text == "" || codeName.MatchString(text) {
		return text
	}
	first, size := utf8.DecodeRuneInString(text)
	return strings.ToUpper(string(first)) + text[size:]
}

// codeName matches a text that begins with a name of code, such as maxTimeoutSeconds or x402.
var codeName = regexp.MustCompile(`^[a-z]+[A-Z0-9_]`)

// FullSentence returns a text with a capital and a full stop, unless it is only a word or two, such as the name of a version.
func FullSentence(text string) string {
	if text = Sentence(text); strings.Count(text, " ") > 1 && !strings.ContainsAny(text[len(text)-1:], ".!?:") {
		text += "."
	}
	return text
}

// A Value is a value with its name.
type Value struct{ Label, Text string }

// MethodValues returns the values of a way to tip that a person copies.
func MethodValues(m catalog.SupportMethod) []Value {
	uri := "Lightning URI"
	if m.Type == catalog.TypeSolana {
		uri = "Solana Pay"
	}
	return slices.DeleteFunc([]Value{{"Address", m.Address}, {"Offer", m.Offer}, {"USDC contract", m.TokenContract}, {"USDC mint", m.Mint},
		{uri, m.URI}, {"BIP 21", m.BIP21URI}, {"EIP-681", m.EIP681URI}}, func(v Value) bool { return v.Text == "" })
}

// Support returns the support document as the pages and the Markdown show it: with the paid interface where there is
// one, whether or not that can sell at the moment.
func Support(c *catalog.Catalog) *catalog.Support {
	if c.Payments() != catalog.PaymentsOff {
		c = c.WithPayments(catalog.PaymentsLive)
	}
	return c.Support()
}

// SampleSupport is the text for readers where the support document is sample data.
const SampleSupport = "Donations are voluntary, and this installation takes none: the addresses in its support document are samples. Do not send money to them."
