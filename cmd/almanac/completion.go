package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/peterbourgon/ff/v3/ffcli"

	"almanac/nearest"
)

// shells are those that completion knows, with what their users do with the script.
var shells = map[string]func(w *strings.Builder, root *ffcli.Command){
	"bash": bashCompletion,
	"zsh": func(w *strings.Builder, root *ffcli.Command) {
		w.WriteString("#compdef almanac\nautoload -U +X bashcompinit && bashcompinit\n")
		bashCompletion(w, root)
	},
	"fish": fishCompletion,
}

// completionCommand prints a script that completes commands and flags. It is made from the commands themselves.
func completionCommand(stdout, stderr io.Writer, root *ffcli.Command) *ffcli.Command {
	cmd := newCommand(stderr, "completion", "almanac completion bash|zsh|fish", "print a script that completes commands and flags in a shell")
	cmd.LongHelp = "bash: almanac completion bash > /etc/bash_completion.d/almanac\n" +
		"zsh:  almanac completion zsh > a file named _almanac in a folder of $fpath\n" +
		"fish: almanac completion fish > ~/.config/fish/completions/almanac.fish"
	cmd.Exec = func(_ context.Context, args []string) error {
		if len(args) != 1 {
			return usageError("completion takes one shell: bash, zsh or fish")
		}
		write, ok := shells[args[0]]
		if !ok {
			return usageError(fmt.Sprintf("%q is not a shell that can be completed%s: use bash, zsh or fish", args[0], nearest.DidYouMean(args[0], []string{"bash", "zsh", "fish"}, 1)))
		}
		var script strings.Builder
		write(&script, root)
		_, err := io.WriteString(stdout, script.String())
		return err
	}
	return cmd
}
