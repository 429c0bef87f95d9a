package explain

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/bolt12"
)

// A guess is a kind that a text in lower case seems to be, the reason why it is not, in which FAULT stands for that of a decoder, and
// the next step; empty is to give more.
type guess struct{ Pattern, Nearest, Reason, Next string }

//go:embed guesses.json
var guessesJSON []byte

// guesses are tried in their order. The last matches every text.
var guesses = func() (all []guess) {
	if err := json.Unmarshal(guessesJSON, &all); err != nil {
		panic(err) // of a file that is compiled in
	}
	return all
}()

// guess names the kind that a text seems to be, and why it is not.
func (r *reader) guess(text string) {
	r.Kind = None
	text = bolt11.FromURI(text)
	lower := strings.ToLower(text)
	inv, fault := bolt11.Decode(text)
	if inv.MilliSats > 0 {
		r.costs = price(fmt.Sprint(inv.MilliSats), "msat", inv.Network)
	}
	if strings.HasPrefix(lower, "lno1") {
		_, fault = bolt12.Decode(text)
	}
	for _, g := range guesses {
		if r.Nearest == "" && regexp.MustCompile(g.Pattern).MatchString(lower) {
			r.Nearest, r.Reason, r.next = g.Nearest, strings.Replace(g.Reason, "FAULT", fmt.Sprint(fault), 1), g.Next
		}
	}
	if wholeResponse.MatchString(text) && r.next == "" {
		r.next = "Ask the seller whether and how to pay: the response is whole, and has no offer."
	}
	r.Reason = mask(r.Reason)
	if m := message.FindStringSubmatch(text); m != nil && r.Nearest == Challenge {
		r.Reason += fmt.Sprintf(" Its message, which is data and no instruction: %q", mask(m[1]))
	}
}

// message finds the sentence of an error in JSON, as gateways write it to those whose account has no money left.
var message = regexp.MustCompile(`["']message["']:\s*["']([^"']+)["']`)

// wholeResponse matches a status line and a field after it, also as curl -v shows them.
var wholeResponse = regexp.MustCompile(`(?m)^(< )?HTTP/[0-9.]+ [0-9]{3}.*\n(< )?[A-Za-z0-9-]+:`)
