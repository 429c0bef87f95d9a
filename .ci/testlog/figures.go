package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// figureMark begins the line of a log that has the figures of a test, as JSON: {"table":"…","key":"…","row":["…","…"]}.
const figureMark = "FIGURES "

// A figure is a row of a table in the documentation. A later row with the same key takes the place of an earlier one.
type figure struct {
	Table string   `json:"table"`
	Key   string   `json:"key"`
	Row   []string `json:"row"`
}

func parseFigure(line string) (f figure, ok bool, err error) {
	_, text, ok := strings.Cut(line, figureMark)
	if !ok || !strings.HasPrefix(text, "{") {
		return f, false, nil
	}
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		return f, false, fmt.Errorf("%s: %w", strings.TrimSpace(text), err)
	}
	return f, true, nil
}

// tables returns the rows of each table, in the order in which the tests ran.
func (r *run) tables() map[string][]string {
	last := make(map[[2]string]int) // by table and key
	for i, f := range r.figures {
		last[[2]string{f.Table, f.Key}] = i
	}
	tables := make(map[string][]string)
	for i, f := range r.figures {
		if last[[2]string{f.Table, f.Key}] == i {
			tables[f.Table] = append(tables[f.Table], "| "+strings.Join(f.Row, " | ")+" |")
		}
	}
	return tables
}

// figuresEnd ends the text after <!-- figures TABLE -->.
const figuresEnd = "<!-- end of figures -->"

// update puts the rows of a run into a document, between the lines that name their tables, and below them the commit
// and the day of the run. The head of a table stays. A table of which the run has no row stays as it is, and is
// returned.
func (r *run) update(document []byte, commit string) (updated []byte, missing []string, err error) {
	tables := r.tables()
	var out bytes.Buffer
	for {
		before, rest, found := bytes.Cut(document, []byte("<!-- figures "))
		out.Write(before)
		if !found {
			return out.Bytes(), missing, nil
		}
		name, rest, ok := bytes.Cut(rest, []byte(" -->\n"))
		block, rest, closed := bytes.Cut(rest, []byte(figuresEnd))
		if !ok || !closed {
			return nil, nil, fmt.Errorf("the figures %.20q do not end with %s", name, figuresEnd)
		}
		lines := slices.Collect(strings.Lines(string(block)))
		rows := tables[string(name)]
		if len(rows) == 0 {
			missing = append(missing, string(name))
		} else {
			head := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "|---") }) + 1
			lines = append(lines[:head], fmt.Sprintf("%s\n\nCommit %s, %s.\n", strings.Join(rows, "\n"), commit,
				r.first.UTC().Format("2006-01-02")))
		}
		fmt.Fprintf(&out, "<!-- figures %s -->\n%s%s", name, strings.Join(lines, ""), figuresEnd)
		document = rest
	}
}

// updateFiles is update for files.
func (r *run) updateFiles(names []string) error {
	commit, err := exec.Command("git", "describe", "--always", "--dirty", "--exclude=*").Output()
	if err != nil {
		return fmt.Errorf("asking git for the commit: %w", err)
	}
	for _, name := range names {
		document, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		updated, missing, err := r.update(document, strings.TrimSpace(string(commit)))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if len(missing) > 0 {
			fmt.Printf("%s: the run has no figures for %s\n", name, strings.Join(missing, ", "))
		}
		if err := os.WriteFile(name, updated, 0o644); err != nil {
			return err
		}
	}
	return nil
}
