package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// startForeign starts nginx and Caddy over the exported files, where they are installed.
func startForeign(b *testing.B) (list []contestant) {
	b.Helper()
	site := filepath.Join(b.TempDir(), "site")
	if out, err := command(b, "export", "-compress", "gzip", "-o", site).CombinedOutput(); err != nil {
		b.Fatalf("export: %v: %s", err, out)
	}
	for name, start := range map[string]func(*testing.B, string, string, string) *exec.Cmd{"nginx": nginxOver, "caddy": caddyOver} {
		file, err := exec.LookPath(name)
		if err != nil {
			file = "/usr/sbin/" + name
		}
		if _, err := os.Stat(file); err != nil {
			b.Logf("%s is not installed", name)
			continue
		}
		addr := fmt.Sprintf("127.0.0.1:%d", freePort(b))
		cmd := start(b, file, addr, site)
		startServer(b, cmd)
		awaitServer(b, addr)
		list = append(list, contestant{name: name, addr: addr, pid: cmd.Process.Pid})
	}
	return list
}

// nginxOver returns nginx as it is usually set up for static files, without an access log.
func nginxOver(b *testing.B, nginx, addr, site string) *exec.Cmd {
	dir, user := b.TempDir(), ""
	if os.Geteuid() == 0 {
		user = "user root;" // the folder of the benchmark is for its owner alone
	}
	conf := filepath.Join(dir, "nginx.conf")
	writeConf(b, conf, fmt.Sprintf(`
%[4]s worker_processes auto; daemon off; pid %[1]s/pid; error_log %[1]s/error.log crit;
events { worker_connections 256; }
http {
	types { text/html html; } access_log off; sendfile on; tcp_nopush on; keepalive_requests 10000000; open_file_cache max=1000;
	client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
	server { listen %[2]s; root %[3]s; gzip_static on; }
}`, dir, addr, site, user))
	return exec.Command(nginx, "-p", dir, "-c", conf, "-e", filepath.Join(dir, "error.log"))
}

// caddyOver returns Caddy as a file server, without an access log.
func caddyOver(b *testing.B, caddy, addr, site string) *exec.Cmd {
	conf := filepath.Join(b.TempDir(), "Caddyfile")
	writeConf(b, conf, fmt.Sprintf("{\n\tadmin off\n\tauto_https off\n}\nhttp://%s, http://localhost {\n\tbind 127.0.0.1\n\troot * %s\n\tfile_server {\n\t\tprecompressed gzip\n\t}\n}\n", addr, site))
	return exec.Command(caddy, "run", "--config", conf, "--adapter", "caddyfile")
}

func writeConf(b *testing.B, file, text string) {
	b.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
}
