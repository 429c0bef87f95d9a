package ops

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.almanac.example/internal/parttest"
)

// tool finds a program that checks deployment files, or skips.
func tool(t *testing.T, name string) string {
	t.Helper()
	return parttest.Program(t, name, "setup-ops.sh")
}

// run runs a check in a folder below deploy/, which must succeed.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(tool(t, name), args...)
	cmd.Dir = filepath.Join("../../deploy", dir)
	cmd.Env = append(os.Environ(), "ALMANAC_DOMAIN=example.org")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestDeployAlerts(t *testing.T) {
	run(t, "monitoring", "promtool", "check", "rules", "alerts.yaml")
	run(t, "monitoring", "promtool", "test", "rules", "alerts_test.yaml")
	var text [2]string
	for i, file := range []string{"alerts.yaml", "alerts_test.yaml"} {
		b, err := os.ReadFile(filepath.Join("../../deploy/monitoring", file))
		if err != nil {
			t.Fatal(err)
		}
		text[i] = string(b)
	}
	for _, m := range regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(text[0], -1) {
		if fires := regexp.MustCompile(`alertname: ` + m[1] + `,?\s+exp_alerts:\s+(&\w+\s+)?- exp_labels`); !fires.MatchString(text[1]) {
			t.Errorf("no test has %s fire", m[1])
		}
	}
}

func TestDeployCaddyfile(t *testing.T) {
	run(t, "compose", "caddy", "validate", "--config", "Caddyfile", "--adapter", "caddyfile")
}

// A unit with an exposure of 2.0 or less is what systemd calls OK.
func TestDeploySystemdUnit(t *testing.T) {
	for _, name := range []string{"almanac.service", "almanac-check.service"} {
		run(t, "systemd", "systemd-analyze", "security", "--offline=true", "--threshold=20", name)
	}
	// verify wants the program to exist, so it gets the units with one that does.
	dir := t.TempDir()
	for _, name := range []string{"almanac.service", "almanac-check.service", "almanac-check.timer"} {
		unit, err := os.ReadFile(filepath.Join("../../deploy/systemd", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), bytes.ReplaceAll(unit, []byte("/usr/local/bin/almanac"), []byte("/bin/true")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"almanac.service", "almanac-check.timer"} {
		if out := run(t, "systemd", "systemd-analyze", "verify", filepath.Join(dir, name)); strings.Contains(out, dir) {
			t.Errorf("systemd-analyze verify complains:\n%s", out)
		}
	}
}

var checkCommand = regexp.MustCompile(`check -(links|facts)(?: -w)? -base-url "\$ALMANAC_BASE_URL"(?: -report \S+)? fixtures`)

// TestDeployChecks: the timer runs both rounds, with flags that the program has.
func TestDeployChecks(t *testing.T) {
	data, err := os.ReadFile("../../deploy/systemd/almanac-check.service")
	if err != nil {
		t.Fatal(err)
	}
	var rounds []string
	for _, m := range checkCommand.FindAllStringSubmatch(string(data), -1) {
		rounds = append(rounds, m[1])
	}
	if !slices.Equal(rounds, []string{"links", "facts"}) {
		t.Errorf("the unit runs %v", rounds)
	}
}

// Compose's own loader reads its file, strictly.
func TestDeployContainers(t *testing.T) {
	parttest.Want(t) // building compose's loader takes a minute
	cmd := exec.Command("go", "run", ".", "../../../../deploy/compose/compose.yaml")
	cmd.Dir = "testdata/check"
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("go run ./server/ops/testdata/check: %v\n%s", err, out)
	}
}

var metricName = regexp.MustCompile(`\b(almanac|go|process)_[a-z_]+\b`)

// Alerts and dashboard speak of metrics that are served.
func TestDeployMetricsExist(t *testing.T) {
	d, _ := newMiddleware(t, nil)
	ask(d.Handler(hello), "GET", "/", "203.0.113.7:1")
	m := d.Metrics
	m.Ledger(&ledger{})
	m.Node(node{}).Ready(t.Context())
	m.Probed(true, true)
	m.Loaded(1, time.Now(), 1)
	m.CertificateExpiry(time.Now())
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[string]bool)
	for _, f := range families {
		known[f.GetName()] = true
		if f.GetMetric()[0].GetHistogram() != nil {
			known[f.GetName()+"_bucket"], known[f.GetName()+"_count"] = true, true
		}
	}
	for _, file := range []string{"alerts.yaml", "alerts_test.yaml", "dashboard.json"} {
		data, err := os.ReadFile(filepath.Join("../../deploy/monitoring", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range metricName.FindAllString(string(data), -1) {
			if !known[name] {
				t.Errorf("%s names %s, which is not served", file, name)
			}
		}
	}
}

// Every expression of the dashboard is one that Prometheus can read.
func TestDeployDashboard(t *testing.T) {
	data, err := os.ReadFile("../../deploy/monitoring/dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(data, &dashboard); err != nil {
		t.Fatal(err)
	}
	var rules strings.Builder
	rules.WriteString("groups:\n- name: dashboard\n  rules:\n")
	n := 0
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			expr, err := json.Marshal(strings.NewReplacer("$__rate_interval", "5m", "$instance", ".*").Replace(target.Expr))
			if err != nil {
				t.Fatal(err)
			}
			rules.WriteString("  - {record: 'dashboard:" + strings.Repeat("x", n+1) + "', expr: " + string(expr) + "}\n")
			n++
		}
	}
	if n == 0 {
		t.Fatal("the dashboard shows nothing")
	}
	file := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(file, []byte(rules.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, "monitoring", "promtool", "check", "rules", file)
}
