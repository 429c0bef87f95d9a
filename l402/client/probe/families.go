package probe

import (
	"encoding/json"
	"regexp"
	"strings"

	"almanac/l402/client/challenge"
)

// adjacent is what clients look for that read L402 with a pattern instead of the grammar.
var adjacent = regexp.MustCompile(`(?i)(?:L402|LSAT) macaroon="[^"]+",\s*invoice="[^"]+"`)

// firstAdjacent is what the clients of Lightning Labs look for in the first line.
var firstAdjacent = regexp.MustCompile(`(?i)^(?:L402|LSAT) macaroon="[^"]+", invoice="[^"]+"`)

// families returns what each kind of client would do with a 402. It was measured with the clients named.
func families(a *answer) []Family {
	values := a.header["Www-Authenticate"]
	joined := strings.Join(values, ", ")
	found, _ := challenge.Parse(values)
	has := func(schemes ...string) bool {
		for _, c := range found {
			for _, s := range schemes {
				if c.Scheme == s {
					return true
				}
			}
		}
		return false
	}
	l402, payment := has(challenge.L402, challenge.LSAT), has(challenge.Payment)
	first := ""
	if len(values) > 0 {
		first = values[0]
	}
	var body struct{ Macaroon, Invoice string }
	if json.Unmarshal(a.body, &body) != nil {
		body.Macaroon = ""
	}
	pick := func(ok bool, good, bad string) (bool, string) {
		if ok {
			return true, good
		}
		return false, bad
	}
	list := make([]Family, 0, 8)
	add := func(name string, ok bool, good, bad string) {
		pays, how := pick(ok, good, bad)
		list = append(list, Family{name, pays, how})
	}
	add("this buyer", l402 || payment, "reads every challenge", "finds no challenge that it can read")
	add("Alby's fetch402", l402 || payment, "pays by what stands first", "finds no challenge that it can read")
	add("Alby's fetchWithL402", l402, "pays by L402", "there is no L402 challenge")
	add("Alby's fetchWithMpp, mppx validate", strings.HasPrefix(strings.ToLower(joined), "payment "), "pays by Payment", "Payment does not stand first")
	add("mppx", payment, "finds Payment in the list", "there is no Payment challenge")
	add("lnget, aperture's client", firstAdjacent.MatchString(first) || strings.HasPrefix(strings.ToLower(first), "payment ") && payment, "reads the first line",
		"the first line is not L402 with the macaroon first and the invoice right after it")
	add("clients that read by a pattern (l402-requests, 402-mcp, cashu-l402)", adjacent.MatchString(joined), "find macaroon and invoice side by side", "macaroon and invoice do not stand side by side, in this order")
	add("clients that read the body (l402-kit)", body.Macaroon != "" && body.Invoice != "", "find macaroon and invoice in the body", "the body has no members macaroon and invoice")
	return list
}
