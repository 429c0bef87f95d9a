// Package probe says what a paying client would meet at an address: how it asks for payment, what departs from the specifications, and which
// clients would stumble over it. It pays nothing.
package probe

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
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

// A Family is a kind of client, and what it would do.
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
	r.Findings = append(r.Findings, Finding{Level: level, Check: check, Message: plain(fmt.Sprintf(format, args...)), Reference: reference})
}

// expect adds a finding that is OK when ok, and else one of a level.
func (r *Report) expect(ok bool, level Level, check, reference, good, bad string, args ...any) {
	if ok {
		r.add(OK, check, "", "%s", good)
		return
	}
	r.add(level, check, reference, bad, args...)
}

// plain keeps what a server sent from reaching a terminal as commands.
func plain(s string) string {
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

// WriteText writes the report for people. What is in order is only shown when all is true.
func (r *Report) WriteText(w io.Writer, all bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", plain(r.URL))
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
