package parttest

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A recorder is a test whose end is noted.
type recorder struct {
	testing.TB
	ended string
}

func (r *recorder) Helper()               {}
func (r *recorder) Skip(...any)           { r.ended = "skipped"; runtime.Goexit() }
func (r *recorder) Skipf(string, ...any)  { r.Skip() }
func (r *recorder) Fatalf(string, ...any) { r.ended = "failed"; runtime.Goexit() }

// ends returns how a test ends: it runs, is skipped, or fails.
func ends(test func(testing.TB)) string {
	r := &recorder{ended: "runs"}
	done := make(chan struct{})
	go func() {
		defer close(done)
		test(r)
	}()
	<-done
	return r.ended
}

// TestParts: a real part takes part when it is asked for, and must then be there; an everyday program is used wherever
// it is.
func TestParts(t *testing.T) {
	if soak {
		t.Skip("soak tests ask for every part")
	}
	cache, path := t.TempDir(), t.TempDir()
	t.Setenv("ALMANAC_CACHE", cache)
	t.Setenv("PATH", path)
	for _, name := range []string{filepath.Join(cache, "there"), filepath.Join(path, "there")} {
		if err := os.WriteFile(name, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	calls := []struct {
		name string
		call func(testing.TB)
	}{
		{"want", Want},
		{"program", func(t testing.TB) { Program(t, "there", "setup.sh") }},
		{"no program", func(t testing.TB) { Program(t, "missing", "setup.sh") }},
		{"cached", func(t testing.TB) { Cached(t, "setup.sh", "there") }},
		{"not cached", func(t testing.TB) { Cached(t, "setup.sh", "missing") }},
		{"everyday", func(t testing.TB) { Everyday(t, "there") }},
		{"no everyday", func(t testing.TB) { Everyday(t, "missing") }},
	}
	got := make(map[string][]string)
	for _, real := range []string{"", "1"} {
		t.Setenv("ALMANAC_REAL", real)
		for _, c := range calls {
			got[c.name] = append(got[c.name], ends(c.call))
		}
	}
	want := map[string][]string{ // without ALMANAC_REAL, and with it
		"want":        {"skipped", "runs"},
		"program":     {"skipped", "runs"},
		"no program":  {"skipped", "failed"},
		"cached":      {"skipped", "runs"},
		"not cached":  {"skipped", "failed"},
		"everyday":    {"runs", "runs"},
		"no everyday": {"skipped", "failed"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
