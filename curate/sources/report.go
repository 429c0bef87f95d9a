package sources

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// WriteText writes a report for a terminal: a line for each claim that needs a look, the most urgent first, a line for
// each piece of news, then the totals.
func (r Report) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, f := range sorted(r.Findings) {
		if f.isOpen() || f.Verdict == Unread {
			fmt.Fprintln(&b, f.line())
		}
	}
	for _, n := range r.News {
		fmt.Fprintf(&b, "%-10s %s %s: %s\n", "news", n.Subject, n.Read, n.sentence())
	}
	count := make(map[string]int)
	for _, f := range r.Findings {
		count[f.Verdict]++
	}
	var totals []string
	for _, v := range slices.Backward(Verdicts) {
		totals = append(totals, fmt.Sprintf("%d %s", count[v], v))
	}
	fmt.Fprintf(&b, "%d claims: %s; %d news.\n", len(r.Findings), strings.Join(totals, ", "), len(r.News))
	_, err := io.WriteString(w, b.String())
	return err
}

// Markdown returns the records that may be stale, the most asked for first: the reason and the page to read. asked
// returns how often a record is asked for.
func (r Report) Markdown(asked func(record string) int) string {
	reasons := make(map[string][]string)
	for _, f := range sorted(r.Findings) {
		if f.isOpen() {
			member := cmp.Or(f.Claim.Member, "its address")
			reasons[f.Claim.Record] = append(reasons[f.Claim.Record], fmt.Sprintf("%s, **%s**: %s Read <%s>.", member, f.Verdict,
				sentence(f.Detail), cmp.Or(f.Now, f.Claim.Source)))
		}
	}
	for _, n := range r.News {
		for _, record := range n.Records {
			reasons[record] = append(reasons[record],
				fmt.Sprintf("news of %s: %s Read <%s>.", n.Subject, sentence(n.sentence()), n.Read))
		}
	}
	list := slices.Collect(maps.Keys(reasons))
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(asked(b)-asked(a), cmp.Compare(a, b)) })
	var b strings.Builder
	fmt.Fprintf(&b, "# What may be stale\n\n%d records may be stale. The most asked for come first.\n", len(list))
	for _, record := range list {
		fmt.Fprintf(&b, "\n## %s\n\n", record)
		for _, reason := range reasons[record] {
			fmt.Fprintf(&b, "- %s\n", reason)
		}
	}
	return b.String()
}

// isOpen reports whether a finding is for a curator to look at.
func (f Finding) isOpen() bool {
	return f.Verdict != Stands && f.Verdict != Answers && f.Verdict != Unread || f.Pinned == Gone
}

// sentence ends a detail as a sentence.
func sentence(detail string) string {
	if detail == "" {
		return ""
	}
	return strings.TrimSuffix(detail, ".") + "."
}

func (n News) sentence() string {
	if n.Was == "" {
		return n.Kind + " " + n.Is
	}
	return fmt.Sprintf("%s was %s, is %s", n.Kind, n.Was, n.Is)
}

// sorted returns the findings in the order of reports.
func sorted(findings []Finding) []Finding {
	list := slices.Clone(findings)
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(slices.Index(Verdicts, a.Verdict)-slices.Index(Verdicts, b.Verdict),
			cmp.Compare(a.Claim.Name(), b.Claim.Name()))
	})
	return list
}

// line returns a finding as a line of text: verdict, claim, address, detail.
func (f Finding) line() string {
	s := fmt.Sprintf("%-10s %s %s", f.Verdict, f.Claim.Name(), f.Claim.Source)
	if f.Detail != "" {
		s += ": " + f.Detail
	}
	if f.Pinned == Gone {
		s += "; the pinned text does not have the quote: " + f.Claim.Pinned
	}
	return s
}
