package httpmirror

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/export"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/internal/parttest"
)

// hosted exports the small site and returns it, the folder and the configuration for a host.
func hosted(t *testing.T, host string) (m *Mirror, dir, config string) {
	t.Helper()
	m = smallMirror(t)
	dir = filepath.Join(parttest.TempDir(t), "site")
	if _, err := Export(t.Context(), m.cat, m.options, dir, "gzip", "br"); err != nil {
		t.Fatal(err)
	}
	body, err := Hosting(m.cat.Site(), dir, host).Config()
	if err != nil {
		t.Fatal(err)
	}
	return m, dir, string(body)
}

// inPlaceOf replaces what a configuration has exactly once.
func inPlaceOf(t *testing.T, config, old, new string) string {
	t.Helper()
	if n := strings.Count(config, old); n != 1 {
		t.Fatalf("the configuration has %q %d times", old, n)
	}
	return strings.Replace(config, old, new, 1)
}

// runServer starts a server that listens on a socket, and returns a client of it.
func runServer(t *testing.T, socket string, name string, args ...string) *http.Client {
	t.Helper()
	var said bytes.Buffer
	server := exec.Command(name, args...)
	server.Stdout, server.Stderr = &said, &said
	server.Env = append(os.Environ(), "HOME="+t.TempDir())
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	t.Cleanup(func() {
		server.Process.Kill()
		<-ended
	})
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}
	ticks := time.NewTicker(20 * time.Millisecond)
	defer ticks.Stop()
	for {
		if c, err := dial(t.Context(), "", ""); err == nil {
			c.Close()
			break
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("%s: %v\n%s", name, err, said.String())
		case <-ticks.C:
		case <-t.Context().Done():
			t.Fatal(said.String())
		}
	}
	return &http.Client{
		Transport:     &http.Transport{DialContext: dial, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// asServed compares what a host answers with what the mirror does: every file as it is and in gzip, the redirects, and an address
// with nothing.
func asServed(t *testing.T, m *Mirror, c *http.Client, coding string) {
	t.Helper()
	get := func(path, accept string) (*http.Response, []byte) {
		r, err := http.NewRequest("GET", "http://127.0.0.1"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if accept != "" {
			r.Header.Set("Accept-Encoding", accept)
		}
		res, err := c.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res, body
	}
	headers := Hosting(m.cat.Site(), "", "").Headers
	compare := func(path string, res *http.Response, want *http.Response) {
		if res.StatusCode != want.StatusCode || res.Header.Get("Content-Type") != want.Header.Get("Content-Type") && want.StatusCode == 200 {
			t.Errorf("%s: %d %s, want %d %s", path, res.StatusCode, res.Header.Get("Content-Type"), want.StatusCode, want.Header.Get("Content-Type"))
		}
		for name, values := range headers {
			if got := strings.Join(res.Header.Values(name), ", "); got != strings.Join(values, ", ") {
				t.Errorf("%s: %s is %q, want %q", path, name, got, values)
			}
		}
	}
	for f := range m.Files() {
		res, body := get(f.Path, "")
		compare(f.Path, res, ask(t, m, "GET", f.Path))
		if !bytes.Equal(body, f.Body) || res.Header.Get("Cache-Control") != cacheControl {
			t.Errorf("%s: %d bytes with Cache-Control %q, want %d", f.Path, len(body), res.Header.Get("Cache-Control"), len(f.Body))
		}
		link := ""
		if f.Schema != "" {
			link = file.SchemaLink(f.Schema)
		}
		if got := res.Header.Get("Link"); got != link {
			t.Errorf("%s: Link %q, want %q", f.Path, got, link)
		}
		res, body = get(f.Path, coding)
		if len(f.Body) >= file.MinCoded && res.Header.Get("Content-Encoding") != coding {
			t.Errorf("%s: is not compressed", f.Path)
		}
		compare(f.Path, res, ask(t, m, "GET", f.Path, "Accept-Encoding", coding))
		if res.Header.Get("Content-Encoding") == "gzip" {
			z, err := gzip.NewReader(bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			if plain, err := io.ReadAll(z); err != nil || !bytes.Equal(plain, f.Body) {
				t.Errorf("%s: gzip of other bytes: %v", f.Path, err)
			}
		}
		if file.IsPage(f.Path) && f.Path != catalog.HomePath {
			for _, address := range []string{strings.TrimSuffix(f.Path, "/") + "?x=1", f.Path + "index.html"} {
				res, _ := get(address, "")
				if want := ask(t, m, "GET", address); res.StatusCode != want.StatusCode || path.Clean(res.Header.Get("Location")) != path.Clean(want.Header.Get("Location")) {
					t.Errorf("%s: %d to %s, want %d to %s", address, res.StatusCode, res.Header.Get("Location"), want.StatusCode, want.Header.Get("Location"))
				}
			}
		}
	}
	res, _ := get("/static/almanac.css?v=01234567", "")
	if got := res.Header.Get("Cache-Control"); got != immutable {
		t.Errorf("a versioned file: Cache-Control %q", got)
	}
	res, body := get("/no/such/page", "")
	compare("/no/such/page", res, ask(t, m, "GET", "/no/such/page"))
	if page, ok := m.File("/404.html"); ok && !bytes.Equal(body, page.Body) {
		t.Errorf("an unknown address is answered with %.200s", body)
	}
}

// TestHostedByNginx serves an export with the configuration that is written for nginx.
func TestHostedByNginx(t *testing.T) {
	parttest.Want(t)
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		nginx = parttest.Program(t, "/usr/sbin/nginx", "setup-mirror.sh")
	}
	m, _, config := hosted(t, "nginx")
	dir := t.TempDir()
	socket := filepath.Join(dir, "s")
	config = inPlaceOf(t, config, "127.0.0.1:8480", "unix:"+socket)
	main := "daemon off;\nmaster_process off;\npid " + dir + "/pid;\nevents { }\nhttp {\naccess_log off;\nclient_body_temp_path " + dir + "/b;\nproxy_temp_path " + dir +
		"/p;\nfastcgi_temp_path " + dir + "/f;\nuwsgi_temp_path " + dir + "/u;\nscgi_temp_path " + dir + "/g;\n" + config + "}\n"
	if err := os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte(main), 0o644); err != nil {
		t.Fatal(err)
	}
	asServed(t, m, runServer(t, socket, nginx, "-p", dir, "-c", "nginx.conf", "-e", "stderr"), "gzip")
}

// TestHostedByCaddy serves an export with the configuration that is written for Caddy.
func TestHostedByCaddy(t *testing.T) {
	caddy := parttest.Program(t, "caddy", "setup-mirror.sh")
	m, _, config := hosted(t, "caddy")
	dir := t.TempDir()
	socket := filepath.Join(dir, "s")
	config = "{\n\tadmin off\n\tauto_https off\n}\n" + inPlaceOf(t, config, "http://127.0.0.1:8480 {", "http://127.0.0.1 {\n\tbind unix/"+socket)
	name := filepath.Join(dir, "Caddyfile")
	if err := os.WriteFile(name, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	asServed(t, m, runServer(t, socket, caddy, "run", "--config", name, "--adapter", "caddyfile"), "gzip")
}

// TestHostedByBucket runs the script for a bucket with a command that keeps what it is told, and compares the type that each file ends
// with.
func TestHostedByBucket(t *testing.T) {
	m, dir, config := hosted(t, "bucket")
	bin := t.TempDir()
	script, log := filepath.Join(bin, "copy.sh"), filepath.Join(bin, "log")
	for name, body := range map[string]string{script: config, filepath.Join(bin, "aws"): "#!/bin/sh\nprintf '%s\\n' \"$*\" >>'" + log + "'\n"} {
		if err := os.WriteFile(name, []byte(body), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	run := exec.Command("sh", "-f", script, "s3://example")
	run.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	told, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	copied := regexp.MustCompile(`^s3 cp ` + regexp.QuoteMeta(dir) + ` s3://example --recursive --exclude \* --include (\S+) --content-type (.+) --cache-control (.+)$`)
	types := make(map[string]string)
	for line := range strings.Lines(string(told)) {
		match := copied.FindStringSubmatch(strings.TrimSpace(line))
		if match == nil {
			if !strings.HasPrefix(line, "s3 sync "+dir+" s3://example --delete --size-only ") {
				t.Errorf("the script runs aws %s", line)
			}
			continue
		}
		glob := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(match[1]), `\*`, ".*") + "$") // * crosses slashes there
		for f := range m.Files() {
			if name := filepath.ToSlash(export.DiskName(f.Path)); glob.MatchString(name) {
				types[f.Path] = match[2]
			}
		}
	}
	for f := range m.Files() {
		if types[f.Path] != f.Listing().MediaType {
			t.Errorf("%s is copied with the type %q, want %q", f.Path, types[f.Path], f.Listing().MediaType)
		}
	}
}
