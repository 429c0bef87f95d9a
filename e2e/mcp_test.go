package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.almanac.example/internal/parttest"
	"go.almanac.example/server/servertest"
)

// npmMCP returns the folder of the MCP clients that .ci/setup-mcp.sh installs.
func npmMCP(t *testing.T) string {
	t.Helper()
	parttest.Cached(t, "setup-mcp.sh", "npm-mcp", "node_modules", ".bin", "node")
	return parttest.Cached(t, "setup-mcp.sh", "npm-mcp")
}

// host runs a script with Node, which starts this program as "almanac mcp", and returns its output.
func (s *shopper) host(stdin []byte, args ...string) []byte {
	s.t.Helper()
	dir := npmMCP(s.t)
	ctx, cancel := context.WithTimeout(s.t.Context(), servertest.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "node_modules", ".bin", "node"), args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), s.env...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &out, &errs
	if err := cmd.Run(); err != nil {
		s.t.Fatalf("%v: %v\n%s%s", args, err, out.String(), errs.String())
	}
	return out.Bytes()
}

// A run of a host is what a model would see.
type hostRun struct {
	Tools, Arguments []string
	Resources        int
	Free             bool
	Searches         []struct {
		Failed    bool
		Text, All string
	}
	Asked []string
}

// TestMCP: hosts of the TypeScript SDKs start the bridge, search, and are paid for within the budget; above it, and
// when the user says no, they are told why.
func TestMCP(t *testing.T) {
	npmMCP(t)
	script, err := os.ReadFile("testdata/stdio.mjs")
	if err != nil {
		t.Fatal(err)
	}
	for _, sdk := range []string{"v1", "v2"} {
		run := func(t *testing.T, flags ...string) hostRun {
			t.Helper()
			p := startServe(t) // challenges are limited in number
			s := newShopper(t, "ALMANAC_WALLET=demo:"+p.base)
			args := append([]string{"--input-type=module", "-", sdk, program, "mcp", p.base}, flags...)
			var r hostRun
			if err := json.Unmarshal(s.host(script, args...), &r); err != nil || len(r.Searches) != 2 {
				t.Fatalf("%v, %+v", err, r)
			}
			for _, search := range r.Searches { // invoices, and macaroons of this service
				for _, secret := range []string{"lnbcrt", `macaroon=\"Ag`, "AgE", "L402 Ag"} {
					if strings.Contains(search.All, secret) {
						t.Errorf("the model sees %q: %s", secret, search.All)
					}
				}
			}
			if !r.Free || r.Resources == 0 || len(r.Tools) < 7 || strings.Contains(strings.Join(r.Arguments, " "), "l402") {
				t.Errorf("saw %+v", r)
			}
			return r
		}
		t.Run(sdk+" within the budget", func(t *testing.T) {
			r := run(t, "-max-day", "1000")
			if s := r.Searches[0]; s.Failed || !strings.Contains(s.Text, "100 sat were paid for this. 99 requests are left") || !strings.Contains(s.Text, "Spent today: 100 sat of 1000 sat.") {
				t.Errorf("first: %s", s.Text)
			}
			if s := r.Searches[1]; s.Failed || strings.Contains(s.Text, "paid for this") || !strings.Contains(s.Text, "98 requests are left") {
				t.Errorf("second: %s", s.Text)
			}
		})
		t.Run(sdk+" above the budget", func(t *testing.T) {
			for _, s := range run(t, "-max-cost", "99").Searches {
				if !s.Failed || !strings.Contains(s.Text, "not paid: the invoice is for 100 sat, but one payment may cost 99 sat") {
					t.Errorf("%s", s.Text)
				}
			}
		})
		t.Run(sdk+" when the user says no", func(t *testing.T) {
			r := run(t, "-ask-above", "50")
			if len(r.Asked) != 2 || !strings.Contains(r.Asked[0], "Pay 100 sat to localhost") || !r.Searches[0].Failed || !strings.Contains(r.Searches[0].Text, "does not want to pay") {
				t.Errorf("%+v", r)
			}
		})
	}
}
