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

// A journal keeps the observations of a round on disk as they come, one JSON value a line, so that a round that was
// interrupted can resume where it stopped. It is removed when the round is done.
type journal struct {
	path string
	file *os.File
	done map[string]Observation // by address, of this round
}

// openJournal opens the journal at path, or creates it. Observations from before oldest are of an earlier round and dropped,
// as is a last line that a crash cut short.
func openJournal(path string, oldest time.Time) (*journal, error) {
	j := &journal{path: path, done: make(map[string]Observation)}
	old, err := os.Open(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open the journal of the last round: %w", err)
	}
	if err == nil {
		lines := bufio.NewScanner(old)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var o Observation
			if json.Unmarshal(lines.Bytes(), &o) == nil && o.URL != "" && !o.CheckedAt.Before(oldest) {
				j.done[o.URL] = o
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

// rewrite writes the file again with what is still of use, so that a new line never continues one that was cut short. The old
// file stays until the new one is complete.
func (j *journal) rewrite() error {
	var kept []byte
	for _, o := range j.done {
		line, err := encodeLine(o)
		if err != nil {
			return err
		}
		kept = append(kept, line...)
	}
	err := renameio.WriteFile(j.path, kept, 0o644)
	if err == nil {
		j.file, err = os.OpenFile(j.path, os.O_WRONLY|os.O_APPEND, 0)
	}
	if err != nil {
		return fmt.Errorf("start the journal of the round: %w; name another file with -journal", err)
	}
	return nil
}

// add keeps an observation.
func (j *journal) add(o Observation) error {
	j.done[o.URL] = o
	line, err := encodeLine(o)
	if err != nil {
		return err
	}
	if _, err := j.file.Write(line); err != nil {
		return fmt.Errorf("write the journal of the round: %w", err)
	}
	return nil
}

func encodeLine(o Observation) ([]byte, error) {
	line, err := wirejson.Compact(o)
	if err != nil {
		return nil, fmt.Errorf("journal the observation of %s: %w", o.URL, err)
	}
	return append(line, '\n'), nil
}

// close keeps the journal for a later run.
func (j *journal) close() error { return j.file.Close() }

// remove ends the round.
func (j *journal) remove() error {
	return errors.Join(j.file.Close(), os.Remove(j.path))
}
