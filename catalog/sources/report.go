package sources

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"almanac/wirejson"
)

// WriteText writes the findings of a round for a person: a line for each claim that does not simply stand, what has to be looked at first,
// then the totals.
func WriteText(w io.Writer, findings []Finding) error {
	count := make(map[string]int)
	for _, f := range sorted(findings) {
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

// WriteJSON writes every finding of a round as a JSON document, in the order of WriteText, with the totals by verdict.
func WriteJSON(w io.Writer, findings []Finding) error {
	type finding struct {
		Verdict string     `json:"verdict"`
		Record  string     `json:"record"`
		Member  *string    `json:"member"`
		Source  string     `json:"source"`
		Pinned  *string    `json:"pinned"`         // where the text that was read stays
		Still   *string    `json:"pinned_verdict"` // whether that has the quote
		Quote   *string    `json:"quote"`
		Detail  *string    `json:"detail"`
		Now     *string    `json:"moved_to"`
		Newer   *string    `json:"newer"`
		Read    *time.Time `json:"read_at"`
	}
	doc := struct {
		Claims   int            `json:"claims"`
		Verdicts map[string]int `json:"verdicts"`
		Findings []finding      `json:"findings"`
	}{len(findings), make(map[string]int), make([]finding, 0, len(findings))}
	for _, v := range Verdicts {
		doc.Verdicts[v] = 0
	}
	for _, f := range sorted(findings) {
		doc.Verdicts[f.Verdict]++
		c := f.Claim
		doc.Findings = append(doc.Findings, finding{f.Verdict, c.Record, orNull(c.Member), c.Source, orNull(c.Pinned), orNull(f.Pinned), orNull(c.Quote),
			orNull(f.Detail), orNull(f.Now), orNull(f.Newer), orNull(f.Read)})
	}
	data, err := wirejson.Indent(doc)
	if err != nil {
		return fmt.Errorf("write the findings: %w", err)
	}
	_, err = w.Write(data)
	return err
}

// orNull returns a pointer to a value, or nil for its zero value.
func orNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// sorted returns the findings in the order of reports.
func sorted(findings []Finding) []Finding {
	list := slices.Clone(findings)
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(slices.Index(Verdicts, a.Verdict)-slices.Index(Verdicts, b.Verdict), cmp.Compare(a.Claim.Name(), b.Claim.Name()))
	})
	return list
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
