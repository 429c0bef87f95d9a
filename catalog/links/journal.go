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
)

// A Journal keeps the observations of a round on disk as they come, one JSON value a line, so that a round that was
// broken off can go on where it stopped. It is removed when the round is done.
type Journal struct {
	path string
	file *os.File
	done map[string]Observation // by id, of this round
}

// OpenJournal opens the journal at path, or begins it. Observations from before oldest are of an earlier round and
// forgotten. A last line that a crash cut short is forgotten too.
func OpenJournal(path string, oldest time.Time) (*Journal, error) {
	j := &Journal{path: path, done: make(map[string]Observation)}
	old, err := os.Open(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open the journal of the last round: %w", err)
	}
	if err == nil {
		lines := bufio.NewScanner(old)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var o Observation
			if json.Unmarshal(lines.Bytes(), &o) == nil && o.ID != "" && !o.CheckedAt.Before(oldest) {
				j.done[o.ID] = o
			}
		}
		err := lines.Err()
		old.Close()
		if err != nil {
			return nil, fmt.Errorf("read the journal of the last round %s: %w; remove it to begin anew", path, err)
		}
	}
	return j, j.begin()
}

// begin writes the file anew with what is still of use, so that a cut line never meets a new one. The old file stays until
// the new one is whole.
func (j *Journal) begin() error {
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
		return fmt.Errorf("begin the journal of the round: %w; name another file with -journal", err)
	}
	return nil
}

// Done gives the observation of a link that this round has made already.
func (j *Journal) Done(l Link) (Observation, bool) {
	o, ok := j.done[l.ID]
	return o, ok && o.URL == l.URL
}

// Add keeps an observation.
func (j *Journal) Add(o Observation) error {
	j.done[o.ID] = o
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
	line, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("encode the observation of %s: %w", o.ID, err)
	}
	return append(line, '\n'), nil
}

// Close keeps the journal for a later run.
func (j *Journal) Close() error { return j.file.Close() }

// Remove ends the round.
func (j *Journal) Remove() error {
	return errors.Join(j.file.Close(), os.Remove(j.path))
}
