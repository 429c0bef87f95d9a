package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Fault is something wrong with one file of the curated data.
type Fault struct {
	Path    string // of the file, relative to the root of the data
	Message string // what is wrong and how to mend it
}

// Faults are everything that is wrong with the curated data. As an error it has a line for each.
type Faults []Fault

// Error gives one line for each fault: the path, then the message.
func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.Path + ": " + f.Message
	}
	return strings.Join(lines, "\n")
}

// faultList collects faults while files are read.
type faultList struct {
	list    Faults
	rewrite map[string][]byte // when not nil: the canonical form of files that lack it, which then is no fault
}

// fresh gives an empty list that collects what l does.
func (l *faultList) fresh() *faultList {
	if l.rewrite == nil {
		return new(faultList)
	}
	return &faultList{rewrite: make(map[string][]byte)}
}

// join adds what another list has collected.
func (l *faultList) join(other *faultList) {
	l.list = append(l.list, other.list...)
	maps.Copy(l.rewrite, other.rewrite)
}

func (l *faultList) notCanonical(path string, data, want []byte) {
	if l.rewrite != nil {
		l.rewrite[path] = want
		return
	}
	l.add(path, "line %d is not in canonical form; run: almanac check -w", firstDifference(data, want))
}

func (l *faultList) add(path, format string, args ...any) {
	l.list = append(l.list, Fault{path, fmt.Sprintf(format, args...)})
}

// err gives the faults sorted by path, in the order found within one file, or nil.
func (l *faultList) err() error {
	if len(l.list) == 0 {
		return nil
	}
	slices.SortStableFunc(l.list, func(a, b Fault) int { return cmp.Compare(a.Path, b.Path) })
	return l.list
}
