package links

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/wirejson"
)

// silentLimit is how many links of a host may in turn not answer before the others get one attempt each. It bounds the
// time that a host that hangs can take of a round.
const silentLimit = 2

// journalAge is how old a result may be to count for a round that is resumed.
const journalAge = 24 * time.Hour

// RunRound requests every link that the journal of an interrupted round lacks, and returns all results by address, with
// an error if it was interrupted. The caller removes the journal.
func RunRound[T Found](
	ctx context.Context, c *Checker, path string, list []catalog.Address, progress io.Writer,
	ask func(ctx context.Context, l catalog.Address, attempts int) T,
) (map[string]T, error) {
	journal, err := openJournal[T](path, c.cfg.Now().Add(-journalAge))
	if err != nil {
		return nil, err
	}
	left := slices.DeleteFunc(slices.Clone(list), func(l catalog.Address) bool {
		_, known := journal.done[l.URL]
		return known
	})
	stopped := visit(ctx, c.cfg, left, ask, func(found T) {
		err = cmp.Or(err, journal.add(found)) // a full disk is one error
		o := found.Observed()
		fmt.Fprintf(progress, "%d of %d %s %s\n", len(journal.done), len(list), o.URL, cmp.Or(o.Detail, "ok"))
	})
	if err == nil && stopped != nil {
		err = fmt.Errorf("interrupted after %d of %d addresses; run the same command to resume: %w",
			len(journal.done), len(list), stopped)
	}
	return journal.done, errors.Join(err, journal.file.Close())
}

// visit asks for all links, those of one host one after the other and Config.Hosts hosts at once, and hands each result
// to report, never two at a time. It returns early, with ctx's error, when ctx ends; requests under way then are not
// reported.
func visit[T Found](
	ctx context.Context, cfg Config, list []catalog.Address,
	ask func(ctx context.Context, l catalog.Address, attempts int) T, report func(T),
) error {
	hosts := byHost(list)
	next := make(chan []catalog.Address)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range min(cfg.Hosts, len(hosts)) {
		wg.Go(func() {
			for links := range next {
				attempts, silent := cfg.Attempts, 0 // links of the host that have in turn not answered
				for _, l := range links {
					found := ask(ctx, l, attempts)
					if ctx.Err() != nil {
						break
					}
					switch found.Observed().Kind {
					case kindTimeout, kindRefused, kindReset:
						silent++
					default:
						attempts, silent = cfg.Attempts, 0
					}
					if silent >= silentLimit {
						attempts = 1
					}
					mu.Lock()
					report(found)
					mu.Unlock()
				}
			}
		})
	}
	for _, links := range hosts {
		select {
		case next <- links:
		case <-ctx.Done():
		}
	}
	close(next)
	wg.Wait()
	return ctx.Err()
}

// byHost groups links by host, the host with the most links first because it takes longest.
func byHost(list []catalog.Address) [][]catalog.Address {
	hosts := make(map[string][]catalog.Address)
	for _, l := range list {
		host := ""
		if u, err := url.Parse(l.URL); err == nil {
			host = u.Host
		}
		hosts[host] = append(hosts[host], l)
	}
	return slices.SortedFunc(maps.Values(hosts), func(a, b []catalog.Address) int { return len(b) - len(a) })
}

// Report returns the report of a round, its findings by id. Every link of the round has one observation.
func Report(observations []Observation, at time.Time) *catalog.LinkReport {
	r := &catalog.LinkReport{
		CheckedAt: at.UTC().Format(time.RFC3339), Links: len(observations), Findings: []catalog.LinkFinding{},
	}
	for _, o := range observations {
		if o.Answered() {
			r.Answered++
		}
		if o.Kind != "" {
			r.Findings = append(r.Findings, catalog.LinkFinding{
				ID: o.ID, URL: o.URL, Kind: o.Kind, Status: o.Status, Detail: o.Detail,
				FinalURL: o.FinalURL(), CheckedAt: o.CheckedAt.UTC().Format(time.RFC3339),
			})
		}
	}
	slices.SortFunc(r.Findings, func(a, b catalog.LinkFinding) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.URL, b.URL))
	})
	return r
}

// The urgency of an observation, as WriteText counts and sorts them.
const (
	broken = iota
	moved
	skipped
	fine
)

func (o *Observation) urgency() int {
	switch {
	case o.Kind == "":
		return fine
	case o.Broken():
		return broken
	case o.Moved():
		return moved
	}
	return skipped
}

// WriteText writes the report of a round for a person: a line for each finding, broken links first, then the totals.
func WriteText(w io.Writer, observations []Observation, took time.Duration) error {
	list := slices.Clone(observations)
	slices.SortFunc(list, func(a, b Observation) int {
		return cmp.Or(a.urgency()-b.urgency(), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID), cmp.Compare(a.URL, b.URL))
	})
	var text strings.Builder
	var count [fine + 1]int
	answered := 0
	for _, o := range list {
		count[o.urgency()]++
		if o.Answered() {
			answered++
		}
		if o.Kind != "" {
			fmt.Fprintln(&text, line(o))
		}
	}
	_, err := fmt.Fprintf(w, "%s%d links in %s: %d answered, %d broken, %d moved, %d skipped as their hosts ask.\n",
		text.String(), len(list), took.Round(time.Second), answered, count[broken], count[moved], count[skipped])
	return err
}

// line returns a finding as a line of text: kind, status, id, address, detail.
func line(o Observation) string {
	status := "-"
	if o.Status != 0 {
		status = strconv.Itoa(o.Status)
	}
	return fmt.Sprintf("%-8s %3s %s %s: %s", o.Kind, status, o.ID, o.URL, o.Detail)
}

// A journal records the results of a round on disk as they come, one JSON value a line, so that an interrupted round
// can resume where it stopped.
type journal[T Found] struct {
	file *os.File
	done map[string]T // by address, of this round
}

// Found is the result of a round for one address.
type Found interface{ Observed() Observation }

// openJournal opens the journal at path, or creates it. Observations from before oldest are of an earlier round and
// passed over, as is a line that a crash cut short.
func openJournal[T Found](path string, oldest time.Time) (*journal[T], error) {
	j := &journal[T]{done: make(map[string]T)}
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the journal of the last round: %w", err)
	}
	for line := range bytes.Lines(data) {
		var found T
		if json.Unmarshal(line, &found) != nil {
			continue
		}
		if o := found.Observed(); o.URL != "" && !o.CheckedAt.Before(oldest) {
			j.done[o.URL] = found
		}
	}
	j.file, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = j.file.WriteString("\n") // so that no line continues one that was cut short
	}
	if err != nil {
		return nil, fmt.Errorf("start the journal of the round: %w; name another file with -journal", err)
	}
	return j, nil
}

// add records a result.
func (j *journal[T]) add(found T) error {
	j.done[found.Observed().URL] = found
	line, err := wirejson.Compact(found)
	if err == nil {
		_, err = j.file.Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write the journal of the round: %w", err)
	}
	return nil
}
