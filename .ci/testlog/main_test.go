package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// events are what go test -json writes of a test that passes, one that is skipped and one that logs figures.
const events = `{"Time":"2026-11-22T14:00:00Z","Action":"run","Package":"p","Test":"TestA"}
{"Time":"2026-11-22T14:00:00Z","Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:1: FIGURES {\"table\":\"faults\",\"key\":\"k\",\"row\":[\"killed\",\"none\"]}\n"}
{"Time":"2026-11-22T14:00:00Z","Action":"pass","Package":"p","Test":"TestA"}
{"Time":"2026-11-22T14:00:00Z","Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:2: no database\n"}
{"Time":"2026-11-22T14:00:00Z","Action":"skip","Package":"p","Test":"TestB"}
{"Time":"2026-11-22T14:00:00Z","Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Time":"2026-11-22T14:00:00Z","Action":"pass","Package":"p"}
`

func judged(t *testing.T, input, skips string) (string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "skips")
	if err := os.WriteFile(file, []byte(skips), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	r, err := read(strings.NewReader(input), &out)
	if err == nil {
		err = r.judge(&out, file)
	}
	return out.String(), err
}

// TestSkipsAreNamed: a skipped test is named with its reason, and is an error unless it is listed; so are failures,
// also those of a build.
func TestSkipsAreNamed(t *testing.T) {
	const listed = "# why\np TestB has no database here\n"
	if out, err := judged(t, events, listed); err != nil || !strings.Contains(out, "p TestB (as listed): b_test.go:2: no database") || !strings.HasPrefix(out, "ok  \tp") {
		t.Errorf("%v: %s", err, out)
	}
	for _, tt := range []struct{ what, input, skips, want string }{
		{"not listed", events, "", "p TestB"},
		{"another package's", events, "q TestB has no database", "p TestB"},
		{"listed without a reason", events, "p TestB", "has no reason"},
		{"a failure", strings.Replace(events, `"pass","Package":"p","Test":"TestA"`, `"fail","Package":"p","Test":"TestA"`, 1), listed, "1 tests and packages failed"},
		{"a build", `{"Action":"build-fail","ImportPath":"p"}` + "\n" + `{"Time":"2026-11-22T14:00:00Z","Action":"fail","Package":"p","FailedBuild":"p"}`, listed, "failed"},
	} {
		if out, err := judged(t, tt.input, tt.skips); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q\n%s", tt.what, err, tt.want, out)
		}
	}
}

// TestLastWords: when a program dies, what it said last is printed, although no test failed.
func TestLastWords(t *testing.T) {
	died := `{"Action":"output","Package":"p","Test":"TestC","Output":"race: too many goroutines, dying\n"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}
`
	out, err := judged(t, events+died, "p TestB has no database here\n")
	if err == nil || !strings.Contains(out, "too many goroutines") || strings.Contains(out, "FIGURES") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestFigures: the figures of a run take the place of a table's rows, the later of two with the same key, with the commit
// and the day; a table without figures in the run stays.
func TestFigures(t *testing.T) {
	again := strings.ReplaceAll(strings.ReplaceAll(events, "killed", "killed again"), "2026-11-22T14:00", "2026-11-22T14:10")
	r, err := read(strings.NewReader(events+again), &strings.Builder{})
	if err != nil {
		t.Fatal(err)
	}
	document := "# Faults\n<!-- figures faults -->\n| fault | lost |\n|---|---|\n| old | 1 |\n\nCommit a, 2026-11-01.\n<!-- end of figures -->\ntext\n" +
		"<!-- figures load -->\n| a |\n|---|\n| 1 |\n<!-- end of figures -->\n"
	want := strings.NewReplacer("| old | 1 |", "| killed again | none |", "Commit a, 2026-11-01.", "Commit b, 2026-11-22.").Replace(document)
	updated, missing, err := r.update([]byte(document), "b")
	if err != nil || string(updated) != want || strings.Join(missing, " ") != "load" {
		t.Errorf("%v, missing %q:\n%s\nwant:\n%s", err, missing, updated, want)
	}
	if _, _, err := r.update([]byte("<!-- figures faults -->\n| a |\n"), "b"); err == nil {
		t.Error("a table without an end is taken")
	}
	if _, err := read(strings.NewReader(strings.Replace(events, `\"none\"]}`, `\"none\"`, 1)), &strings.Builder{}); err == nil {
		t.Error("figures that are not JSON are taken")
	}
}
