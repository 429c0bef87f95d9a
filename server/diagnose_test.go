package server

import (
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.almanac.example/l402"
	"go.almanac.example/l402/node"
	"go.almanac.example/server/ops"
)

// TestDiagnose: a good configuration has no fault and nothing is created for it; each thing that is wrong is found
// where it is, and nowhere else.
func TestDiagnose(t *testing.T) {
	good := func(t *testing.T) Config {
		cfg := testConfig(t)
		cfg.State = filepath.Join(t.TempDir(), "state")
		cfg.Payments.Ledger = "sqlite:" + filepath.Join(cfg.State, "ledger.db")
		return cfg
	}
	file := func(t *testing.T, content string) string {
		name := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for _, tt := range []struct {
		name, failing, want string
		spoil               func(t *testing.T, cfg *Config)
	}{
		{name: "nothing"},
		{"data that are not there", "data", "give the directory", func(t *testing.T, cfg *Config) { cfg.Source.Dir = "/nowhere" }},
		{"a contact that is none", "data", "contact", func(t *testing.T, cfg *Config) { cfg.SecurityContact = "somebody" }},
		{"an address that cannot be had", "admin address", "choose another address", func(t *testing.T, cfg *Config) { cfg.Admin = "192.0.2.1:80" }},
		{"published addresses of this machine", "published addresses", "set the base URL", func(t *testing.T, cfg *Config) {
			cfg.HTTP, cfg.Payments.DemoAnywhere = ":0", true
		}},
		{"a certificate that is none", "certificate", "give the chain", func(t *testing.T, cfg *Config) {
			cfg.TLS = TLS{CertFile: file(t, "x"), KeyFile: file(t, "y")}
		}},
		{"a key file that is none", "key file", "line 1", func(t *testing.T, cfg *Config) {
			if err := os.Mkdir(cfg.State, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(cfg.State, "keys"), []byte("secret\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"a ledger that is none", "ledger", "not a database", func(t *testing.T, cfg *Config) { cfg.Payments.Ledger = "sqlite:" + file(t, strings.Repeat("x", 4096)) }},
		{"a ledger that is away", "ledger", "refused", func(t *testing.T, cfg *Config) { cfg.Payments.Ledger = "postgres://nobody@127.0.0.1:1/none" }},
		{"a demo for everybody", "Lightning node", "takes no real payments", func(t *testing.T, cfg *Config) {
			cfg.HTTP, cfg.Source.BaseURL = ":0", "https://example.org"
		}},
		{"a node without a certificate", "Lightning node", "no such file", func(t *testing.T, cfg *Config) {
			cfg.Payments.Backend = BackendLND
			cfg.Payments.Node = node.Settings{Address: "https://localhost:1", CertFile: "/nowhere", SecretFile: "/nowhere", Network: "regtest"}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := good(t)
			if tt.spoil != nil {
				tt.spoil(t, &cfg)
			}
			for _, f := range Diagnose(t.Context(), cfg) {
				switch {
				case f.Name != tt.failing && f.Err != nil && !f.Warning:
					t.Errorf("%s fails: %v", f.Name, f.Err)
				case f.Name == tt.failing && (f.Err == nil || !strings.Contains(f.Err.Error(), tt.want)):
					t.Errorf("%s: %v, want …%s…", f.Name, f.Err, tt.want)
				}
			}
			if entries, err := os.ReadDir(cfg.State); tt.failing != "key file" && err == nil {
				t.Errorf("%v was created", entries)
			}
		})
	}
}

// TestDiagnoseSoldCredits: a check finds everything for which a start would refuse the credentials that were sold.
func TestDiagnoseSoldCredits(t *testing.T) {
	cfg := testConfig(t)
	newService(t, cfg).Buy()
	keyFile := filepath.Join(cfg.State, "keys")
	check := func(key string) (string, error) {
		t.Helper()
		if err := os.Remove(keyFile); err != nil {
			t.Fatal(err)
		}
		if key != "" {
			if err := os.WriteFile(keyFile, []byte(key), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		d := diagnosis{cfg: cfg}
		if _, err := d.keys(t.Context()); err != nil {
			t.Fatal(err)
		}
		return d.ledger(t.Context())
	}
	sold, err := os.ReadFile(keyFile)
	if err != nil {
		t.Fatal(err)
	}
	if note, err := check(string(sold)); err != nil || !strings.Contains(note, "all of it can be read") {
		t.Errorf("under its keys: %q, %v", note, err)
	}
	for _, key := range []string{strings.Repeat("ab", 32) + "\n", ""} {
		if note, err := check(key); !errors.Is(err, l402.ErrForeignKeys) {
			t.Errorf("under the keys %q: %q, %v", key, note, err)
		}
	}
}

// TestDiagnoseProxy: a check fails where a start warns of a proxy that is not trusted.
func TestDiagnoseProxy(t *testing.T) {
	d := diagnosis{cfg: testConfig(t)}
	if note, err := d.proxy(t.Context()); err != nil {
		t.Errorf("on this machine: %q, %v", note, err)
	}
	d.cfg.Source.BaseURL = "https://example.org"
	if note, err := d.proxy(t.Context()); err == nil || !strings.Contains(err.Error(), "-trusted-proxy") {
		t.Errorf("behind an unnamed proxy: %q, %v", note, err)
	}
	d.cfg.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	if note, err := d.proxy(t.Context()); err != nil {
		t.Errorf("behind a trusted proxy: %q, %v", note, err)
	}
}

// TestSecretsForEverybody: a start warns of each file with a secret that others can read.
func TestSecretsForEverybody(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, p := range []PaymentConfig{
		{Backend: BackendLND, Node: node.Settings{SecretFile: secret}},
		{Backend: BackendDemo, Ledger: "postgres:///almanac?passfile=" + secret},
	} {
		for _, mode := range []os.FileMode{0o644, 0o640} {
			if err := os.Chmod(secret, mode); err != nil {
				t.Fatal(err)
			}
			d := diagnosis{cfg: testConfig(t)}
			d.cfg.Payments = p
			d.addExposure(t.Context())
			warned := slices.ContainsFunc(d.findings, func(r CheckResult) bool { return r.Name == "secret file" && r.Err != nil && r.Warning })
			if warned != (mode == 0o644) {
				t.Errorf("%s, mode %#o: warned: %t", p.Backend, mode, warned)
			}
		}
	}
}

// TestNewKeysAreAnnounced: a start that makes master keys says so once, since a state directory that was lost looks the
// same; so does one that makes a ledger for keys that there were.
func TestNewKeysAreAnnounced(t *testing.T) {
	var log strings.Builder
	cfg := testConfig(t)
	cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
	for start := range 2 {
		s, err := Open(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		s.listeners.close()
		s.publisher.payments.close()
		if n := strings.Count(log.String(), "NEW MASTER KEYS WERE MADE"); n != 1 {
			t.Errorf("start %d: announced %d times: %s", start+1, n, log.String())
		}
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		os.Remove(strings.TrimPrefix(cfg.Payments.Ledger, "sqlite:") + suffix)
	}
	for start := range 2 {
		s, err := Open(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		s.listeners.close()
		s.publisher.payments.close()
		if n := strings.Count(log.String(), "A NEW LEDGER IS MADE BESIDE OLD KEYS"); n != 1 {
			t.Errorf("start %d without the ledger: announced %d times: %s", start+1, n, log.String())
		}
	}
	log.Reset() // the first start of a demonstration has nothing to lose
	cfg.State = filepath.Join(t.TempDir(), "state")
	cfg.Payments.Ledger = "sqlite:" + filepath.Join(cfg.State, "ledger.db")
	s, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	s.listeners.close()
	s.publisher.payments.close()
	if strings.Contains(log.String(), "level=WARN") {
		t.Errorf("a first start warns: %s", log.String())
	}
}

// TestLostKeysAreNotReplaced: where a ledger has sold under keys whose file is gone, neither a start nor a reload makes
// others in its place.
func TestLostKeysAreNotReplaced(t *testing.T) {
	cfg := testConfig(t)
	newService(t, cfg).Buy()
	s, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.listeners.close(); s.publisher.payments.close() })
	keyFile := filepath.Join(cfg.State, "keys")
	if err := os.Remove(keyFile); err != nil {
		t.Fatal(err)
	}
	if err := s.publisher.payments.reloadKeys(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reload: %v", err)
	}
	if _, err := Open(t.Context(), cfg); !errors.Is(err, l402.ErrForeignKeys) || !strings.Contains(err.Error(), keyFile+" is gone") {
		t.Errorf("start: %v", err)
	}
	if _, err := os.Stat(keyFile); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the key file was made: %v", err)
	}
}

// TestProfilesAreLocal: profiles go to this machine alone, and nothing goes to a page that has its own name resolved to
// it.
func TestProfilesAreLocal(t *testing.T) {
	h := adminHandler(&readiness{}, ops.NewMetrics("test", time.Now))
	for _, tt := range []struct {
		from, host      string
		profile, health int
	}{
		{"127.0.0.1:5", "localhost:8404", http.StatusOK, http.StatusOK},
		{"[::1]:5", "[::1]:8404", http.StatusOK, http.StatusOK},
		{"127.0.0.1:5", "127.0.0.1", http.StatusOK, http.StatusOK},
		{"127.0.0.1:5", "", http.StatusForbidden, http.StatusOK},
		{"127.0.0.6:5", "192.0.2.7:8404", http.StatusForbidden, http.StatusOK},
		{"127.0.0.1:5", "rebound.example:8404", http.StatusForbidden, http.StatusForbidden},
		{"192.0.2.7:5", "localhost:8404", http.StatusForbidden, http.StatusOK},
		{"192.0.2.7:5", "almanac.example:8404", http.StatusForbidden, http.StatusOK},
	} {
		for path, want := range map[string]int{"/debug/pprof/cmdline": tt.profile, "/healthz": tt.health, "/metrics": tt.health} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.RemoteAddr, r.Host = tt.from, tt.host
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != want {
				t.Errorf("%s from %s to %q: status %d, want %d", path, tt.from, tt.host, w.Code, want)
			}
		}
	}
}

// TestDiagnoseRunning finds the service where it runs, and whether its public address leads to it.
func TestDiagnoseRunning(t *testing.T) {
	running, client := runService(t, testConfig(t))
	finding := func(cfg Config, name string) CheckResult {
		t.Helper()
		for _, f := range Diagnose(t.Context(), cfg) {
			if f.Name == name {
				return f
			}
		}
		t.Fatalf("no finding is called %s", name)
		return CheckResult{}
	}
	cfg := testConfig(t)
	cfg.Admin = running.listeners.admin.Addr().String()
	if f := finding(cfg, "running service"); f.Err != nil || !strings.Contains(f.Note, `"selling":true`) {
		t.Errorf("where it runs: %+v", f)
	}
	cfg.Admin = "localhost:1"
	if f := finding(cfg, "running service"); f.Err != nil || !strings.Contains(f.Note, "does not run") {
		t.Errorf("where nothing runs: %+v", f)
	}
	asked := diagnosis{runs: true}
	for _, path := range []string{"/support.json", "/mcp/server-card"} {
		if _, err := asked.public(t.Context(), client.URL+path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	for name, h := range map[string]http.HandlerFunc{
		"refuses":               func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusMisdirectedRequest) },
		"serves something else": func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<html>parked</html>")) },
	} {
		other := httptest.NewServer(h)
		if _, err := asked.public(t.Context(), other.URL+"/support.json"); err == nil {
			t.Errorf("a host that %s passes for ours", name)
		}
		other.Close()
	}
}
