// Package requests sends to a seller the requests that a client may send, paid and unpaid, well formed and not, and
// says where its answers depart from the specifications of L402 and Payment.
package requests

import (
	"encoding/json"
	"fmt"
	"io/fs"

	"go.almanac.example/http402/testvectors"
)

// A Request is what one client does with the challenge of a seller: one step, or several after another.
type Request struct {
	ID      string               `json:"id"`
	Title   string               `json:"title"`
	Scheme  string               `json:"scheme"` // l402 or payment
	Level   string               `json:"level"`  // must or should
	Steps   []Step               `json:"steps"`
	Clauses []testvectors.Clause `json:"clauses"`
}

// A Step is one HTTP request, or the same one several times at once.
type Step struct {
	Method     string      `json:"method"`     // GET, unless given
	Headers    [][2]string `json:"headers"`    // with placeholders
	Parallel   int         `json:"parallel"`   // so many at once: exactly one is served, the others as in Expect
	Wait       bool        `json:"wait"`       // until the challenge has expired
	Expect     []string    `json:"expect"`     // the outcomes that the clauses allow
	Properties []string    `json:"properties"` // of the answer
}

// The outcomes of a step.
const (
	served       = "served"       // 2xx
	challenged   = "challenged"   // 402 with a challenge of the scheme
	unchallenged = "unchallenged" // 402 without
	unauthorized = "unauthorized" // 401
	rejected     = "rejected"     // 400, 413, 414 or 431
	closed       = "closed"       // no answer
)

// All returns every request, those of L402 first.
func All() ([]Request, error) {
	var all []Request
	files, err := fs.Glob(testvectors.Requests, "402/requests/*.json")
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		f, err := testvectors.Requests.Open(name)
		if err != nil {
			return nil, err
		}
		d := json.NewDecoder(f)
		d.DisallowUnknownFields()
		var some []Request
		if err := d.Decode(&some); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		all = append(all, some...)
	}
	return all, nil
}
