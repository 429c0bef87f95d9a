// Package parttest finds the real parts of tests: browsers, databases, daemons, and packages from npm.
//
// Tests with real parts run when somebody asks for them: with ALMANAC_REAL=1, as .ci/run does, or in a benchmark or
// soak test. Without, they are skipped even where the parts are installed: `go test ./...` is then the same everywhere,
// needs nothing but Go, and takes little time. With ALMANAC_REAL=1 a part that is missing fails the test.
package parttest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// required reports whether every part must be there.
func required() bool { return os.Getenv("ALMANAC_REAL") != "" }

// Wanted reports whether somebody asked for the real parts. Without, a test may also take less than the whole data.
func Wanted(t testing.TB) bool {
	_, benchmark := t.(*testing.B)
	return required() || benchmark || soak
}

// Want skips a test of which nobody asked that it run with real parts.
func Want(t testing.TB) {
	t.Helper()
	if !Wanted(t) {
		t.Skip("runs with real parts, which take long: ALMANAC_REAL=1 runs it")
	}
}

// Missing ends a test for want of a part: it fails if every part must be there, and else is skipped.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if required() {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// Program returns the path of a program that a script of .ci installs.
func Program(t testing.TB, name, script string) string {
	t.Helper()
	Want(t)
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, "%s is not installed: run .ci/%s", name, script)
	}
	return path
}

// Cached returns the path of a part that a script of .ci installs in the folder ALMANAC_CACHE, by default
// ~/.cache/almanac.
func Cached(t testing.TB, script string, elem ...string) string {
	t.Helper()
	Want(t)
	path, err := Cache(elem...)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		Missing(t, "%v: run .ci/%s", err, script)
	}
	return path
}

// Cache returns a path below the folder ALMANAC_CACHE.
func Cache(elem ...string) (string, error) {
	cache := os.Getenv("ALMANAC_CACHE")
	if cache == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("find the folder of the real parts: %w", err)
		}
		cache = filepath.Join(home, ".cache", "almanac")
	}
	return filepath.Join(append([]string{cache}, elem...)...), nil
}

// Everyday returns the path of a program that most machines have, such as curl. Tests with it run wherever it is.
func Everyday(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, "%s is not installed: run .ci/packages", name)
	}
	return path
}
