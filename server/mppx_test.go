package server

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.almanac.example/internal/parttest"
	"go.almanac.example/server/servertest"
)

// cached returns a folder of clients from npm.
func cached(t *testing.T, name, script string) string {
	t.Helper()
	parttest.Program(t, "node", script)
	return filepath.Dir(parttest.Cached(t, script, name, "node_modules"))
}

// run runs a program of Node, and returns what it prints.
func run(t *testing.T, dir, stdin string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) || out.Len() == 0 {
		t.Fatalf("%v: %s%s", err, &out, &errs)
	}
	return out.Bytes()
}

// TestMppxValidate: the validator of the reference implementation of the scheme Payment finds the paid interface by
// discovery, and all of its 13 checks pass for a client that says that it knows the scheme. For others L402 comes
// first, which that validator calls no endpoint of its own; nothing that it checks then fails, and what discovery
// offers is in the answer.
func TestMppxValidate(t *testing.T) {
	dir := cached(t, "npm-buyer", "setup-buyer.sh")
	s := newService(t, testConfig(t))
	type check struct{ Label, Severity, Detail string }
	validate := func(more ...string) (passed int, others []check) {
		args := append([]string{filepath.Join("node_modules", "mppx", "dist", "bin.js"), "validate", s.URL, "--output-json"}, more...)
		report := servertest.Decode[struct {
			Discovery struct{ Checks []check }
			Endpoints []struct{ Challenge, ErrorHandling []check }
		}](t, run(t, dir, "", args...))
		all := report.Discovery.Checks
		for _, e := range report.Endpoints {
			all = append(append(all, e.Challenge...), e.ErrorHandling...)
		}
		for _, c := range all {
			if c.Severity == "pass" {
				passed++
			} else {
				others = append(others, c)
			}
		}
		return passed, others
	}
	if passed, others := validate("-H", "Accept-Payment: lightning/charge"); passed != 13 || len(others) > 0 {
		t.Errorf("%d checks passed, want 13; %+v", passed, others)
	}
	passed, others := validate()
	if passed != 5 || len(others) != 1 || others[0].Severity != "skip" {
		t.Errorf("without Accept-Payment: %d checks passed, want 5, and one skipped: %+v", passed, others)
	}
	wantOfferAsDiscovered(s)
}

// wantOfferAsDiscovered compares what discovery offers with the challenge of a plain request.
func wantOfferAsDiscovered(s *servertest.Client) {
	s.T.Helper()
	_, body := s.Do("GET", "/openapi.json", "")
	type offer struct{ Intent, Method, Amount, Currency string }
	doc := servertest.Decode[struct {
		Paths map[string]struct {
			Get struct {
				Payment struct{ Offers []offer } `json:"x-payment-info"`
			}
		}
	}](s.T, body)
	offers := doc.Paths["/v1/search"].Get.Payment.Offers
	res, _ := s.Do("GET", "/v1/search?q=macaroon", "")
	values := res.Header.Values("WWW-Authenticate")
	if len(offers) != 1 || len(values) != 2 {
		s.T.Fatalf("offers %+v, challenges %q", offers, values)
	}
	params := paymentParams(s.T, values[1])
	request := servertest.Decode[offer](s.T, params.request)
	request.Intent, request.Method = params.intent, params.method
	if request != offers[0] {
		s.T.Errorf("discovery offers %+v, the challenge %+v", offers[0], request)
	}
}

// TestMppxBuys: the client of the reference implementation buys over HTTP and MCP, in both eras, and reads the
// receipts.
func TestMppxBuys(t *testing.T) {
	dir, sdks := cached(t, "npm-buyer", "setup-buyer.sh"), cached(t, "npm-mcp", "setup-mcp.sh")
	script, err := os.ReadFile("testdata/mppx.mjs")
	if err != nil {
		t.Fatal(err)
	}
	s := newService(t, testConfig(t))
	var got struct {
		HTTP struct {
			Status           int
			Balance, Receipt string
		}
		MCP map[string]struct {
			Failed                 bool
			Text, Receipt, Version string
		}
		Payments int
	}
	if err := json.Unmarshal(run(t, dir, string(script), "--input-type=module", "-", s.URL, sdks), &got); err != nil {
		t.Fatal(err)
	}
	if got.HTTP.Status != 200 || got.HTTP.Balance != "99" || got.HTTP.Receipt != "success" || got.Payments != 4 || len(got.MCP) != 3 {
		t.Errorf("%+v", got)
	}
	for name, m := range got.MCP {
		if m.Failed || m.Receipt != "success" || !strings.Contains(m.Text, `"left":99`) {
			t.Errorf("%s: %+v", name, m)
		}
	}
	if v := got.MCP["v2"].Version; v != "2026-07-28" {
		t.Errorf("the newer client speaks %q", v)
	}
}

// paymentParams takes apart a challenge of the scheme Payment.
func paymentParams(t testing.TB, header string) (p struct {
	method, intent string
	request        []byte
}) {
	t.Helper()
	value := func(name string) string {
		_, rest, _ := strings.Cut(header, " "+name+`="`)
		text, _, ok := strings.Cut(rest, `"`)
		if !ok || !strings.HasPrefix(header, "Payment ") {
			t.Fatalf("no %s in %q", name, header)
		}
		return text
	}
	p.method, p.intent = value("method"), value("intent")
	var err error
	if p.request, err = base64.RawURLEncoding.DecodeString(value("request")); err != nil {
		t.Fatal(err)
	}
	return p
}
