package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/server/servertest"
)

// almanac runs the program in this process.
func almanac(args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = run(context.Background(), args, &out, &errs)
	return status, out.String(), errs.String()
}

// checked runs almanac check -against old, with -record if there is a day, and does not render the site.
func checked(old, day, dir string) (stdout string, err error) {
	var out bytes.Buffer
	if day != "" {
		real := today
		today = func() catalog.Date { return catalog.Date(day) }
		defer func() { today = real }()
	}
	c := checkFlags{against: old, record: day != "", contents: func(string, *catalog.Catalog) (string, error) { return "", nil }}
	err = c.run(context.Background(), &out, io.Discard, dir)
	return out.String(), err
}

// setToday sets the day on which changes are recorded, until the test ends.
func setToday(t *testing.T, day catalog.Date) {
	real := today
	today = func() catalog.Date { return day }
	t.Cleanup(func() { today = real })
}

// says returns the message of an error, or "".
func says(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestUsage: a command line that cannot be understood is answered with what to do.
func TestUsage(t *testing.T) {
	for _, tt := range []struct {
		args   []string
		status int
		want   string
	}{
		{nil, 2, "SUBCOMMANDS"},
		{[]string{"-h"}, 0, "SUBCOMMANDS"},
		{[]string{"server"}, 2, `"server" is not a command`},
		{[]string{"check", "a", "b"}, 2, "one directory"},
		{[]string{"check", "/nowhere"}, 1, "stat /nowhere: no such file or directory; give the directory that holds library/"},
		{[]string{"check", "-against", "/nowhere", fewFixtures}, 1, "-against: stat /nowhere"},
		{[]string{"token"}, 2, "almanac token list"},
		{[]string{"token", "show", "abc"}, 2, "64 hexadecimal digits"},
		{[]string{"version", "now"}, 2, "is not expected here"},
		{[]string{"health", "-admin", "localhost:1"}, 1, "is it running"},
	} {
		if status, _, stderr := almanac(tt.args...); status != tt.status || !strings.Contains(stderr, tt.want) {
			t.Errorf("%v: status %d, %s; want %d, …%s…", tt.args, status, stderr, tt.status, tt.want)
		}
	}
}

func TestCheckWrite(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	dir := servertest.CopyFixtures(t)
	name := filepath.Join(dir, "library/iot/mqtt-5.json")
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, bytes.ReplaceAll(want, []byte("\n  "), []byte("\n\t")), 0o644); err != nil {
		t.Fatal(err)
	}
	if status, _, stderr := almanac("check", dir); status != 1 || !strings.Contains(stderr, "mqtt-5.json: line 2 is not in canonical form") {
		t.Errorf("before: status %d, %s", status, stderr)
	}
	status, stdout, stderr := almanac("check", "-w", dir)
	if status != 0 || !strings.Contains(stdout, "rewrote "+name) {
		t.Errorf("-w: status %d, %s%s", status, stdout, stderr)
	}
	if got, _ := os.ReadFile(name); !bytes.Equal(got, want) {
		t.Errorf("-w wrote\n%s\nwant\n%s", got, want)
	}
}

// TestCheckWriteKeeps: a file with another fault is not rewritten, which could lose something.
func TestCheckWriteKeeps(t *testing.T) {
	dir := copyFew(t)
	servertest.Edit(t, dir, "library/payments/caip-2-blockchain-id.json", `"tags"`, `"labels"`)
	name := filepath.Join(dir, "library/payments/caip-2-blockchain-id.json")
	before, _ := os.ReadFile(name)
	if status, _, _ := almanac("check", "-w", dir); status != 1 {
		t.Errorf("exit status %d, want 1", status)
	}
	if after, _ := os.ReadFile(name); !bytes.Equal(before, after) {
		t.Errorf("-w rewrote a faulty file:\n%s", after)
	}
}

