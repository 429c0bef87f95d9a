package main

import (
	"flag"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentedNames: docs/operate.md and docs/use.md name every command, and every flag they name exists.
func TestDocumentedNames(t *testing.T) {
	text := ""
	for _, name := range []string{"../../docs/use.md", "../../docs/operate.md"} {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text += string(page)
	}
	known := make(map[string]bool)
	for _, cmd := range rootCommand(io.Discard, io.Discard).Subcommands {
		if !strings.Contains(text, "almanac "+cmd.Name) {
			t.Errorf("the command %s is not documented", cmd.Name)
		}
		for _, one := range append(cmd.Subcommands, cmd) {
			one.FlagSet.VisitAll(func(f *flag.Flag) { known[f.Name] = true })
		}
	}
	text = regexp.MustCompile("(?s)```.*?```").ReplaceAllString(text, "")
	for _, span := range regexp.MustCompile("`[^`\n]+`").FindAllString(text, -1) {
		if strings.HasPrefix(span, "`docker") {
			continue
		}
		for _, m := range regexp.MustCompile(`(?:^.| )-([a-z][a-z-]+)\b`).FindAllStringSubmatch(span, -1) {
			if !known[m[1]] {
				t.Errorf("%s: no command has the flag -%s", span, m[1])
			}
		}
	}
}
