package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/peterbourgon/ff/v3/ffcli"
)

// version is set by the linker for a release: -ldflags "-X main.version=v1.2.3".
var version = ""

// versionText returns the version of this build: the release, the module's version, or the commit.
func versionText() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel-" + s.Value[:12]
		}
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	return "devel"
}

// versionCommand prints the version.
func versionCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "version", "almanac version", "print the version")
	cmd.Exec = func(_ context.Context, args []string) error {
		if err := noArguments(args); err != nil {
			return err
		}
		_, err := fmt.Fprintf(stdout, "almanac %s %s %s/%s\n", versionText(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return err
	}
	return cmd
}
