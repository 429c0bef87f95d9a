package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// configFile writes a configuration file and returns its path.
func configFile(t *testing.T, lines ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "almanac.conf")
	if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestConfigFile: a file sets flags by their names; a variable wins over the file, and a flag over both.
func TestConfigFile(t *testing.T) {
	file := configFile(t, "# where", "base-url https://file.example", "", "price 21 # sat", "access-log false", "lame-duck 5s", "credits 7")
	t.Setenv("ALMANAC_PRICE", "22")
	t.Setenv("ALMANAC_CREDITS", "8")
	cfg := configOf(t, "-config", file, "-credits", "9")
	if cfg.Source.BaseURL != "https://file.example" || cfg.AccessLog || cfg.LameDuck != 5*time.Second {
		t.Errorf("the file set base %q, access log %t, lame duck %s", cfg.Source.BaseURL, cfg.AccessLog, cfg.LameDuck)
	}
	if cfg.Source.Terms.PriceSats != 22 || cfg.Source.Terms.Credits != 9 {
		t.Errorf("price %d and credits %d, want 22 of the variable and 9 of the flag", cfg.Source.Terms.PriceSats, cfg.Source.Terms.Credits)
	}
}

// TestOneConfigFile: the commands beside serve take what is theirs from serve's file.
func TestOneConfigFile(t *testing.T) {
	file := configFile(t, "base-url https://example.org", "ledger sqlite:/nowhere/credits.db", "admin localhost:1")
	if status, _, stderr := almanac("token", "list", "-config", file); status != 1 || !strings.Contains(stderr, "/nowhere/credits.db") {
		t.Errorf("token list: status %d, %q", status, stderr)
	}
	if status, _, stderr := almanac("health", "-config", file); status != 1 || !strings.Contains(stderr, "localhost:1/") {
		t.Errorf("health: status %d, %q", status, stderr)
	}
}

// TestUnknownVariables: a variable that sets no flag of any command is refused by every command, and the nearest is
// named.
func TestUnknownVariables(t *testing.T) {
	root := rootCommand(io.Discard, io.Discard)
	for _, tt := range []struct{ variable, want string }{
		{"ALMANAC_BASEURL=https://example.org", "ALMANAC_BASEURL sets no flag; did you mean ALMANAC_BASE_URL?"},
		{"ALMANAC_HTTPS=:443", "did you mean ALMANAC_HTTP?"},
		{"ALMANAC_LND_MACROON=x", "did you mean ALMANAC_LND_MACAROON?"},
		{"ALMANAC_ZQJX=1", "each is named after a flag"},
		{"ALMANAC_BASE_URL=https://example.org", ""},
		{"ALMANAC_LAME_DUCK=5s", ""},
		{"ALMANAC_O=public", ""}, // of export
		{"ALMANAC_BASEURL=", ""}, // empty is not set
		{"ALMANAC_REAL=1", ""},   // of the tests
		{"ALMANACS=1", ""},       // not ours
		{"ALMANAC_CONFIG=/etc", ""},
	} {
		err := checkEnvironment(root, []string{"PATH=/bin", tt.variable})
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.variable, err, tt.want)
		}
	}
	t.Setenv("ALMANAC_BASEURL", "https://example.org")
	if status, _, stderr := almanac("version"); status != 2 || !strings.Contains(stderr, "ALMANAC_BASE_URL") {
		t.Errorf("status %d, %q", status, stderr)
	}
}
