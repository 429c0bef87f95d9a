// Command testlog reads what go test -json writes and prints what go test prints, and then each test that was skipped,
// with its reason. It fails when a test failed, or was skipped and is not in the file of -skips: nothing is skipped in
// silence. With -figures it puts the figures that the tests logged into the tables of documents.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

func main() {
	skips := flag.String("skips", "", "`file` of the tests that may be skipped: package, test and why, on each line")
	figures := flag.String("figures", "", "`files`, separated by commas, whose tables get the figures of the tests")
	flag.Parse()
	r, err := read(os.Stdin, os.Stdout)
	if err == nil && *figures != "" {
		err = r.updateFiles(strings.Split(*figures, ","))
	}
	if err == nil {
		err = r.judge(os.Stdout, *skips)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testlog:", err)
		os.Exit(1)
	}
}

// An event is a line of go test -json (go doc test2json).
type event struct {
	Time                          time.Time
	Action, Package, Test, Output string
	ImportPath                    string // of what does not compile
}

// A testName is a test of a package; without a test, the package.
type testName struct{ pkg, test string }

// A run is what the tests of one go test did.
type run struct {
	output  map[testName][]string // what each wrote; nil once it passed
	skipped []testName            // in the order of their ends
	failed  []testName
	figures []figure

	first time.Time // of its events
}

// read prints the results of packages, and the output of what failed, as they come.
func read(in io.Reader, out io.Writer) (*run, error) {
	r := &run{output: make(map[testName][]string)}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				fmt.Fprintf(out, "%s", line) // what go itself writes between the events
			} else if err := r.take(e, out); err != nil {
				return nil, err
			}
		}
		if err == io.EOF {
			return r, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (r *run) take(e event, out io.Writer) error {
	name := testName{e.Package, e.Test}
	if r.first.IsZero() {
		r.first = e.Time
	}
	switch e.Action {
	case "build-output":
		fmt.Fprint(out, e.Output)
	case "output":
		if e.Test == "" && isResult(e.Output) {
			fmt.Fprint(out, e.Output)
		}
		if f, ok, err := parseFigure(e.Output); err != nil {
			return fmt.Errorf("%s: %w", e.Test, err)
		} else if ok {
			r.figures = append(r.figures, f)
		}
		r.output[name] = append(r.output[name], e.Output)
	case "pass":
		delete(r.output, name)
	case "skip":
		if e.Test != "" { // a package without tests is no skipped test
			r.skipped = append(r.skipped, name)
		}
	case "fail":
		r.failed = append(r.failed, name)
		fmt.Fprint(out, strings.Join(r.output[name], ""))
		delete(r.output, name)
		if e.Test == "" {
			r.unfinished(e.Package, out)
		}
	}
	return nil
}

// unfinished prints the output of the tests of a package that neither passed nor failed: when a program dies, its last
// words stand in the output of the test that was running.
func (r *run) unfinished(pkg string, out io.Writer) {
	for name, lines := range r.output {
		if name.pkg == pkg && !slices.Contains(r.skipped, name) {
			fmt.Fprint(out, strings.Join(lines, ""))
			delete(r.output, name)
		}
	}
}

// isResult reports whether a line is the one that go test prints for a package.
func isResult(line string) bool {
	return strings.HasPrefix(line, "ok ") || strings.HasPrefix(line, "FAIL") || strings.HasPrefix(line, "panic:")
}

// judge lists what was skipped, and returns an error if that may not be, or something failed.
func (r *run) judge(out io.Writer, file string) error {
	may, err := readSkips(file)
	if err != nil {
		return err
	}
	var wrong []string
	if len(r.skipped) > 0 {
		fmt.Fprintf(out, "\n%d skipped:\n", len(r.skipped))
	}
	for _, name := range r.skipped {
		listed := "as listed"
		if top, _, _ := strings.Cut(name.test, "/"); !may[name] && !may[testName{name.pkg, top}] {
			listed = "NOT LISTED"
			wrong = append(wrong, name.pkg+" "+name.test)
		}
		fmt.Fprintf(out, "  %s %s (%s): %s\n", name.pkg, name.test, listed, r.reason(name))
	}
	switch {
	case len(r.failed) > 0:
		return fmt.Errorf("%d tests and packages failed", len(r.failed))
	case len(wrong) > 0:
		return fmt.Errorf("skipped, which %s does not allow: %s", file, strings.Join(wrong, ", "))
	}
	return nil
}

// reason returns what a skipped test said.
func (r *run) reason(name testName) string {
	for _, line := range r.output[name] {
		if text := strings.TrimSpace(line); text != "" && !strings.HasPrefix(text, "=== ") &&
			!strings.HasPrefix(text, "--- ") {
			return text
		}
	}
	return "no reason given"
}

// readSkips returns the tests that a file lists; each line gives a reason as well.
func readSkips(file string) (map[testName]bool, error) {
	may := make(map[testName]bool)
	if file == "" {
		return may, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) < 3 {
			return nil, fmt.Errorf("%s: %q has no reason; write package, test and why", file, line)
		}
		may[testName{fields[0], fields[1]}] = true
	}
	return may, nil
}
