package sources

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// WriteText writes the findings of a round for a person: a line for each claim that does not simply stand, what has to be looked at first,
// then the totals.
func WriteText(w io.Writer, findings []Finding) error {
	list := slices.Clone(findings)
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(slices.Index(Verdicts, a.Verdict)-slices.Index(Verdicts, b.Verdict), cmp.Compare(a.Claim.Name(), b.Claim.Name()))
	})
	count := make(map[string]int)
	for _, f := range list {
		count[f.Verdict]++
		if f.Verdict == Stands && f.Pinned != Gone || f.Verdict == Answers {
			continue
		}
		if _, err := fmt.Fprintf(w, "%s\n", f.line()); err != nil {
			return err
		}
	}
	var totals []string
	for _, v := range slices.Backward(Verdicts) {
		totals = append(totals, fmt.Sprintf("%d %s", count[v], v))
	}
	_, err := fmt.Fprintf(w, "%d claims: %s.\n", len(findings), strings.Join(totals, ", "))
	return err
}

// line returns a finding as a line of text: verdict, claim, address, what is known.
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
