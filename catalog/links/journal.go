package links

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/google/renameio/v2"

	"almanac/wirejson"
)

// A Journal records the results of a round on disk as they come, one JSON value a line, so that an interrupted round
// can resume where it stopped. It is removed when the round is done.
type Journal[T Found] struct {
	path string
	file *os.File
	Done map[string]T // by address, of this round
}

// Found is the result of a round for one address.
type Found interface{ Observed() Observation }

// Observed returns the observation itself.
func (o Observation) Observed() Observation { return o }

// OpenJournal opens the journal at path, or creates it. Observations from before oldest are of an earlier round and
// dropped, as is a last line that a crash cut short.
func OpenJournal[T Found](path string, oldest time.Time) (*Journal[T], error) {
	j := &Journal[T]{path: path, Done: make(map[string]T)}
	old, err := os.Open(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open the journal of the last round: %w", err)
	}
	if err == nil {
		lines := bufio.NewScanner(old)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var o T
			if json.Unmarshal(lines.Bytes(), &o) != nil {
				continue
			}
			if seen := o.Observed(); seen.URL != "" && !seen.CheckedAt.Before(oldest) {
				j.Done[seen.URL] = o
			}
		}
		err := lines.Err()
		old.Close()
		if err != nil {
			return nil, fmt.Errorf("read the journal of the last round %s: %w; remove it to start over", path, err)
		}
	}
	return j, j.rewrite()
}

// rewrite writes the file again with the results that still count, so that a new line never continues one that was cut
// short. The old file stays until the new one is complete.
func (j *Journal[T]) rewrite() error {
	var lines []byte
	for _, o := range j.Done {
		line, err := encodeLine(o)
		if err != nil {
			return err
		}
		lines = append(lines, line...)
	}
	err := renameio.WriteFile(j.path, lines, 0o644)
	if err == nil {
		j.file, err = os.OpenFile(j.path, os.O_WRONLY|os.O_APPEND, 0)
	}
	if err != nil {
		return fmt.Errorf("start the journal of the round: %w; name another file with -journal", err)
	}
	return nil
}

// Add records a result.
func (j *Journal[T]) Add(o T) error {
	j.Done[o.Observed().URL] = o
	line, err := encodeLine(o)
	if err != nil {
		return err
	}
	if _, err := j.file.Write(line); err != nil {
		return fmt.Errorf("write the journal of the round: %w", err)
	}
	return nil
}

func encodeLine(o Found) ([]byte, error) {
	line, err := wirejson.Compact(o)
	if err != nil {
		return nil, fmt.Errorf("journal the observation of %s: %w", o.Observed().URL, err)
	}
	return append(line, '\n'), nil
}

// Close closes the journal, and leaves the file to a later run.
func (j *Journal[T]) Close() error { return j.file.Close() }

// Remove ends the round.
func (j *Journal[T]) Remove() error {
	return errors.Join(j.file.Close(), os.Remove(j.path))
}
