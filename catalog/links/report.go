package links

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"almanac/catalog"
)

// Report returns the report of a round, its findings by id. Every link of the round has one observation.
func Report(observations []Observation, at time.Time) *catalog.LinkReport {
	r := &catalog.LinkReport{
		CheckedAt: at.UTC().Format(time.RFC3339), Links: len(observations), Findings: []catalog.LinkFinding{},
	}
	for _, o := range observations {
		if o.Answered() {
			r.Answered++
		}
		if f, ok := o.finding(); ok {
			r.Findings = append(r.Findings, f)
		}
	}
	slices.SortFunc(r.Findings, func(a, b catalog.LinkFinding) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.URL, b.URL))
	})
	return r
}

// WriteText writes the report of a round for a person: a line for each finding, broken links first, then the totals.
func WriteText(w io.Writer, observations []Observation, took time.Duration) error {
	list := slices.Clone(observations)
	slices.SortFunc(list, func(a, b Observation) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID), cmp.Compare(a.URL, b.URL))
	})
	var answered, broken, moved, skipped int
	for _, o := range list {
		switch {
		case o.Broken():
			broken++
		case o.Kind == kindMoved:
			moved++
		case o.Kind != "":
			skipped++
		}
		if o.Answered() {
			answered++
		}
		if o.Kind == "" {
			continue
		}
		if _, err := fmt.Fprintf(w, "%s\n", line(o)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%d links in %s: %d answered, %d broken, %d moved, %d skipped as their hosts ask.\n",
		len(list), took.Round(time.Second), answered, broken, moved, skipped)
	return err
}

func rank(o Observation) int {
	switch {
	case o.Broken():
		return 0
	case o.Kind == kindMoved:
		return 1
	}
	return 2
}

// line returns an observation as a line of text: kind, status, id, address, what happened.
func line(o Observation) string {
	kind, status := o.Kind, "  -"
	if kind == "" {
		kind = "ok"
	}
	if o.Status != 0 {
		status = fmt.Sprintf("%3d", o.Status)
	}
	s := fmt.Sprintf("%-8s %s %s %s", kind, status, o.ID, o.URL)
	if o.Detail != "" {
		s += ": " + o.Detail
	}
	return s
}
