package httpmirror

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// serveAs makes the process of a benchmark a server: "mirror", or "bare" for a net/http handler
// that writes the same bytes and knows nothing else.
const serveAs = "ALMANAC_BENCH_SERVE"

// benchFile is what is asked for: a page of the usual size.
const benchFile = "/library/payments/"

// TestServeForBenchmark is the server of BenchmarkServe, in a process of its own.
func TestServeForBenchmark(t *testing.T) {
	kind := os.Getenv(serveAs)
	if kind == "" {
		t.Skip("it is started by BenchmarkServe")
	}
	m := realMirror(t)
	var handler http.Handler = m
	if kind == "bare" {
		handler = bareHandler(m)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("listening %s\n", l.Addr())
	os.Stdout.Sync()
	go func() {
		io.Copy(io.Discard, os.Stdin) // ends with the process that started this one
		os.Exit(0)
	}()
	t.Fatal(http.Serve(l, handler))
}

// bareHandler writes the answers of the mirror, headers and body, and decides nothing but which of
// three was asked for: the least that a handler can do to write these bytes.
func bareHandler(m *Mirror) http.Handler {
	record := func(name, value string) (http.Header, int, []byte) {
		r := httptest.NewRequest("GET", benchFile, nil)
		r.Header.Set(name, value)
		w := httptest.NewRecorder()
		m.ServeHTTP(w, r)
		return w.Header(), w.Code, w.Body.Bytes()
	}
	plainHeader, _, plain := record("Accept", "*/*")
	packedHeader, _, packed := record("Accept-Encoding", "gzip")
	sameHeader, same, _ := record("If-None-Match", "*")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header["If-None-Match"] != nil:
			maps.Copy(w.Header(), sameHeader)
			w.WriteHeader(same)
		case r.Header["Accept-Encoding"] != nil:
			maps.Copy(w.Header(), packedHeader)
			w.Write(packed)
		default:
			maps.Copy(w.Header(), plainHeader)
			w.Write(plain)
		}
	})
}

// BenchmarkServe asks the same page of the mirror, of a bare handler, and of nginx and Caddy over
// the exported folder: each in a process of its own, by one client, in turns within one run.
func BenchmarkServe(b *testing.B) {
	site := filepath.Join(b.TempDir(), "site")
	if _, err := Export(b.Context(), realCatalog(b), Options{}, site, "gzip"); err != nil {
		b.Fatal(err)
	}
	servers := []struct {
		name  string
		start func(*testing.B, string) string
	}{
		{"bare", startSelf("bare")}, {"mirror", startSelf("mirror")}, {"nginx", startNginx}, {"caddy", startCaddy},
	}
	requests := []struct{ name, headers string }{
		{"GET", ""}, {"GET-gzip", "Accept-Encoding: gzip\r\n"}, {"304", "If-None-Match: %s\r\n"},
	}
	addrs := make([]string, len(servers))
	for i, s := range servers {
		addrs[i] = s.start(b, site)
	}
	const rounds, period = 5, 600 * time.Millisecond
	rates := make(map[string]float64)
	for range rounds { // the best of several turns: a busy moment of the machine must not fall on one alone
		for _, r := range requests {
			for i, s := range servers {
				if addrs[i] != "" {
					key := s.name + "-" + r.name
					rates[key] = max(rates[key], measure(b, addrs[i], r.headers, period))
				}
			}
		}
	}
	for key, rate := range rates {
		name, request, _ := strings.Cut(key, "-")
		b.ReportMetric(rate, key+"/s")
		if name != "bare" {
			b.ReportMetric(rate/rates["bare-"+request], key+"/bare")
		}
	}
	b.ReportMetric(0, "ns/op")
}

// measure returns how many requests a second 8 connections get answered.
func measure(b *testing.B, addr, headers string, period time.Duration) float64 {
	b.Helper()
	request := "GET " + benchFile + " HTTP/1.1\r\nHost: localhost\r\n"
	want := 200
	if strings.Contains(headers, "%s") {
		_, tag := exchangeOnce(b, addr, request+"\r\n")
		headers, want = fmt.Sprintf(headers, tag), 304
	}
	request += headers + "\r\n"
	if status, _ := exchangeOnce(b, addr, request); status != want {
		b.Fatalf("%s answers %d, want %d", addr, status, want)
	}
	var wg sync.WaitGroup
	var total int64
	var mu sync.Mutex
	start := time.Now()
	for range 8 {
		wg.Go(func() {
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				b.Error(err)
				return
			}
			defer conn.Close()
			r := bufio.NewReaderSize(conn, 64<<10)
			n := int64(0)
			for time.Since(start) < period {
				if _, err := io.WriteString(conn, request); err != nil {
					b.Error(err)
					return
				}
				if status, _, err := readAnswer(r); err != nil || status != want {
					b.Errorf("%s answers %d: %v", addr, status, err)
					return
				}
				n++
			}
			mu.Lock()
			total += n
			mu.Unlock()
		})
	}
	wg.Wait()
	return float64(total) / time.Since(start).Seconds()
}

