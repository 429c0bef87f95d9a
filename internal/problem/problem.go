// Package problem has the one table of the ways in which a request can fail, and writes a failure for each interface:
// HTTP (RFC 9457), gRPC and JSON-RPC. A handler returns an error; the one writer around it turns a Problem into its
// code's status, title and remedy, and every other error into "internal", whose cause is logged and never sent.
package problem

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"
)

// A Problem is a failure as its caller sees it.
type Problem struct {
	Code       Code           // one of the table
	Detail     string         // the fault and its remedy, in a sentence; "" means the table's remedy
	Type       string         // of the problem document; "" means the code's section in the trust checklist
	Extensions map[string]any // further members of the problem document
	Link       string         // over HTTP, the header Link; "" for none
	RetryAfter time.Duration  // when to try again; 0 means the time in the table
	Err        error          // the cause, which is logged and never sent
}

// New returns a problem that the table describes well enough.
func New(code Code) *Problem { return &Problem{Code: code} }

// Errorf returns a problem with a detail.
func Errorf(code Code, format string, args ...any) *Problem {
	return &Problem{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// Wrap returns a problem with a cause.
func Wrap(code Code, err error) *Problem { return &Problem{Code: code, Err: err} }

// FromError returns the problem that err is or wraps. Any other error, and a problem whose code is not in the table, is
// returned as the cause of an internal one.
func FromError(err error) *Problem {
	p, ok := errors.AsType[*Problem](err)
	if !ok {
		return Wrap(Internal, err)
	}
	if _, ok := Lookup(p.Code); !ok {
		return Wrap(Internal, fmt.Errorf("code %q is not in the table: %w", p.Code, err))
	}
	return p
}

// Error returns the code, the detail and the cause, for logs.
func (p *Problem) Error() string {
	s := string(p.Code)
	if p.Detail != "" {
		s += ": " + p.Detail
	}
	if p.Err != nil {
		s += ": " + p.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Err }

// Status returns the HTTP status of the code; 0 when the code is not in the table.
func (p *Problem) Status() int { return p.definition().Status }

// Title returns the title of the code.
func (p *Problem) Title() string { return p.definition().Title }

// PaidAlready is for the holder of a credential that can be corrected: to pay again would help nobody.
const PaidAlready = "You seem to have paid already: do not pay again, but correct the credential."

// Correctable reports whether p refuses a credential that its holder can correct.
func (p *Problem) Correctable() bool { return p.definition().Correctable }

// ForPayment returns p with the type that clients of the scheme Payment know, if they know one.
func (p *Problem) ForPayment() *Problem {
	known := p.definition().PaymentType
	if known == "" {
		return p
	}
	typed := *p
	typed.Type = PaymentBase + known
	return &typed
}

// Shorten returns the beginning of a client's text for a message: at most so many bytes, and "…" where it is cut.
func Shorten(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// Sentence returns the detail, or else the table's remedy.
func (p *Problem) Sentence() string { return cmp.Or(p.Detail, p.definition().Remedy) }

// Wait returns how long the caller should wait before it tries again; 0 when nobody can say.
func (p *Problem) Wait() time.Duration {
	return cmp.Or(max(p.RetryAfter, 0), p.definition().RetryAfter)
}

func (p *Problem) definition() Definition {
	d, _ := Lookup(p.Code)
	return d
}

// An RPCError is the error member of a JSON-RPC response.
type RPCError struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// RPCData is the data of an RPCError of the table: the problem for programs.
type RPCData struct {
	Code Code   `json:"code"`
	Type string `json:"type"` // address that explains the code
}

// JSONRPC returns p as a JSON-RPC error. Its code is the HTTP status, which lies outside the numbers that JSON-RPC and
// MCP reserve; its type is base followed by the code of the table.
func (p *Problem) JSONRPC(base string) RPCError {
	return RPCError{
		Code: int64(p.Status()), Message: p.Title() + ". " + p.Sentence(),
		Data: RPCData{Code: p.Code, Type: base + string(p.Code)},
	}
}
