package server

import (
	"log/slog"
	"net/netip"
	"strings"
	"testing"
)

// TestProxyIsTrusted: a service that the public can reach through a proxy on this machine alone warns once if no proxy
// is trusted.
func TestProxyIsTrusted(t *testing.T) {
	for _, tt := range []struct {
		name, listen, base string
		trusted            []netip.Prefix
		warned             bool
	}{
		{"behind a proxy here", "localhost:0", "https://example.org", nil, true},
		{"behind a trusted proxy", "localhost:0", "https://example.org", []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, false},
		{"open to all", ":0", "https://example.org", nil, false},
		{"for this machine", "localhost:0", "http://localhost:8402", nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wantWarning(t, "PROXY: the public", tt.warned, func(cfg *Config) {
				cfg.HTTP, cfg.Source.BaseURL, cfg.TrustedProxies = tt.listen, tt.base, tt.trusted
			})
		})
	}
}

// TestAdminListenerIsPrivate: a service whose admin listener other machines can reach warns of it once, and a check
// without failing.
func TestAdminListenerIsPrivate(t *testing.T) {
	for listen, warned := range map[string]bool{"": false, "localhost:0": false, "127.0.0.1:0": false, ":0": true, "0.0.0.0:0": true} {
		t.Run(listen, func(t *testing.T) {
			wantWarning(t, "ADMIN LISTENER", warned, func(cfg *Config) { cfg.Admin = listen })
			cfg := testConfig(t)
			cfg.Admin = listen
			warnings := 0
			for _, f := range Diagnose(t.Context(), cfg) {
				if f.Warning && f.Name == "admin listener" && f.Err != nil {
					warnings++
				} else if f.Err != nil {
					t.Errorf("%s: %v", f.Name, f.Err)
				}
			}
			if (warnings == 1) != warned {
				t.Errorf("%d warnings", warnings)
			}
		})
	}
}

// wantWarning reports a start that does not warn exactly once, or that warns when it should not.
func wantWarning(t *testing.T, text string, warned bool, edit func(*Config)) {
	t.Helper()
	var log strings.Builder
	cfg := testConfig(t)
	edit(&cfg)
	cfg.Payments.Backend = BackendOff
	cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
	s, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	s.listeners.close()
	if n := strings.Count(log.String(), text); n > 1 || (n == 1) != warned {
		t.Errorf("warned %d times, want %t:\n%s", n, warned, log.String())
	}
}
