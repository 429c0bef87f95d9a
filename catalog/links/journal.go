package links

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"almanac/wirejson"
)

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
