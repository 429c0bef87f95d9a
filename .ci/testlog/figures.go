package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// figureMark begins the line of a log that has the figures of a test. What follows is JSON: {"table":"…","row":["…","…"]}.
const figureMark = "FIGURES "

// A figure is a row of a table in the documentation.
type figure struct {
	Table string   `json:"table"`
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

// printFigures prints the rows of each table, in the order in which the tests ran.
func printFigures(out io.Writer, r *run) {
	var tables []string
	rows := make(map[string][]string)
	for _, f := range r.figures {
		if rows[f.Table] == nil {
			tables = append(tables, f.Table)
		}
		rows[f.Table] = append(rows[f.Table], "| "+strings.Join(f.Row, " | ")+" |")
	}
	for _, table := range tables {
		fmt.Fprintf(out, "\n%s\n\n%s\n", table, strings.Join(rows[table], "\n"))
	}
}
