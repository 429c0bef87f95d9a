package load

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Fault is something wrong with one of the curated files.
type Fault struct {
	Path    string // of the file, relative to the root of the data
	Message string // what is wrong and how to mend it
}

// Faults are everything that is wrong with the curated files. As an error they have a line each.
type Faults []Fault

// Error returns one line for each fault: the path, then the message.
func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.Path + ": " + f.Message
	}
	return strings.Join(lines, "\n")
}

// JoinFaults returns the faults of several checks as one error, or nil. An error that is no Faults is returned alone.
func JoinFaults(errs ...error) error {
	var all faultList
	for _, err := range errs {
		var faults Faults
		if errors.As(err, &faults) {
			all.list = append(all.list, faults...)
		} else if err != nil {
			return err
		}
	}
	return all.err()
}

// A faultList collects faults.
type faultList struct {
	list    Faults
	rewrite map[string][]byte // when not nil: the canonical form of files that lack it, which is then not a fault
}

// fresh returns an empty list that collects what l does.
func (l *faultList) fresh() *faultList {
	if l.rewrite == nil {
		return new(faultList)
	}
	return &faultList{rewrite: make(map[string][]byte)}
}

// merge adds what another list has collected.
func (l *faultList) merge(other *faultList) {
	l.list = append(l.list, other.list...)
	maps.Copy(l.rewrite, other.rewrite)
}

func (l *faultList) add(path, format string, args ...any) {
	l.list = append(l.list, Fault{path, fmt.Sprintf(format, args...)})
}

// err returns the faults sorted by path, in the order found within one file, or nil.
func (l *faultList) err() error {
	if len(l.list) == 0 {
		return nil
	}
	slices.SortStableFunc(l.list, func(a, b Fault) int { return cmp.Compare(a.Path, b.Path) })
	return l.list
}
