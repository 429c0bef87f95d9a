package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// events are what go test -json writes of a test that passes, one that is skipped and one that logs figures.
const events = `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:1: FIGURES {\"table\":\"Faults\",\"row\":[\"killed\",\"none\"]}\n"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:2: no database\n"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Action":"pass","Package":"p"}
`

func judged(t *testing.T, input, skips string) (string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "skips")
	if err := os.WriteFile(file, []byte(skips), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	r, err := read(strings.NewReader(input), &out, false)
	if err == nil {
		err = r.judge(&out, file)
	}
	return out.String(), err
}

// TestSkipsAreNamed: a skipped test is named with its reason, and is an error unless it is listed; so are failures, also those of a build.
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
		{"a build", `{"Action":"build-fail","ImportPath":"p"}` + "\n" + `{"Action":"fail","Package":"p","FailedBuild":"p"}`, listed, "failed"},
	} {
		if out, err := judged(t, tt.input, tt.skips); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q\n%s", tt.what, err, tt.want, out)
		}
	}
}

// TestFigures: figures become rows, table by table; a broken one is an error.
func TestFigures(t *testing.T) {
	r, err := read(strings.NewReader(events), &strings.Builder{}, true)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	printFigures(&out, r)
	if want := "\nFaults\n\n| killed | none |\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	if _, err := read(strings.NewReader(strings.Replace(events, `\"none\"]}`, `\"none\"`, 1)), &out, true); err == nil {
		t.Error("figures that are not JSON are taken")
	}
}
