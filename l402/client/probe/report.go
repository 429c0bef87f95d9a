// Package probe examines an address as a paying client would: how it asks for payment, what departs from the
// specifications, and which clients would stumble over it. It pays nothing.
package probe

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"

	"almanac/l402/client/challenge"
)

// A Level is how grave a finding is.
type Level string

// The levels of a finding.
const (
	OK    Level = "ok"
	Note  Level = "note"  // worth knowing
	Warn  Level = "warn"  // some clients stumble
	Fault Level = "fault" // against a specification, or against the buyer
)

// A Finding is one thing that was looked at.
type Finding struct {
	Level     Level  `json:"level"`
	Check     string `json:"check"` // its name, which stays the same, such as "payment.request.canonical"
	Message   string `json:"message"`
	Reference string `json:"reference,omitempty"` // the specification and its section
}

// A Family is a kind of client and its behaviour.
type Family struct {
	Name string `json:"name"`
	Pays bool   `json:"pays"`
	How  string `json:"how"` // or why not
}

// A Report is everything that was found.
type Report struct {
	URL      string    `json:"url"`
	Faults   int       `json:"faults"`
	Warnings int       `json:"warnings"`
	Findings []Finding `json:"findings"`
	Families []Family  `json:"families,omitempty"`
}

func (r *Report) add(level Level, check, reference, format string, args ...any) {
	switch level {
	case Fault:
		r.Faults++
	case Warn:
		r.Warnings++
	}
	r.Findings = append(r.Findings, Finding{Level: level, Check: check, Message: Plain(fmt.Sprintf(format, args...)),
		Reference: reference})
}

// expect adds a finding that is OK when ok, and else one of a level.
func (r *Report) expect(ok bool, level Level, check, reference, good, bad string, args ...any) {
	if ok {
		r.add(OK, check, "", "%s", good)
		return
	}
	r.add(level, check, reference, bad, args...)
}

// Plain removes terminal commands from a server's text.
func Plain(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c >= 0x7f && c < 0xa0 {
			return ' '
		}
		return c
	}, s)
}

// WriteJSON writes the report for programs.
func (r *Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// WriteText writes the report for people. Checks that passed are shown only when all is true.
func (r *Report) WriteText(w io.Writer, all bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", Plain(r.URL))
	for _, f := range r.Findings {
		if f.Level == OK && !all {
			continue
		}
		fmt.Fprintf(&b, "  %-5s  %s", f.Level, f.Message)
		if f.Reference != "" {
			fmt.Fprintf(&b, " (%s)", f.Reference)
		}
		b.WriteByte('\n')
	}
	if len(r.Families) > 0 {
		b.WriteString("\nWhat clients would do:\n")
		for _, f := range r.Families {
			verdict := "stuck"
			if f.Pays {
				verdict = "pays"
			}
			fmt.Fprintf(&b, "  %-5s  %s: %s\n", verdict, f.Name, f.How)
		}
	}
	fmt.Fprintf(&b, "\nfaults: %d, warnings: %d\n", r.Faults, r.Warnings)
	_, err := io.WriteString(w, b.String())
	return err
}

// The references of findings.
const (
	refL402       = "L402, protocol-specification.md"
	refMacaroon   = "L402, macaroon-spec.md"
	refPayment    = "draft-httpauth-payment, section 5"
	refLightning  = "draft-lightning-charge, section 6"
	refDiscovery  = "draft-payment-discovery"
	refAuth       = "RFC 9110, section 11"
	refBolt11     = "BOLT 11"
	refCaching    = "draft-httpauth-payment, section 11; RFC 9111, section 5.2.2.5"
	refCORS       = "Fetch, CORS-exposed header names"
	refProblem    = "RFC 9457"
	refX402       = "x402, transports-v2/http.md"
	refMCPPayment = "draft-payment-transport-mcp"
)

// adjacent is the pattern of clients that read L402 without its grammar.
var adjacent = regexp.MustCompile(`(?i)(?:L402|LSAT) macaroon="[^"]+",\s*invoice="[^"]+"`)

// firstAdjacent is the pattern of Lightning Labs' clients, applied to the first line.
var firstAdjacent = regexp.MustCompile(`(?i)^(?:L402|LSAT) macaroon="[^"]+", invoice="[^"]+"`)

// families returns the behaviour of each kind of client at a 402. It was measured with the clients named.
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
	list := make([]Family, 0, 8)
	add := func(name string, pays bool, good, bad string) {
		how := bad
		if pays {
			how = good
		}
		list = append(list, Family{name, pays, how})
	}
	add("this buyer", l402 || payment, "reads every challenge", "finds no challenge that it can read")
	add("Alby's fetch402", l402 || payment, "pays by what stands first", "finds no challenge that it can read")
	add("Alby's fetchWithL402", l402, "pays by L402", "there is no L402 challenge")
	add("Alby's fetchWithMpp, mppx validate", strings.HasPrefix(strings.ToLower(joined), "payment "), "pays by Payment",
		"Payment does not stand first")
	add("mppx", payment, "finds Payment in the list", "there is no Payment challenge")
	add("lnget, aperture's client", firstAdjacent.MatchString(first) ||
		strings.HasPrefix(strings.ToLower(first), "payment ") && payment, "reads the first line",
		"the first line is not L402 with the macaroon first and the invoice right after it")
	add("clients that read by a pattern (l402-requests, 402-mcp, cashu-l402)", adjacent.MatchString(joined),
		"find macaroon and invoice side by side", "macaroon and invoice do not stand side by side, in this order")
	add("clients that read the body (l402-kit)", body.Macaroon != "" && body.Invoice != "",
		"find macaroon and invoice in the body", "the body has no members macaroon and invoice")
	return list
}
