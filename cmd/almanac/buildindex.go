package main

import (
	"context"
	"io"
	"os"
	"runtime"

	"github.com/peterbourgon/ff/v3/ffcli"

	"almanac/index"
)

// buildIndexName is the command that serve starts.
const buildIndexName = "build-index"

// buildIndexCommand builds a search index on disk for a running service.
func buildIndexCommand(stdin io.Reader, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, buildIndexName, "almanac build-index DIR", "build a search index on disk; serve starts this command itself")
	cmd.LongHelp = "serve starts it when the library is large: it reads the documents from standard input, builds their index in DIR and ends.\n" +
		"It has a low priority, and if memory runs out it is what the kernel ends: the service goes on with the data it has."
	cmd.Exec = func(ctx context.Context, args []string) error {
		if len(args) != 1 {
			return usageError("build-index takes one directory; almanac serve starts it")
		}
		built := make(chan error, 1)
		go func() { built <- index.BuildStreamed(args[0], stdin) }()
		select {
		case err := <-built:
			return err
		case <-ctx.Done(): // what is there so far, the next build removes
			return ctx.Err()
		}
	}
	return cmd
}

// indexCommand returns the command line with which serve starts this program to build an index; nil if the program does not know itself.
func indexCommand() []string {
	if runtime.GOOS == "linux" {
		return []string{"/proc/self/exe", buildIndexName} // also when the file of the program has been replaced
	}
	exe, err := os.Executable()
	if err != nil {
		return nil
	}
	return []string{exe, buildIndexName}
}
