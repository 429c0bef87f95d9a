package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/peterbourgon/ff/v3/ffcli"

	"go.almanac.example/internal/nearest"
)

// shells are the shells that completion knows, with the writers of their scripts.
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
	cmd := newCommand(stderr, "completion", "almanac completion bash|zsh|fish",
		"print a script that completes commands and flags in a shell")
	cmd.LongHelp = "bash: almanac completion bash > /etc/bash_completion.d/almanac\n" +
		"zsh:  almanac completion zsh > a file named _almanac in a folder of $fpath\n" +
		"fish: almanac completion fish > ~/.config/fish/completions/almanac.fish"
	const usage = "completion takes one shell: bash, zsh or fish"
	cmd.Exec = oneArgument(usage, func(_ context.Context, shell string) error {
		write, ok := shells[shell]
		if !ok {
			return usageError(fmt.Sprintf("%q is not a shell that can be completed%s: use bash, zsh or fish",
				shell, nearest.DidYouMean(shell, []string{"bash", "zsh", "fish"}, 1)))
		}
		var script strings.Builder
		write(&script, root)
		_, err := io.WriteString(stdout, script.String())
		return err
	})
	return cmd
}

// bashCompletion writes a function for bash, which zsh runs too. Where it has nothing to offer, the shell completes
// names of files.
func bashCompletion(w *strings.Builder, root *ffcli.Command) {
	w.WriteString(`_almanac() {
	local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" path=almanac words= i
	for ((i = 1; i < COMP_CWORD; i++)); do
		case "$path ${COMP_WORDS[i]}" in
`)
	eachCommand(root, nil, func(path []string, _ *ffcli.Command) {
		if len(path) > 1 {
			fmt.Fprintf(w, "\t\t%q) path=%[1]q ;;\n", strings.Join(path, " "))
		}
	})
	w.WriteString("\t\tesac\n\tdone\n\tcase \"$path $prev\" in\n")
	eachCommand(root, nil, func(path []string, cmd *ffcli.Command) {
		cmd.FlagSet.VisitAll(func(f *flag.Flag) {
			if takesValue(f) {
				fmt.Fprintf(w, "\t%q) return ;;\n", strings.Join(path, " ")+" -"+f.Name)
			}
		})
	})
	w.WriteString("\tesac\n\tcase \"$path\" in\n")
	eachCommand(root, nil, func(path []string, cmd *ffcli.Command) {
		fmt.Fprintf(w, "\t%q) words=%q ;;\n", strings.Join(path, " "), strings.Join(completions(cmd), " "))
	})
	w.WriteString("\tesac\n\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\ncomplete -o default -F _almanac almanac\n")
}

// fishCompletion writes the completions for fish, with the help of each command and flag.
func fishCompletion(w *strings.Builder, root *ffcli.Command) {
	eachCommand(root, nil, func(path []string, cmd *ffcli.Command) {
		here := "__fish_use_subcommand"
		if len(path) > 1 {
			here = "__fish_seen_subcommand_from " + strings.Join(path[1:], "; and __fish_seen_subcommand_from ")
		}
		for _, sub := range cmd.Subcommands {
			fmt.Fprintf(w, "complete -c almanac -n %s -f -a %s -d %s\n", fishQuote(here), sub.Name, fishQuote(sub.ShortHelp))
		}
		cmd.FlagSet.VisitAll(func(f *flag.Flag) {
			_, usage := flag.UnquoteUsage(f)
			value := ""
			if takesValue(f) {
				value = "-r "
			}
			fmt.Fprintf(w, "complete -c almanac -n %s -o %s %s-d %s\n", fishQuote(here), f.Name, value, fishQuote(usage))
		})
	})
}

// eachCommand calls f for a command and all below it, each with its path of names.
func eachCommand(cmd *ffcli.Command, above []string, f func(path []string, cmd *ffcli.Command)) {
	path := append(above[:len(above):len(above)], cmd.Name)
	f(path, cmd)
	for _, sub := range cmd.Subcommands {
		eachCommand(sub, path, f)
	}
}

// completions returns the words that may follow a command: the commands below it and its flags.
func completions(cmd *ffcli.Command) (words []string) {
	for _, sub := range cmd.Subcommands {
		words = append(words, sub.Name)
	}
	for _, name := range flagNames(cmd.FlagSet) {
		words = append(words, "-"+name)
	}
	return words
}

// takesValue reports whether a value follows a flag; a switch has none.
func takesValue(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return !ok || !b.IsBoolFlag()
}

func fishQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}
