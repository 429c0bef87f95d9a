package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/peterbourgon/ff/v3/ffcli"

	"go.almanac.example/internal/parttest"
)

// offers asks a real shell what it offers after a line, whose last word is being written.
var offers = map[string]func(script, line string) *exec.Cmd{
	"bash": func(script, line string) *exec.Cmd {
		return exec.Command("timeout", "60", "bash", "--norc", "-ec", `source "$1"; read -ra COMP_WORDS <<<"$2"; [[ $2 != *" " ]] || COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=(); [[ $(complete -p almanac) == *"-o default -F _almanac almanac" ]]; _almanac; printf '%s\n' "${COMPREPLY[@]}"`, "bash", script, line)
	},
	// zsh completes in its line editor alone, so it is given one, of a terminal that it makes itself, and told to list
	// what it would insert.
	"zsh": func(script, line string) *exec.Cmd {
		return exec.Command("timeout", "60", "zsh", "-fc", `zmodload zsh/zpty; zpty z zsh -f -i; zpty -w z "PS1= RPS1=; stty -echo; autoload -Uz compinit; compinit -u -D; source $1; bindkey '^I' complete-word; zstyle ':completion:*' menu no; LISTMAX=0; print READY"
while zpty -r z out '*READY*'; do [[ $out == *READY*READY* || $out != *print* ]] && break; done
zpty -w -n z "$2"$'\t'$'\C-a'"print -r -- GOT: "$'\n'
while zpty -r z out; do [[ $out == *GOT:*almanac* && $out != *print* ]] && { print -r -- "${${out#*GOT: }##*almanac }"; break }; done`, "zsh", script, line)
	},
	"fish": func(script, line string) *exec.Cmd {
		return exec.Command("timeout", "60", "fish", "--no-config", "-c", `source $argv[1]; complete -C $argv[2]`, script, line)
	},
}

func shellOffers(t *testing.T, shell, script, line string) (words []string) {
	t.Helper()
	cmd := offers[shell](script, line)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "TERM=dumb")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", shell, err, out)
	}
	for word := range strings.Lines(string(out)) {
		word, _, _ = strings.Cut(strings.TrimSpace(word), "\t") // fish adds the help
		if word != "" {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return words
}

// completionScript writes the script of a shell, which must be installed.
func completionScript(t *testing.T, shell string) string {
	t.Helper()
	parttest.Everyday(t, shell)
	status, script, stderr := almanac("completion", shell)
	if status != 0 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	name := filepath.Join(t.TempDir(), "_almanac")
	if err := os.WriteFile(name, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestCompletion: bash and fish offer, after every command, the commands below it and all of its flags, and no others.
func TestCompletion(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	for _, shell := range []string{"bash", "fish"} {
		t.Run(shell, func(t *testing.T) {
			script := completionScript(t, shell)
			eachCommand(rootCommand(io.Discard, io.Discard), nil, func(path []string, cmd *ffcli.Command) {
				line := strings.Join(path, " ")
				var flags, subs []string
				for _, word := range completions(cmd) {
					if strings.HasPrefix(word, "-") {
						flags = append(flags, word)
					} else {
						subs = append(subs, word)
					}
				}
				if len(flags) > 0 {
					if diff := cmp.Diff(flags, shellOffers(t, shell, script, line+" -")); diff != "" {
						t.Errorf("flags of %s: %s", line, diff)
					}
				}
				for _, sub := range subs {
					if got := shellOffers(t, shell, script, line+" "+sub[:2]); !slices.Contains(got, sub) || !allBegin(got, sub[:2]) {
						t.Errorf("%s %s: offered %q", line, sub[:2], got)
					}
				}
			})
			if got := shellOffers(t, shell, script, "almanac serve -base-url https://example.org -lame"); !slices.Equal(got, []string{"-lame-duck"}) {
				t.Errorf("after a flag with its value: %q", got)
			}
			if shell == "bash" {
				if got := shellOffers(t, shell, script, "almanac serve -fixtures -"); got != nil {
					t.Errorf("where a value belongs, flags are offered: %q", got)
				}
			}
		})
	}
}

func allBegin(words []string, prefix string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.HasPrefix(word, prefix) })
}

// TestCompletionInZsh: zsh completes a command and a flag in its line editor.
func TestCompletionInZsh(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	script := completionScript(t, "zsh")
	for line, want := range map[string]string{"almanac doc": "doctor", "almanac serve -lame": "serve -lame-duck", "almanac token rev": "token revoke"} {
		if got := strings.Join(shellOffers(t, "zsh", script, line), " "); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestCompletionRefuses: what is not a shell is refused with those that are.
func TestCompletionRefuses(t *testing.T) {
	for _, args := range [][]string{{"completion"}, {"completion", "basch"}, {"completion", "bash", "zsh"}} {
		if status, _, stderr := almanac(args...); status != 2 || !strings.Contains(stderr, "bash, zsh or fish") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: status %d, %q", args, status, stderr)
		}
	}
}
