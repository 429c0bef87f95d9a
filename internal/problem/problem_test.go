package problem

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestTable: every code has one row, every row a code of its own that is declared as a constant, and nothing is empty.
func TestTable(t *testing.T) {
	declared := declaredCodes(t)
	seen := make(map[Code]bool)
	for _, d := range Table("https://almanac.example/trust/#") {
		if seen[d.Code] {
			t.Errorf("%s has two rows", d.Code)
		}
		seen[d.Code] = true
		if !declared[d.Code] {
			t.Errorf("%s is not declared as a constant", d.Code)
		}
		if d.Status < 400 || d.Status > 599 || d.Title == "" || !strings.HasSuffix(d.Remedy, ".") {
			t.Errorf("%s: %+v", d.Code, d)
		}
		if d.URL != "https://almanac.example/trust/#"+string(d.Code) {
			t.Errorf("%s: URL %s", d.Code, d.URL)
		}
		if (d.PaymentType != "") != (d.Status == 402) {
			t.Errorf("%s has status %d and the type %q of the scheme Payment", d.Code, d.Status, d.PaymentType)
		}
		if got, ok := Lookup(d.Code); !ok || got.Title != d.Title || got.URL != "" {
			t.Errorf("Lookup(%s): %+v", d.Code, got)
		}
	}
	for code := range declared {
		if !seen[code] {
			t.Errorf("%s has no row", code)
		}
	}
	if _, ok := Lookup("nosuch"); ok {
		t.Error("a code that is not in the table is found")
	}
}

// declaredCodes returns the values of the constants of type Code.
func declaredCodes(t *testing.T) map[Code]bool {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "code.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	codes := make(map[Code]bool)
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if id, ok := spec.Type.(*ast.Ident); ok && id.Name == "Code" {
			for _, v := range spec.Values {
				s, err := strconv.Unquote(v.(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				codes[Code(s)] = true
			}
		}
		return true
	})
	if len(codes) < 30 {
		t.Fatalf("found %d constants", len(codes))
	}
	return codes
}

func TestFromError(t *testing.T) {
	known := Errorf(QueryInvalid, "q has %d characters", 300)
	cause := errors.New("disk full")
	for _, tt := range []struct {
		name string
		err  error
		code Code
	}{
		{"a problem", known, QueryInvalid},
		{"a wrapped problem", fmt.Errorf("search: %w", known), QueryInvalid},
		{"another error", cause, Internal},
		{"an unknown code", &Problem{Code: "nosuch", Err: cause}, Internal},
		{"nothing", nil, Internal},
	} {
		p := FromError(tt.err)
		if p.Code != tt.code {
			t.Errorf("%s: %s, want %s", tt.name, p.Code, tt.code)
		}
		if tt.code == Internal && tt.err != nil && !errors.Is(p, cause) {
			t.Errorf("%s: %v does not wrap the cause", tt.name, p)
		}
	}
}

func TestProblem(t *testing.T) {
	p := &Problem{Code: LedgerUnavailable, Detail: "Wait.", Err: errors.New("locked")}
	if got, want := p.Error(), "ledger_unavailable: Wait.: locked"; got != want {
		t.Errorf("Error: %q, want %q", got, want)
	}
	d, _ := Lookup(LedgerUnavailable)
	if p.Status() != d.Status || p.Title() != d.Title || p.Sentence() != "Wait." || p.Wait() != d.RetryAfter {
		t.Errorf("%d %q %q %v", p.Status(), p.Title(), p.Sentence(), p.Wait())
	}
	p.Detail, p.RetryAfter = "", time.Minute
	if p.Sentence() != d.Remedy || p.Wait() != time.Minute {
		t.Errorf("%q %v", p.Sentence(), p.Wait())
	}
	if New(NotFound).Wait() != 0 {
		t.Error("not_found can be waited for")
	}
}

// TestForPayment: clients of the scheme Payment read the type that they know, where there is one, and the same problem otherwise.
func TestForPayment(t *testing.T) {
	for code, want := range map[Code]string{PaymentUnproven: PaymentBase + "lightning/invalid-preimage", QueryMissing: "base/#query_missing"} {
		p := Errorf(code, "Because.")
		b := p.ForPayment().Document("base/#", nil)
		var doc struct {
			Type, Detail string
			Code         Code
		}
		if err := json.Unmarshal(b, &doc); err != nil || doc.Type != want || doc.Detail != "Because." || doc.Code != code || p.Type != "" {
			t.Errorf("%s: %s, %+v, %v", code, b, p, err)
		}
	}
}
