package main

import (
	"context"
	"fmt"
	"io"

	"github.com/peterbourgon/ff/v3/ffcli"

	"almanac/nearest"
)

// helpCommand prints the help of the command that its arguments name, or of the program.
func helpCommand(stdout, stderr io.Writer, root *ffcli.Command) *ffcli.Command {
	cmd := newCommand(stderr, "help", "almanac help [command]", "print the help of a command")
	cmd.Exec = func(_ context.Context, args []string) error {
		about := root
		for _, name := range args {
			sub, err := subcommand(about, name)
			if err != nil {
				return err
			}
			about = sub
		}
		_, err := fmt.Fprint(stdout, ffcli.DefaultUsageFunc(about))
		return err
	}
	return cmd
}

func subcommand(cmd *ffcli.Command, name string) (*ffcli.Command, error) {
	var names []string
	for _, sub := range cmd.Subcommands {
		if sub.Name == name {
			return sub, nil
		}
		names = append(names, sub.Name)
	}
	return nil, usageError(fmt.Sprintf("%q is not a command%s", name, nearest.DidYouMean(name, names, 1)))
}