func exchangeOnce(b *testing.B, addr, request string) (status int, tag string) {
	b.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, request)
	status, tag, err = readAnswer(bufio.NewReader(conn))
	if err != nil {
		b.Fatal(err)
	}
	return status, tag
}

// readAnswer reads an answer and throws its body away, with as little work as there can be.
func readAnswer(r *bufio.Reader) (status int, tag string, err error) {
	length, chunked := 0, false
	for first := true; ; first = false {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return 0, "", err
		}
		if first {
			status, _ = strconv.Atoi(string(line[9:12]))
			continue
		}
		if len(line) <= 2 {
			break
		}
		switch {
		case bytes.EqualFold(line, []byte("transfer-encoding: chunked\r\n")):
			chunked = true
		case (line[0] == 'C' || line[0] == 'c') && len(line) > 16 && bytes.EqualFold(line[:16], []byte("content-length: ")):
			length, _ = strconv.Atoi(string(bytes.TrimSpace(line[16:])))
		case (line[0] == 'E' || line[0] == 'e') && bytes.EqualFold(line[:6], []byte("etag: ")):
			tag = string(bytes.TrimSpace(line[6:]))
		}
	}
	if status == 304 {
		return status, tag, nil
	}
	for chunked {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return 0, "", err
		}
		size, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 16, 32)
		if err != nil {
			return 0, "", err
		}
		if _, err := r.Discard(int(size) + len("\r\n")); err != nil {
			return 0, "", err
		}
		chunked = size > 0
	}
	_, err = r.Discard(length)
	return status, tag, err
}

// startSelf runs this test binary as a server.
func startSelf(kind string) func(*testing.B, string) string {
	return func(b *testing.B, _ string) string {
		cmd := exec.Command(os.Args[0], "-test.timeout=10m", "-test.run=^TestServeForBenchmark$")
		cmd.Env = append(os.Environ(), serveAs+"="+kind)
		if _, err := cmd.StdinPipe(); err != nil {
			b.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if addr, ok := strings.CutPrefix(lines.Text(), "listening "); ok {
				return addr
			}
		}
		b.Fatal("the server did not start")
		return ""
	}
}

func freePort(b *testing.B) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func startForeign(b *testing.B, port int, name string, args ...string) string {
	cmd := exec.Command(name, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	cmd.WaitDelay = time.Second
	b.Cleanup(func() { cmd.Process.Signal(syscall.SIGTERM); cmd.Wait() }) // lets nginx end its workers
	addr := fmt.Sprintf("127.0.0.1:%d", port)
	for range 200 {
		if conn, err := net.Dial("tcp", addr); err == nil {
			conn.Close()
			return addr
		}
		time.Sleep(25 * time.Millisecond)
	}
	b.Fatalf("%s did not start: %s", name, out.String())
	return ""
}

func startNginx(b *testing.B, site string) string {
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		nginx = "/usr/sbin/nginx"
	}
	if _, err := os.Stat(nginx); err != nil {
		b.Log("nginx is not installed")
		return ""
	}
	dir, port := filepath.Dir(site), freePort(b)
	user := ""
	if os.Geteuid() == 0 {
		user = "user root;" // the folder of the benchmark is for its owner alone
	}
	conf := fmt.Sprintf(`
%[4]s worker_processes auto; daemon off; pid %[1]s/nginx.pid; error_log stderr crit;
events { worker_connections 256; }
http {
	types { text/html html; application/json json; }
	access_log off; sendfile on; tcp_nopush on; keepalive_requests 10000000; open_file_cache max=1000;
	client_body_temp_path %[1]s/t1; proxy_temp_path %[1]s/t2; fastcgi_temp_path %[1]s/t3; uwsgi_temp_path %[1]s/t4; scgi_temp_path %[1]s/t5;
	server { listen 127.0.0.1:%[2]d; root %[3]s; gzip_static on; }
}
`, dir, port, site, user)
	path := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(path, []byte(conf), 0o644); err != nil {
		b.Fatal(err)
	}
	return startForeign(b, port, nginx, "-c", path, "-p", dir)
}

func startCaddy(b *testing.B, site string) string {
	caddy, err := exec.LookPath("caddy")
	if err != nil {
		b.Log("caddy is not installed")
		return ""
	}
	port := freePort(b)
	conf := fmt.Sprintf("{\n\tadmin off\n\tauto_https off\n}\nhttp://127.0.0.1:%d, http://localhost:%d {\n\troot * %s\n\tfile_server {\n\t\tprecompressed gzip\n\t}\n}\n", port, port, site)
	path := filepath.Join(filepath.Dir(site), "Caddyfile")
	if err := os.WriteFile(path, []byte(conf), 0o644); err != nil {
		b.Fatal(err)
	}
	return startForeign(b, port, caddy, "run", "--config", path, "--adapter", "caddyfile")
}
