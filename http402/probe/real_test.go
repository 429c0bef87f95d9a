package probe_test

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.almanac.example/http402/probe"
)

// npmBuyer returns the folder of mppx that .ci/setup-buyer.sh installs. Package parttest is of the program's module.
func npmBuyer(t *testing.T) string {
	t.Helper()
	if os.Getenv("ALMANAC_REAL") == "" {
		t.Skip("runs with mppx: ALMANAC_REAL=1 runs it")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cmp.Or(os.Getenv("ALMANAC_CACHE"), filepath.Join(home, ".cache", "almanac")), "npm-buyer")
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "mppx")); err != nil {
		t.Fatalf("%v: run .ci/setup-buyer.sh", err)
	}
	return dir
}

// validate returns what "mppx validate" says against the challenge and the answers to wrong credentials.
func validate(t *testing.T, dir, url string) (failed []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", filepath.Join("node_modules", "mppx", "dist", "bin.js"), "validate", url, "-e", "GET:/paid", "--output-json")
	cmd.Dir = dir
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	type checks []struct{ Label, Severity, Detail string }
	var report struct {
		Endpoints []struct{ Challenge, ErrorHandling checks }
	}
	if err := json.Unmarshal(out.Bytes(), &report); err != nil || len(report.Endpoints) != 1 {
		t.Fatalf("%v\n%s", err, &out)
	}
	for _, c := range slices.Concat(report.Endpoints[0].Challenge, report.Endpoints[0].ErrorHandling) {
		if c.Severity == "fail" || c.Severity == "warn" {
			failed = append(failed, c.Label)
		}
	}
	return failed
}

// TestMppxValidate: of a seller by Payment, this probe and the validator of the reference implementation say the same: neither finds a fault in what is
// in order, and each finds what was broken.
func TestMppxValidate(t *testing.T) {
	dir := npmBuyer(t)
	only := func(s *stub, more func(header string) string) {
		s.values = func(inv string, hash [32]byte) []string { return []string{more(paymentHeader(100, inv, hash, ""))} }
	}
	same := func(h string) string { return h }
	for _, tt := range []struct {
		name string
		edit func(*stub)
		good bool
	}{
		{"in order", func(s *stub) { only(s, same) }, true},
		{"no id", func(s *stub) {
			only(s, func(h string) string { return "Payment " + h[strings.Index(h, "realm="):] })
		}, false},
		{"no realm", func(s *stub) {
			only(s, func(h string) string { return strings.Replace(h, `realm="127.0.0.1", `, "", 1) })
		}, false},
		{"another realm", func(s *stub) {
			only(s, func(h string) string { return strings.Replace(h, `127.0.0.1`, "shop.example", 1) })
		}, false},
		{"expired", func(s *stub) {
			only(s, func(h string) string { return h[:strings.Index(h, "expires=")] + `expires="2020-01-01T00:00:00Z"` })
		}, false},
		{"request not JSON", func(s *stub) {
			s.values = func(string, [32]byte) []string {
				return []string{`Payment id="0123456789012345678901", realm="127.0.0.1", method="lightning", intent="charge", request="` + base64.RawURLEncoding.EncodeToString([]byte("nonsense")) +
					`", expires="` + time.Now().Add(time.Minute).UTC().Format(time.RFC3339) + `"`}
			}
		}, false},
		{"an error for a wrong credential", func(s *stub) {
			only(s, same)
			s.status = func(r *http.Request) int {
				if r.Header.Get("Authorization") != "" {
					return 500
				}
				return 0
			}
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStub(t)
			tt.edit(s)
			srv := httptest.NewServer(s)
			defer srv.Close()
			theirs := validate(t, dir, srv.URL)
			report, err := (&probe.Probe{}).Run(t.Context(), srv.URL+"/paid")
			if err != nil {
				t.Fatal(err)
			}
			ours := checks(report, probe.Fault, probe.Warn)
			if (len(ours) == 0) != tt.good || (len(theirs) == 0) != tt.good {
				t.Errorf("this probe says %v, mppx %v; want both clean: %v", ours, theirs, tt.good)
			}
		})
	}
}
