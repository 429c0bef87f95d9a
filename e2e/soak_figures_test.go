//go:build soak

package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// The tables of docs/figures.md whose rows these tests log, with the command that it names.
const (
	tableFaults = "faults" // test, answers, other outcomes, p99, longest gap
	tableMemory = "memory" // what, memory
)

// figures logs a row of a table. The key names the row in every run.
func figures(t *testing.T, table, key string, row ...string) {
	t.Helper()
	line, err := json.Marshal(map[string]any{"table": table, "key": key, "row": row})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("FIGURES %s", line)
}

// faultFigures logs the effects of a fault on a crowd, and notes.
func faultFigures(t *testing.T, c *crowd, r reckoning, notes ...string) {
	t.Helper()
	logFault(t, r, brief(quantile(c.times, .99)), brief(c.longest), append(c.failures(), notes...)...)
}

// logFault logs a row of the table of faults.
func logFault(t *testing.T, r reckoning, p99, longest string, outcomes ...string) {
	t.Helper()
	if lost := r.used - r.answered; lost > 0 {
		outcomes = append([]string{thousands(lost) + " credits lost"}, outcomes...)
	}
	other := strings.Join(outcomes, "; ")
	if other == "" {
		other = "–"
	}
	figures(t, tableFaults, t.Name(), "`"+t.Name()+"`", thousands(r.answered), other, p99, longest)
}

// failures returns the outcomes of requests other than an answer, with their numbers.
func (c *crowd) failures() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var seen []string
	for status, n := range c.statuses {
		if status != "200" {
			seen = append(seen, fmt.Sprintf("%s × %s", thousands(int64(n)), status))
		}
	}
	if n := c.repeated.Load(); n > 0 {
		seen = append(seen, thousands(n)+" repeated")
	}
	slices.Sort(seen)
	return seen
}

// thousands writes a number with its digits in groups.
func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// brief writes a duration in the unit that fits it.
func brief(d time.Duration) string {
	switch {
	case d >= time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d >= 10*time.Millisecond:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	default:
		return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
	}
}

// secondsOf writes several durations in seconds.
func secondsOf(list []time.Duration) string {
	var parts []string
	for _, d := range list {
		parts = append(parts, fmt.Sprintf("%.1f", d.Seconds()))
	}
	return strings.Join(parts, " and ") + " s"
}