func TestCheckAgainst(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	old, dir := servertest.CopyFixtures(t), servertest.CopyFixtures(t)
	if _, err := checked(old, "", dir); err != nil {
		t.Fatalf("equal data: %v", err)
	}
	servertest.Edit(t, old, "library/iot/lorawan-l2-1-0-4.json", `"verified_at": "2026-11-21"`, `"verified_at": "2026-11-22"`)
	servertest.Edit(t, old, "protocols/l402.json", "Lightning Network (BOLT 11 invoice)", "Lightning")
	for _, folder := range []string{"library/iot/", "questions/library/", "evidence/", "statements/"} {
		rename(t, dir, folder+"chirpstack.json", folder+"chirp.json")
		servertest.Edit(t, dir, folder+"chirp.json", `"chirpstack"`, `"chirp"`)
	}
	status, stdout, stderr := almanac("check", "-against", old, dir)
	if status != 1 {
		t.Errorf("exit status %d, want 1", status)
	}
	if !hasLine(stdout, "read articles/how-an-l402-purchase-runs/article.md:", "which links to l402: changed payment_rail") {
		t.Errorf("no word of the paragraphs that link to a changed protocol:\n%s", stdout)
	}
	if !hasLine(stderr, "lorawan-l2-1-0-4.json: ", "goes back from 2026-11-22 to 2026-11-21") {
		t.Errorf("no word of the date that goes back:\n%s", stderr)
	}
	if !hasLine(stderr, "chirpstack.json: ", "missing in the new data") {
		t.Errorf("no word of the entry that vanished:\n%s", stderr)
	}
}

// TestCheckAgainstOlderRules: what was published is compared and not judged again by rules that came later, but what
// cannot be read, or is lost, is refused.
func TestCheckAgainstOlderRules(t *testing.T) {
	dir := copyFew(t)
	remove := func(old, name string) {
		if err := os.Remove(filepath.Join(old, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, older := range map[string]func(old string){
		"without site.json": func(old string) { remove(old, "site.json") },
		"with an unknown member": func(old string) {
			servertest.Edit(t, old, "library/payments/caip-2-blockchain-id.json", `"id":`, `"rank": 1, "id":`)
		},
		"not in canonical form": func(old string) {
			servertest.Edit(t, old, "library/payments/caip-2-blockchain-id.json", "{\n", "{\n\n")
		},
		"with a tag nobody knows":   func(old string) { servertest.Edit(t, old, "tags.json", `"id": "interop"`, `"id": "interoperable"`) },
		"with a file of later days": func(old string) { copyTo(t, old, "site.json", "later.json") },
	} {
		old := copyFew(t)
		older(old)
		if _, err := checked(old, "", dir); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, c := range map[string]struct {
		change     func(old string)
		file, says string
	}{
		"a record that is lost": {func(old string) {
			copyTo(t, old, "library/payments/caip-2-blockchain-id.json", "library/payments/caip-3.json")
			servertest.Edit(t, old, "library/payments/caip-3.json", `"caip-2-blockchain-id"`, `"caip-3"`)
		}, "caip-3.json", "missing in the new data"},
		"a day of the history nobody can read": {func(old string) { servertest.Edit(t, old, "history/2026-11-21.jsonl", "{", "") }, "2026-11-21.jsonl", "line 1"},
		"a record nobody can read":             {func(old string) { servertest.Edit(t, old, "library/payments/caip-2-blockchain-id.json", "{\n", "") }, "caip-2-blockchain-id.json", "must be an object"},
		"a folder that is not of data": {func(old string) {
			os.RemoveAll(filepath.Join(old, "library"))
			os.RemoveAll(filepath.Join(old, "protocols"))
		}, "", "neither entries nor protocols"},
	} {
		old := copyFew(t)
		remove(old, "site.json")
		c.change(old)
		if _, err := checked(old, "", dir); !hasLine(says(err), c.file, c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// hasLine reports whether a line of text holds both parts.
func hasLine(text, a, b string) bool {
	for line := range strings.Lines(text) {
		if strings.Contains(line, a) && strings.Contains(line, b) {
			return true
		}
	}
	return false
}

func rename(t *testing.T, dir, from, to string) {
	t.Helper()
	if err := os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
		t.Fatal(err)
	}
}

func copyTo(t *testing.T, dir, from, to string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, from))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, to), data, 0o644); err != nil {
		t.Fatal(err)
	}
}
