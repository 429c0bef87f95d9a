// Package probe examines an address as a paying client would: how it asks for payment, what departs from the
// specifications, and what measured clients did with such an answer. It pays nothing.
package probe

import (
	"fmt"
	"io"
	"strings"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/http402/shape"
)

// A Level is how grave a finding is.
type Level string

// The levels of a finding.
const (
	Note  Level = "note"  // worth knowing
	Warn  Level = "warn"  // some clients stumble
	Fault Level = "fault" // against a specification, or against the buyer
)

// A Finding is something that was found. What is in order is not.
type Finding struct {
	Level     Level  `json:"level"`
	Check     string `json:"check"` // its name, which stays the same, such as "payment.request.canonical"
	Message   string `json:"message"`
	Reference string `json:"reference,omitempty"` // the specification and its section
}

// A Report is everything that was found.
type Report struct {
	URL      string    `json:"url"`
	Faults   int       `json:"faults"`
	Warnings int       `json:"warnings"`
	Findings []Finding `json:"findings"`

	// Clients have what real clients did with an answer of this shape, or that it was not measured.
	Clients []shape.Prediction `json:"clients,omitempty"`
}

func (r *Report) add(level Level, check, reference, format string, args ...any) {
	switch level {
	case Fault:
		r.Faults++
	case Warn:
		r.Warnings++
	}
	r.Findings = append(r.Findings, Finding{Level: level, Check: check, Message: challenge.Plain(fmt.Sprintf(format, args...)),
		Reference: reference})
}

// unless adds a finding where something is not ok.
func (r *Report) unless(ok bool, level Level, check, reference, format string, args ...any) {
	if !ok {
		r.add(level, check, reference, format, args...)
	}
}

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", challenge.Plain(r.URL))
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "  %-5s  %s", f.Level, f.Message)
		if f.Reference != "" {
			fmt.Fprintf(&b, " (%s)", f.Reference)
		}
		b.WriteByte('\n')
	}
	if len(r.Clients) > 0 {
		b.WriteString("\nClients that were measured with an answer of this shape:\n")
		for _, result := range []string{shape.Pays, shape.Refuses, shape.Stuck, shape.PaysWrongly, shape.NotMeasured} {
			if clients := shape.Clients(r.Clients, result); clients != nil {
				fmt.Fprintf(&b, "  %s: %s\n", result, strings.Join(clients, ", "))
			}
		}
	}
	fmt.Fprintf(&b, "\nfaults: %d, warnings: %d\n", r.Faults, r.Warnings)
	_, err := io.WriteString(w, b.String())
	return err
}

// The references of findings.
const (
	refL402      = "L402, protocol-specification.md"
	refPayment   = "draft-httpauth-payment, section 5"
	refErrors    = "draft-httpauth-payment, Error Responses"
	refLightning = "draft-lightning-charge, section 6"
	refBolt11    = "BOLT 11"
	refCaching   = "draft-httpauth-payment, section 11; RFC 9111, section 5.2.2.5"
	refCORS      = "Fetch, CORS-exposed header names"
	refX402      = "x402, transports-v2/http.md"
)
