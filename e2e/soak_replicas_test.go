//go:build soak

package e2e

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.almanac.example/internal/parttest"
	"go.almanac.example/server/servertest"
)

// A fleet is replicas that share PostgreSQL and a key file, behind nginx.
type fleet struct {
	t        *testing.T
	args     []string
	states   []string
	replicas []*process
	base     string // of the balancer
}

func startFleet(t *testing.T, n int) *fleet {
	t.Helper()
	nginx := "/usr/sbin/nginx"
	if _, err := os.Stat(nginx); err != nil {
		parttest.Missing(t, "no nginx; .ci/setup-ops.sh installs it")
	}
	pg := startPostgres(t)
	f := &fleet{t: t, args: append([]string{"-ledger", pg.url(), "-request-header", "X-Request-Id"}, bulk...)}
	for i := range n {
		state := t.TempDir()
		if i > 0 {
			copyFile(t, filepath.Join(f.states[0], "keys"), filepath.Join(state, "keys")) // what replicas share besides the database
		}
		f.states = append(f.states, state)
		f.replicas = append(f.replicas, startServe(t, append([]string{"-state", state, "-http", lasting(t)}, f.args...)...))
	}
	f.balance(nginx)
	return f
}

// balance starts nginx before the replicas. It asks another one when one does not answer.
func (f *fleet) balance(nginx string) {
	f.t.Helper()
	dir, err := os.MkdirTemp("/tmp", "almanac-nginx")
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { os.RemoveAll(dir) })
	addr := fmt.Sprintf("127.0.0.1:%d", freePort(f.t))
	var servers strings.Builder
	for _, p := range f.replicas {
		fmt.Fprintf(&servers, "server %s max_fails=1 fail_timeout=1s;\n", strings.Replace(strings.TrimPrefix(p.base, "http://"), "localhost", "127.0.0.1", 1))
	}
	conf := fmt.Sprintf(`
daemon off; pid %[1]s/pid; error_log %[1]s/error.log; worker_processes 1;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
  upstream almanac { %[2]s keepalive 64; }
  server {
    listen %[3]s;
    location / {
      proxy_pass http://almanac; proxy_http_version 1.1;
      proxy_set_header Connection ""; proxy_set_header Host $http_host;
      proxy_set_header X-Request-Id $request_id;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_next_upstream error timeout http_502; proxy_next_upstream_tries 3;
      proxy_connect_timeout 1s;
    }
  }
}`, dir, servers.String(), addr)
	if err := os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte(conf), 0o600); err != nil {
		f.t.Fatal(err)
	}
	cmd := exec.Command(nginx, "-p", dir, "-c", filepath.Join(dir, "nginx.conf"), "-e", filepath.Join(dir, "error.log"))
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { cmd.Process.Signal(syscall.SIGTERM); cmd.Wait() })
	f.base = "http://" + addr
	servertest.WaitUntil(f.t, "nginx answers; its log is "+filepath.Join(dir, "error.log"), func() bool {
		res, err := http.Get(f.base + "/support.json")
		if err == nil {
			res.Body.Close()
		}
		return err == nil
	})
}

// fell ends a replica with a signal, and starts it again a while later.
func (f *fleet) fell(i int, s syscall.Signal, away time.Duration) {
	f.t.Helper()
	p := f.replicas[i]
	p.signal(s)
	p.cmd.Wait()
	time.Sleep(away)
	f.replicas[i] = restart(f.t, p, f.states[i], f.args...)
}

// TestSoakReplicas lets two of three replicas end in turn under paid load: told to, and killed.
func TestSoakReplicas(t *testing.T) {
	for _, tt := range []struct {
		name   string
		signal syscall.Signal
	}{{"SIGTERM", syscall.SIGTERM}, {"SIGKILL", syscall.SIGKILL}} {
		t.Run(tt.name, func(t *testing.T) {
			f := startFleet(t, 3)
			c := newCrowd(t, f.replicas[0].base, 6)
			c.base = f.base
			c.careful = true
			const each = 3
			c.during(each, func() {
				for i := range 2 {
					time.Sleep(*soakTime / 3)
					f.fell(i, tt.signal, *soakTime/3)
				}
				time.Sleep(*soakTime / 3)
			})
			c.settle(soakCredits)
			r := c.reckon(soakCredits)
			c.tell(r)
			faultFigures(t, c, r)
			if c.seen("402") > 0 {
				t.Error("a buyer was asked to pay again")
			}
			if r.used != r.answered {
				t.Errorf("%d credits for %d answers", r.used, r.answered)
			}
			if r.unknown > 0 || r.refused > 0 {
				t.Errorf("%d requests had no answer and %d were refused, though a replica was always there", r.unknown, r.refused)
			}
		})
	}
}
