//go:build soak

package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// The tables of docs/reliability.md and docs/scale.md whose rows these tests log:
//
//	go test -json -tags soak ./cmd/almanac -timeout 1h | go run ./.ci/testlog -figures docs/reliability.md,docs/scale.md
const (
	tableFaults   = "faults"   // fault, credits lost, what clients saw, test
	tableLoad     = "load"     // surface, answers, p50, p99, slowest
	tableHeld     = "held"     // highest rate, held rate, for how long, answers, processor time
	tableRequests = "requests" // surface, ledger, processor time, in PostgreSQL, bytes, rate, p99
	tableMemory   = "memory"   // what, memory
	tableSize     = "size"     // entries, limit, start (time; processor time), at rest, at most, slowest reload, p99 of the mirror during one
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

// faultFigures logs what a fault did to a crowd.
func faultFigures(t *testing.T, fault string, c *crowd, r reckoning) {
	t.Helper()
	figures(t, tableFaults, t.Name(), fault, r.lost(), fmt.Sprintf("%s; p99 of the answers %s, longest time without one %s", c.failures(),
		brief(quantile(c.times, .99)), brief(c.longest)), "`"+t.Name()+"`")
}

// lost says how many credits were taken without an answer.
func (r reckoning) lost() string {
	lost := "none"
	if n := r.used - r.answered; n > 0 {
		lost = fmt.Sprint(n)
	}
	return fmt.Sprintf("%s; %s answers, %s credits", lost, thousands(r.answered), thousands(r.used))
}

// failures says what clients saw beside answers.
func (c *crowd) failures() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var seen []string
	for status, n := range c.statuses {
		if status != "200" {
			seen = append(seen, fmt.Sprintf("%s (%s times)", status, thousands(int64(n))))
		}
	}
	if n := c.repeated.Load(); n > 0 {
		seen = append(seen, thousands(n)+" requests repeated under the same name")
	}
	if len(seen) == 0 {
		return "nothing"
	}
	slices.Sort(seen)
	return strings.Join(seen, ", ")
}

// statuses says how often each status was answered; -1 is too busy.
func (s *surface) statuses() string {
	var parts []string
	for _, code := range slices.Sorted(maps.Keys(s.seen)) {
		parts = append(parts, fmt.Sprintf("%s × %d", thousands(int64(s.seen[code])), code))
	}
	return strings.Join(parts, ", ")
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
